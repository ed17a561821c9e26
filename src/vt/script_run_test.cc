#include "vt/script_run.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <utility>

#include "vt/simple_text.h"
#include "vt/unicode.h"
#include "vt/utf8.h"

namespace holdfast::vt {
namespace {

std::string utf8(char32_t cp) {
  char bytes[kUtf8BytesMax];
  return {bytes, put_utf8(bytes, cp)};
}

std::string repeated(std::string_view text, std::size_t bytes) {
  std::string out;
  while (out.size() < bytes) out += text;
  return out;
}

// What is wrong with the run, looked at one character at a time; empty if nothing is.
std::string mistake(std::string_view text, const ScriptRun& run) {
  if (run.bytes > text.size()) return "beyond the end";
  std::size_t columns = 0, last = 0;
  bool has_wide = false;
  for (std::size_t at = 0; at < run.bytes;) {
    const char* const p = text.data() + at;
    if (!starts_simple(p, text.data() + text.size())) return "not simple at " + std::to_string(at);
    const bool is_ascii = static_cast<unsigned char>(*p) < 0x80;
    const Decoded next = is_ascii ? Decoded{static_cast<unsigned char>(*p), 1, false} : decode_utf8(p, text.size() - at);
    if (next.length != utf8(next.cp).size()) return "malformed at " + std::to_string(at);
    const int width = code_point_width(next.cp);
    columns += static_cast<std::size_t>(width);
    has_wide |= width == 2;
    last = at;
    at += next.length;
    if (at > run.bytes) return "a character is cut at " + std::to_string(last);
  }
  if (run.bytes > 0 && run.last != last) return "another last one";
  if (run.columns != columns) return "another width";
  return run.has_wide == has_wide ? "" : "wide or not";
}

}  // namespace

TEST_CASE("a run holds whole simple characters only, and has their width, whatever code point comes") {
  const ScriptScanner scan = script_scanner();
  if (!scan) return;  // a processor without the instructions: there is nothing to be wrong
  for (char32_t cp = 0; cp <= 0x10ffff; ++cp) {
    if (!is_scalar_value(cp)) continue;
    const std::string text = "abcä" + utf8(cp) + utf8(cp) + repeated("z", 80);
    REQUIRE_MESSAGE(mistake(text, scan(text.data(), text.size())) == "", "U+" << static_cast<unsigned>(cp));
  }
}

TEST_CASE("bytes of any kind, and characters cut anywhere, end a run before them") {
  const ScriptScanner scan = script_scanner();
  if (!scan) return;
  std::mt19937 random(7);
  for (int round = 0; round < 40'000; ++round) {
    CAPTURE(round);
    std::string text;
    const unsigned damage = 2 + random() % 60;
    while (text.size() < 200) {
      static constexpr std::pair<char32_t, char32_t> kScripts[] = {{0x20, 0x7f},     {0xc0, 0x480},    {0x2010, 0x2028}, {0x2500, 0x2600},
                                                                   {0x3040, 0x3100}, {0x4e00, 0xa000}, {0xac00, 0xd7a4}, {0x1f600, 0x1f640}};
      const auto [first, end] = kScripts[random() % std::size(kScripts)];
      text += utf8(first + static_cast<char32_t>(random()) % (end - first));
      if (random() % damage == 0) text += static_cast<char>(random());
      if (random() % damage == 0) text.pop_back();
    }
    const std::size_t n = random() % text.size();
    REQUIRE(mistake(text, scan(text.data(), n)) == "");
    REQUIRE(scan(text.data(), n).bytes <= n);
  }
}

TEST_CASE("a run of everyday text is taken to within a few bytes of its end") {
  const ScriptScanner scan = script_scanner();
  if (!scan) return;
  for (const std::string_view words : {"plain words ", "déjà vu ", "ελληνικά ", "Кириллица ", "┌──┬──┐ ", "●→… “q” ", "かなカナ漢字", "中文字",
                                       "한국어", "😀😃 "}) {
    CAPTURE(words);
    const std::string text = repeated(words, 640);
    CHECK(scan(text.data(), text.size()).bytes > text.size() - 64);
  }
}

}  // namespace holdfast::vt
