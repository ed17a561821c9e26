// What must hold after any input, checked on seeded random streams, whole and cut into pieces.
#include "vt/invariants_fixture.h"
#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

#include <random>

namespace holdfast::vt {
namespace {

using Random = std::mt19937;

int below(Random& random, int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

// A piece of what terminals are fed: half of it meaningful, the rest not.
std::string random_piece(Random& random) {
  static constexpr std::string_view kWords[] = {"a",
                                                "hello",
                                                "wrap this text around",
                                                "中",
                                                "日本語",
                                                "é",
                                                "e\u0301",
                                                "\u0301",
                                                "👨\u200d👩\u200d👧",
                                                "❤\ufe0f",
                                                "😀\ufe0e",
                                                "1\ufe0f\u20e3",
                                                "🇩🇪",
                                                "🇩",
                                                "नमस्ते",
                                                "한국어",
                                                "\u1112\u1161\u11ab",
                                                "\u0600",
                                                "\u200d",
                                                "\ufe0f",
                                                "\u00ad",
                                                "\u0085",
                                                "\r\n",
                                                "\n",
                                                "\r",
                                                "\b",
                                                "\t",
                                                "\v",
                                                "\a",
                                                "\x0e",
                                                "\x0f",
                                                "\x18",
                                                "\x1a",
                                                "\x7f",
                                                "\x05"};
  static constexpr std::string_view kFunctions[] = {"\x1b\x37",
                                                    "\x1b\x38",
                                                    "\x1b"
                                                    "D",
                                                    "\x1b"
                                                    "E",
                                                    "\x1b"
                                                    "M",
                                                    "\x1b"
                                                    "H",
                                                    "\x1b"
                                                    "c",
                                                    "\x1b(0",
                                                    "\x1b(B",
                                                    "\x1b)0",
                                                    "\x1bN",
                                                    "\x1bO",
                                                    "\x1bn",
                                                    "\x1bV",
                                                    "\x1bW",
                                                    "\x1b#8",
                                                    "\x1b=",
                                                    "\x1b>",
                                                    "\x1b%@",
                                                    "\x1b%G",
                                                    "\x1b\x36",
                                                    "\x1b\x39",
                                                    "\x1b[?1049h",
                                                    "\x1b[?1049l",
                                                    "\x1b[?47h",
                                                    "\x1b[?47l",
                                                    "\x1b[?1047h",
                                                    "\x1b[?1047l",
                                                    "\x1b[?6h",
                                                    "\x1b[?6l",
                                                    "\x1b[?7h",
                                                    "\x1b[?7l",
                                                    "\x1b[4h",
                                                    "\x1b[4l",
                                                    "\x1b[20h",
                                                    "\x1b[20l",
                                                    "\x1b[?45h",
                                                    "\x1b[?45l",
                                                    "\x1b[?1045h",
                                                    "\x1b[?1045l",
                                                    "\x1b[?69h",
                                                    "\x1b[?69l",
                                                    "\x1b[?2027h",
                                                    "\x1b[?2027l",
                                                    "\x1b[?40h",
                                                    "\x1b[?3h",
                                                    "\x1b[?3l",
                                                    "\x1b[?2048h",
                                                    "\x1b[?s",
                                                    "\x1b[?7;6;25s",
                                                    "\x1b[?7;6;25r",
                                                    "\x1b[!p",
                                                    "\x1b[1\"q",
                                                    "\x1b[0\"q",
                                                    "\x1b[62\"p",
                                                    "\x1b]8;;http://x/\x1b\\",
                                                    "\x1b]8;id=a;http://y\a",
                                                    "\x1b]8;;\a",
                                                    "\x1b]133;A\a",
                                                    "\x1b]133;A;barekey\a",
                                                    "\x1b]133;C\x1b\\",
                                                    "\x1b]0;title\a",
                                                    "\x1b]4;1;#123456\a",
                                                    "\x1b]11;?\a",
                                                    "\x1b]10;rgb:f/f/f\a",
                                                    "\x1bP$qm\x1b\\",
                                                    "\x1bP+q544e;436f\x1b\\",
                                                    "\x1b_Gabc\x1b\\",
                                                    "\x1b_Ga=T,i=1,f=24,s=1,v=2;AAECAwQF\x1b\\",
                                                    "\x1b_Ga=T,I=1,o=z,s=20,v=50;eJxj\x1b\\",
                                                    "\x1b_Ga=p,i=1,C=1,c=4,r=3\x1b\\",
                                                    "\x1b_Ga=t,i=2,f=24,s=1,v=2,m=1;AAEC\x1b\\",
                                                    "\x1b_Gm=0;AwQF\x1b\\",
                                                    "\x1b_Ga=p,i=2,P=1\x1b\\",
                                                    "\x1b_Ga=d,d=I,i=1\x1b\\",
                                                    "\x1b[#P",
                                                    "\x1b[#Q",
                                                    "\x1b]22;>wait\a",
                                                    "\x1b]22;<\a",
                                                    "\x1b]7501;state=working:id=2\a",
                                                    "\x1b^pm\x1b\\",
                                                    "\x1b]52;c;aGk=\a",
                                                    "\x1b[#{",
                                                    "\x1b[#}",
                                                    "\x1b[>5u",
                                                    "\x1b[<1u",
                                                    "\x1b[=3;2u",
                                                    "\x1b[22t",
                                                    "\x1b[23t",
                                                    "\x1b[3g",
                                                    "\x1b[?5W",
                                                    "\x1b[c",
                                                    "\x1b[6n"};
  switch (below(random, 11)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return std::string(kWords[random() % std::size(kWords)]);
    case 4:
    case 5:
      return std::string(kFunctions[random() % std::size(kFunctions)]);
    case 6: {  // any CSI with small parameters
      std::string out = "\x1b[";
      if (below(random, 8) == 0) out += "?<=>"[below(random, 4)];
      for (int i = below(random, 4); i > 0; --i) out += std::to_string(below(random, 14)) + (i > 1 ? ";" : "");
      if (below(random, 6) == 0) out += " !\"#$'*"[below(random, 7)];
      return out + static_cast<char>(0x40 + below(random, 63));
    }
    case 7: {  // the usual SGR
      std::string out = "\x1b[";
      for (int i = below(random, 3); i >= 0; --i) out += std::to_string(below(random, 110)) + (i > 0 ? ";" : "m");
      return out;
    }
    case 8: {  // rectangles
      std::string out = "\x1b[" + std::to_string(below(random, 4));
      for (int i = 0; i < 7; ++i) out += ";" + std::to_string(below(random, 10));
      return out + "$" + "zxvrt{"[below(random, 6)];
    }
    case 9: {  // bytes of any kind
      std::string out;
      for (int i = below(random, 6); i >= 0; --i) out += static_cast<char>(random());
      return out;
    }
    default:
      return "\x1b[" + std::to_string(below(random, 9)) + ";" + std::to_string(below(random, 13)) + "H";
  }
}

std::string random_stream(Random& random, int pieces) {
  std::string out;
  for (int i = 0; i < pieces; ++i) out += random_piece(random);
  return out;
}

// Everything a later byte could tell apart, as far as it shows at once.
std::string picture(Screen& screen) {
  const State& s = screen.state();
  std::string out = screen.rows() + "\nhistory " + screen.history() + "\ncursor " + std::to_string(screen.x()) + "," +
                    std::to_string(screen.y()) + (screen.pending() ? " pending" : "") + "\nunfinished " +
                    s.continuation + "\noffset " + std::to_string(s.offset) + "\nreplies " + screen.replies +
                    "\ntitle " + s.titles.window;
  for (std::size_t i = 0; i < kModeCount; ++i) out += s.modes.get(static_cast<Mode>(i)) ? '1' : '0';
  for (int y = 0; y < screen.grid().rows(); ++y) {
    const Row& row = screen.grid().row(y);
    for (int x = 0; x < s.size.cols; ++x) {
      const Style& style = screen.style(x, y);
      out += std::to_string(static_cast<int>(row.cells[x].kind())) + "," + std::to_string(style.attributes) + "," +
             std::to_string(style.foreground.value) + "," + std::to_string(style.background.value) + "," +
             std::to_string(row.cells[x].is_protected()) + ";";
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a stream means the same however it is cut") {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Profile profile = seed % 3 == 0 ? Profile::xterm : Profile::ghostty;
    const int cols = 1 + below(random, 14), rows = 1 + below(random, 6);
    const std::string stream = random_stream(random, 120);
    Screen whole(cols, rows, profile), bytewise(cols, rows, profile), cut(cols, rows, profile);
    whole.feed(stream);
    bytewise.feed_bytewise(stream);
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t n = 1 + random() % 17;
      cut.feed(std::string_view(stream).substr(at, n));
      at += n;
    }
    const std::string expected = picture(whole);
    CHECK(picture(bytewise) == expected);
    CHECK(picture(cut) == expected);
  }
}

TEST_CASE("no stream breaks the promises of the grid") {
  for (unsigned seed = 1000; seed < 1300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Screen screen(1 + below(random, 14), 1 + below(random, 6), seed % 3 == 0 ? Profile::xterm : Profile::ghostty);
    for (int i = 0; i < 150; ++i) {
      const std::string piece = random_piece(random);
      screen.feed(piece);
      if (below(random, 40) == 0) screen.resize(2 + below(random, 20), 1 + below(random, 8));
      const std::string broken = broken_invariants(screen.state()) + broken_bounds(screen.state());
      REQUIRE_MESSAGE(broken.empty(), broken << " after piece " << i << ": " << piece);
    }
  }
}

TEST_CASE("a terminal made from a state in the middle of a sequence goes on where it was") {
  for (unsigned seed = 2000; seed < 2100; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::string stream = random_stream(random, 60);
    const std::size_t at = random() % stream.size();
    Screen whole(12, 5), second(12, 5);
    whole.feed(stream);
    second.feed(std::string_view(stream).substr(0, at));
    const std::uint64_t offset = second.state().offset;
    second.terminal = Terminal(std::move(second.terminal.mutable_state()), Profile::ghostty);
    CHECK(second.state().offset == offset);
    second.feed(std::string_view(stream).substr(at));
    CHECK(picture(second) == picture(whole));
  }
}

}  // namespace holdfast::vt
