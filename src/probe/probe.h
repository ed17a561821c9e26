// `hold debug vt`: the terminal engine on its own, for tests and for people who want to see what it makes of bytes.
// The only room that puts the engine under bytes or a program without a session around it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "vt/terminal.h"
#include "vt/text.h"

namespace holdfast::probe {

struct Resize {
  std::uint16_t cols, rows;
  std::uint64_t at;  // offset of the first byte that is drawn at this size; beyond the input: at its end
};

struct Options {
  std::string file;  // bytes to feed; empty or "-" = standard input
  std::uint16_t cols = 80, rows = 24;
  std::uint32_t scrollback = 1000;
  std::vector<Resize> resizes;
  vt::Profile profile = vt::Profile::ghostty;
  bool stream = false;                   // standard input is a sequence of case frames (tests/oracles/canon.mjs)
  bool restore = false;                  // add "restore" and "snapshot" (base64) to each object
  std::optional<vt::TextFormat> format;  // print the screen like this instead of the canonical object
  // Whether mode 2027 is on at the start; unset: as the profile has it. Off, an object can be compared with those of
  // engines without it.
  std::optional<bool> graphemes;
  std::vector<std::string> host;         // run this program on a PTY whose other side is the engine
  std::vector<std::string> environment;  // with `host`: the program's, KEY=VALUE
  bool is_resizable = false;             // the program may set the size; always so with `host`
  bool title_reports = false;            // answer CSI 20 t and 21 t
  bool plain_checksums = false;          // DECRQCRA without attributes
  std::string dump;                      // with `host`: where the canonical object of the last screen goes
};

// The engine as the options want it, at this size.
vt::Terminal make_terminal(const Options& options, std::uint16_t cols, std::uint16_t rows, std::uint32_t scrollback);

// "120x40@512", or without "@…" for "at the end". Error: malformed.
Result<Resize> parse_resize(const std::string& text);

// The exit code: 0, or that of the hosted program. Errors: the file cannot be read, a broken frame, no such program.
Result<int> run(const Options& options);

}  // namespace holdfast::probe
