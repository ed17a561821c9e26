// What the terminal and the restore fuzzer make of an input: a size and a profile, how many bytes are fed at once, and
// steps: pieces of output, each followed by a resize.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "vt/terminal.h"

namespace holdfast::fuzz {

// Sizes from 2 columns and 1 row on (docs/vt.md, "Restore", says why not one column). Small ones: that is where rows
// wrap, scroll and lack room.
inline constexpr std::uint16_t kColsMin = 2, kRowsMin = 1, kColsMax = 40, kRowsMax = 12;
inline constexpr std::uint32_t kHistoryRows = 200;
inline constexpr char kStep = '\xff';  // never part of UTF-8: what follows is a step, not output
inline constexpr std::size_t kHeadBytes = 3;

struct Step {
  std::string_view bytes;
  vt::Size size;  // after the bytes; cols 0 = stays
};

struct Script {
  vt::Options options;
  std::size_t piece_bytes;
  std::vector<Step> steps;
};

inline vt::Size small_size(unsigned char cols, unsigned char rows) {
  constexpr int kCols = kColsMax - kColsMin + 1, kRows = kRowsMax - kRowsMin + 1;
  return {static_cast<std::uint16_t>(kColsMin + cols % kCols), static_cast<std::uint16_t>(kRowsMin + rows % kRows), 0,
          0};
}

inline std::vector<Step> steps_of(std::string_view input) {
  std::vector<Step> steps;
  while (!input.empty()) {
    const std::size_t at = input.find(kStep);
    if (at == std::string_view::npos || input.size() < at + 3) {
      steps.push_back({input, {0, 0, 0, 0}});
      break;
    }
    steps.push_back({input.substr(0, at),
                     small_size(static_cast<unsigned char>(input[at + 1]), static_cast<unsigned char>(input[at + 2]))});
    input.remove_prefix(at + 3);
  }
  return steps;
}

// `input` has at least kHeadBytes.
inline Script script_of(std::string_view input) {
  const auto head = [&](std::size_t i) { return static_cast<unsigned char>(input[i]); };
  Script script;
  script.options.size = small_size(head(0), head(1) & 0x7f);
  script.options.profile = head(1) & 0x80 ? vt::Profile::xterm : vt::Profile::ghostty;
  script.options.history.rows = kHistoryRows;
  script.piece_bytes = 1 + head(2) * 257u;
  script.steps = steps_of(input.substr(kHeadBytes));
  return script;
}

inline void run(vt::Terminal& terminal, const std::vector<Step>& steps, std::size_t piece_bytes, vt::Sink& sink) {
  for (const Step& step : steps) {
    for (std::size_t at = 0; at < step.bytes.size(); at += piece_bytes)
      terminal.feed(step.bytes.substr(at, piece_bytes), sink);
    if (step.size.cols != 0) terminal.resize(step.size, sink);
  }
}

}  // namespace holdfast::fuzz
