// Reading the screen as text: what `hold read` prints.
#pragma once

#include <cstddef>
#include <string>

#include "base/json.h"
#include "vt/state.h"

namespace holdfast::vt {

enum class TextFormat : std::uint8_t { plain, vt, html, json };

struct ReadOptions {
  TextFormat format = TextFormat::plain;
  std::size_t rows = 0;  // last physical rows incl. history of the active screen; 0 = the visible rows
  bool all = false;      // the whole history too
  bool unwrap = false;   // soft-wrapped rows joined
};

// Plain: one line a row, trailing blanks trimmed, blank rows kept. vt: the rows with SGR and OSC 8. html: one <pre>.
// json: {"lines": [...], "cursor": {"x","y"}, ...}; the alternate screen never shows the primary's history.
std::string read_text(State& state, const ReadOptions& options);

// The canonical object of tests/oracles/canon.mjs.
Json canonical(State& state, std::string_view responses);

}  // namespace holdfast::vt
