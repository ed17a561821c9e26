// `hold debug vt`: the terminal engine on its own, for tests and for people who want to see what it makes of bytes.
// The only place of the command line that knows the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "vt/terminal.h"
#include "vt/text.h"

namespace holdfast::cli {

struct DebugVtResize {
  std::uint16_t cols, rows;
  std::uint64_t at;  // offset of the first byte that is drawn at this size; beyond the input: at its end
};

struct DebugVtOptions {
  std::string file;  // bytes to feed; empty or "-" = standard input
  std::uint16_t cols = 80, rows = 24;
  std::uint32_t scrollback = 1000;
  std::vector<DebugVtResize> resizes;
  // Unset: ghostty, and xterm for `host`, as conformance suites test what Ghostty leaves out.
  std::optional<vt::Profile> profile;
  bool stream = false;                   // standard input is a sequence of case frames (tests/oracles/canon.mjs)
  bool restore = false;                  // add "restore" and "snapshot" (base64) to each object
  std::optional<vt::TextFormat> format;  // print the screen like this instead of the canonical object
  // Whether mode 2027 is on at the start. Off, an object can be compared with those of engines without it.
  bool graphemes = true;
  std::vector<std::string> host;  // run this program on a PTY whose other side is the engine
  std::string dump;               // with `host`: where the canonical object of the last screen goes
};

// The engine as the options want it, at this size.
vt::Terminal make_debug_terminal(const DebugVtOptions& options, std::uint16_t cols, std::uint16_t rows,
                                 std::uint32_t scrollback);

// "120x40@512", or without "@…" for "at the end". Error: malformed.
Result<DebugVtResize> parse_debug_vt_resize(const std::string& text);

// The exit code: 0, or that of the hosted program. Errors: the file cannot be read, a broken frame, no such program.
Result<int> debug_vt(const DebugVtOptions& options);

}  // namespace holdfast::cli
