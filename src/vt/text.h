// Reading the screen as text: what `hold read` prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "vt/state.h"

namespace holdfast::vt {

enum class TextFormat : std::uint8_t { plain, vt, html, json };

struct ReadOptions {
  TextFormat format = TextFormat::plain;
  // Last physical rows incl. history of the active screen; 0 = the visible rows.
  std::size_t rows = 0;
  bool written = false;  // of `rows`: blank rows below the last one with text do not count
  bool all = false;      // the whole history too
  bool unwrap = false;   // soft-wrapped rows joined
  bool wraps = false;    // plain: a row that goes on in the next one is not trimmed, and ends in CR instead of LF
};

// The most a JSON answer may take, bytes, counted as it will stand there: escaped strings, punctuation, and one string
// slot a row. Above it the answer is an error, not a part.
inline constexpr std::size_t kReadJsonBytesMax = 1u << 20;

// Plain: one line a row, trailing blanks trimmed, blank rows kept. vt: the rows with SGR and OSC 8. html: one <pre>.
// json: {"lines": [...], "cursor": {"x","y"}, ...}; the cursor counts from the first visible row. The alternate screen
// never shows the primary's history. Nothing is changed, except that styles and links of history rows may be interned.
// Error: JSON over its bound.
Result<std::string> read_text(State& state, const ReadOptions& options);

// Calls `f` for the last `rows` rows of history as they look, oldest first: the spacer before a wide character that is
// still on the screen has that one's pen, which history does not know.
void each_history_row(State& state, std::size_t rows, const std::function<void(const RowView&)>& f);

// The canonical object of tests/oracles/canon.mjs, in the shape of xterm-oracle.mjs --probe.
Json canonical(State& state, std::string_view responses);

}  // namespace holdfast::vt
