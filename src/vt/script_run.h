// Runs of text in everyday scripts, by vector instructions where the processor has them.
#pragma once

#include <cstddef>

namespace holdfast::vt {

struct ScriptRun {
  std::size_t bytes = 0;    // 0 = look closer at what stands there
  std::size_t last = 0;     // where the last of its characters begins
  std::size_t columns = 0;  // as the Unicode table has it
  bool has_wide = false;
};

// How far the bytes are whole characters, each simple (simple_text.h): printable ASCII, Latin, Greek, Cyrillic, Armenian,
// dashes and quotes, arrows, boxes, shapes, kana, Han, Hangul, faces. It need not find all of them: it stops where it would have to look closer,
// and some bytes before the end.
using ScriptScanner = ScriptRun (*)(const char* text, std::size_t n);

// The one for this processor, chosen once; null: it has none that would be quicker than looking at one character at a time.
ScriptScanner script_scanner();

}  // namespace holdfast::vt
