// Lines that pass through the screen (passing.h) leave what drawing them one by one leaves.
#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

#include <random>

#include "vt/snapshot.h"

namespace holdfast::vt {
namespace {

// Pieces of this many bytes are too short for any line to pass.
constexpr std::size_t kDrawnBytes = 500;

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t n) { return random() % n; }

template <std::size_t N>
std::string one_of(Random& random, const std::string_view (&choices)[N]) {
  return std::string(choices[below(random, N)]);
}

std::string text(Random& random) {
  static constexpr std::string_view kTexts[] = {
      "a", "word ", "a longer piece of text, as programs print it ", "äöü ", "Ж", "κόσμε", "中文字", "한국어", "ｆｕ", "かな", "が",
      "└──┘", "●→…“q”", "🙂", "😀😁", "e\u0301", "e\u0301\u0302x", "\u0301", "❤\ufe0f", "⌚\ufe0e", "👍🏽", "🇩🇪🇫", "👨\u200d👩\u200d👧", "नमस्ते",
      "\u0600a", "\u0600é", "\u1100\u1161\u11a8", "\u1100가", "\u00ad", "\u200b", "\u2028", "\ufffd", "\u0085", "\x7f", "\t", "\t\t", "  ",
      "\x80", "\xe4\xb8", "\xc3(", "\xf0\x9f\x98", "\xed\xa0\x80", "\xf4\x90\x80\x80", "◽x", "゙か"};
  return one_of(random, kTexts);
}

std::string look(Random& random) {
  static constexpr std::string_view kLooks[] = {"\x1b[m",        "\x1b[31m",   "\x1b[0m", "\x1b[1;38;2;1;2;3m", "\x1b[39m", "\x1b[48;5;7m",
                                                "\x1b[4:3;58:5:9m", "\x1b[49m", "\x1b[7m", "\x1b[K",  "\x1b[0K",           "\x1b[0m"};
  return one_of(random, kLooks);
}

std::string rarity(Random& random) {
  static constexpr std::string_view kRarities[] = {
      "\x1b[1K", "\x1b[2K", "\b\b", "\r", "\a", "\n", "\v", "\x0e", "\x0f", "\x1b(0", "\x1b(B", "\x1b[4h", "\x1b[4l", "\x1b[20h",
      "\x1b[20l", "\x1b[?7l", "\x1b[?7h", "\x1b[?2027h", "\x1b[?2027l", "\x1b[2;5r", "\x1b[r", "\x1b[?6h", "\x1b[?6l", "\x1b[?69h\x1b[2;9s",
      "\x1b[?69l", "\x1b[?1049h", "\x1b[?1049l", "\x1b[1\"q", "\x1b[0\"q", "\x1b]8;;http://x\a", "\x1b]8;;\a", "\x1b]133;A\a",
      "\x1b]133;C\a", "\x1b[H", "\x1b[99;1H", "\x1b[A", "\x1b[5b", "\x1b[L", "\x1bM", "\x1b[S", "\x1b[J", "\x1b[3J", "\x1b[6n", "\x1b[3",
      "\x1b[?45h\x1b[?1045h", "\x1b[3g", "\x1bH", "\x1b[?5W", "\x1b" "c", "\x1b[?40h", "\x1b_Ga=T,i=1,f=24,s=1,v=2;AAECAwQF\x1b\\"};
  return one_of(random, kRarities);
}

std::string lines(Random& random, std::size_t bytes, std::size_t rarely) {
  std::string out;
  while (out.size() < bytes) {
    for (std::size_t i = below(random, 6); i > 0; --i) {
      out += text(random);
      if (below(random, 4) == 0) out += look(random);
      if (below(random, rarely) == 0) out += rarity(random);
    }
    out += below(random, rarely) == 0 ? "\n" : "\r\n";
  }
  return out;
}

// Everything that lasts.
std::string kept(Screen& screen) {
  std::string broken = broken_invariants(screen.state());
  return encode_snapshot(screen.state()) + screen.replies + broken;
}

void feed_in_pieces(Screen& screen, std::string_view bytes, std::size_t piece) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) screen.feed(bytes.substr(0, piece));
}

}  // namespace

TEST_CASE("lines that pass leave the screen, the history and the pen that drawing them leaves") {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const int cols = 1 + static_cast<int>(below(random, seed % 2 == 0 ? 20 : 120)), rows = 1 + static_cast<int>(below(random, 12));
    const std::size_t rarely = seed % 4 == 0 ? 8 : seed % 4 == 1 ? 60 : 2000;
    const std::string stream = lines(random, 6000 + below(random, 6000), rarely);
    Screen passed(cols, rows), drawn(cols, rows), mixed(cols, rows);
    passed.feed(stream);
    feed_in_pieces(drawn, stream, kDrawnBytes);
    feed_in_pieces(mixed, stream, 2500 + below(random, 2000));
    const bool same = kept(passed) == kept(drawn);
    CHECK(passed.rows() == drawn.rows());
    CHECK(passed.history() == drawn.history());
    CHECK(same);
    CHECK(kept(mixed) == kept(drawn));
  }
}

}  // namespace holdfast::vt
