// What must hold after any input, checked on seeded random streams, whole and cut into pieces.
#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

#include <random>

namespace holdfast::vt {
namespace {

std::string place(const char* what, int x, int y) {
  return std::string(what) + " at " + std::to_string(x) + "," + std::to_string(y);
}

std::string broken_cells(const State& state, const Grid& grid) {
  const int cols = grid.cols();
  for (int y = 0; y < grid.rows(); ++y) {
    const Row& row = grid.row(y);
    if (row.used > cols) return place("used beyond the row", row.used, y);
    for (int x = 0; x < cols + 8; ++x) {
      const Cell cell = row.cells[x];
      if (x >= row.used && cell.bits != 0) return place("cell beyond used", x, y);
      if (x >= cols) continue;
      const bool is_head = cell.kind() == CellKind::wide, is_tail = cell.kind() == CellKind::wide_tail;
      if (is_head && (x + 1 == cols || row.cells[x + 1].kind() != CellKind::wide_tail)) return place("no tail", x, y);
      if (is_tail && (x == 0 || row.cells[x - 1].kind() != CellKind::wide)) return place("no head", x, y);
      if (is_tail && cell.is_written()) return place("text in a tail", x, y);
      if ((is_head || is_tail) && !row.has_wide) return place("has_wide not set", x, y);
      if (cell.is_cluster() && !row.has_cluster) return place("has_cluster not set", x, y);
      if (cell.style() >= state.tables.styles.size()) return place("no such style", x, y);
      if (cell.link() >= state.tables.links.size()) return place("no such link", x, y);
      if (cell.is_cluster() && cell.text() >= state.tables.clusters.size()) return place("no such cluster", x, y);
      if (!cell.is_written() && !is_tail && cell.kind() == CellKind::narrow) {
        const Style& style = state.tables.styles[cell.style()];
        if (style.attributes != 0 || !style.foreground.is_default() || cell.link() != 0 || cell.is_protected()) {
          return place("an erased cell with more than a background", x, y);
        }
      }
      if (cell.kind() != CellKind::wrap_spacer) continue;
      const bool is_continued = row.flags.wrapped && y + 1 < grid.rows();
      if (x != cols - 1 || !is_continued || grid.row(y + 1).cells[0].kind() != CellKind::wide) {
        return place("a spacer before nothing", x, y);
      }
    }
  }
  return {};
}

std::string broken_images(const State& state, const Graphics& graphics) {
  std::size_t bytes = 0;
  for (const Image& image : graphics.images) {
    bytes += image.data.size();
    if (image.serial > graphics.newest_serial) return "serial of an image";
    if (image.source == ImageSource::gone && !image.data.empty()) return "data of an image that is gone";
  }
  if (bytes > Graphics::kDataBytesMax + 4 * Graphics::kImagesMax) return "data of images";
  if (graphics.images.size() > Graphics::kImagesMax || graphics.placements.size() > Graphics::kPlacementsMax) {
    return "number of images";
  }
  for (const Placement& p : graphics.placements) {
    if (!graphics.find_serial(p.image)) return "no such image";
    if (p.anchor == Placement::Anchor::parent && !graphics.find_placement(p.parent)) return "no such parent";
    if (p.anchor != Placement::Anchor::cell) continue;
    if (p.x < 0 || p.x >= state.size.cols || p.y >= state.size.rows) return place("an image", p.x, p.y);
  }
  return {};
}

std::string broken_screen(const State& state, const ScreenState& screen) {
  const Cursor& at = screen.cursor;
  if (screen.grid.cols() != state.size.cols || screen.grid.rows() != state.size.rows) return "size";
  if (at.x < 0 || at.x >= state.size.cols || at.y < 0 || at.y >= state.size.rows) return place("cursor", at.x, at.y);
  const std::string images = broken_images(state, screen.graphics);
  return images.empty() ? broken_cells(state, screen.grid) : images;
}

}  // namespace

std::string broken_invariants(const State& state) {
  const Margins& m = state.margins;
  if (m.top < 0 || m.left < 0 || m.top > m.bottom || m.left > m.right || m.bottom >= state.size.rows ||
      m.right >= state.size.cols) {
    return "margins";
  }
  if (state.tab_stops.size() != state.size.cols) return "tab stops";
  if (state.continuation.size() > State::kContinuationBytesMax + 1) return "continuation";
  const std::string primary = broken_screen(state, state.primary);
  return primary.empty() ? broken_screen(state, state.alternate) : primary;
}

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
      const std::string broken = broken_invariants(screen.state());
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
