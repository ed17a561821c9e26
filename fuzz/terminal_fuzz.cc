// Parser, terminal and restore under any bytes.
//
// The input is a size, a profile, how many bytes are fed at once, and a list of steps: pieces of output, resizes. What
// must hold after it:
//   - feeding the same bytes one at a time gives the same terminal: nothing depends on where a read ended;
//   - the binary snapshot brings everything back;
//   - the restore, replayed into a dirtied terminal, gives the same picture as far as VT can say it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "vt/restore.h"
#include "vt/snapshot.h"
#include "vt/terminal.h"

namespace {

using namespace holdfast;

// Sizes from 2 columns and 1 row on (docs/vt.md, "Restore", says why not one column). Small ones: that is where rows
// wrap, scroll and lack room.
constexpr std::uint16_t kColsMin = 2, kRowsMin = 1, kColsMax = 40, kRowsMax = 12;
constexpr std::uint32_t kHistoryRows = 200;
constexpr std::size_t kReplyBytesMax =
    64;                         // for each byte of input: an answer may be longer than its question, not by much
constexpr char kStep = '\xff';  // never part of UTF-8: what follows is a step, not output

struct Quiet : vt::Sink {
  std::size_t reply_bytes = 0;
  void reply(std::uint64_t, std::string_view bytes) override { reply_bytes += bytes.size(); }
  void event(std::uint64_t, const vt::Event&) override {}
};

struct Step {
  std::string_view bytes;
  vt::Size size;  // after the bytes; cols 0 = stays
};

vt::Size size_of(unsigned char cols, unsigned char rows) {
  constexpr int kCols = kColsMax - kColsMin + 1, kRows = kRowsMax - kRowsMin + 1;
  return {static_cast<std::uint16_t>(kColsMin + cols % kCols), static_cast<std::uint16_t>(kRowsMin + rows % kRows), 0,
          0};
}

std::vector<Step> steps_of(std::string_view input) {
  std::vector<Step> steps;
  while (!input.empty()) {
    const std::size_t at = input.find(kStep);
    if (at == std::string_view::npos || input.size() < at + 3) {
      steps.push_back({input, {0, 0, 0, 0}});
      break;
    }
    steps.push_back({input.substr(0, at),
                     size_of(static_cast<unsigned char>(input[at + 1]), static_cast<unsigned char>(input[at + 2]))});
    input.remove_prefix(at + 3);
  }
  return steps;
}

vt::Options options_of(vt::Size size, vt::Profile profile) {
  vt::Options options;
  options.size = size;
  options.profile = profile;
  options.history.rows = kHistoryRows;
  return options;
}

// Where VT cannot say what REP repeats (docs/vt.md, "Restore"), the projection of the original has no such fact, and
// that of the copy one left by what was drawn.
std::string comparable(std::string projection, const std::string& original) {
  constexpr std::string_view kFact = "\nlast_printed ";
  const std::size_t at = projection.find(kFact);
  if (original.find(kFact) == std::string::npos && at != std::string::npos)
    projection.erase(at, projection.find('\n', at + 1) - at);
  return projection;
}

constexpr std::string_view kDirt =
    "\x1b[?1049h\x1b[3;9r\x1b[?6h\x1b[4h\x1b[?69h\x1b[2;5s\x1b(0\x1b[1;7;38;2;1;2;3mdirt\x1b]8;;x:y\x1b\\\x1b[>1u\x1b[?"
    "1003h\x1b[3g"
    "\x1b]2;t\x1b\\\x1b[22;0t\x1b]4;1;#123456\x1b\\\x1b]5;1;#123456\x1b\\\x1b[>0t\x1b[1*x\x1b[?41;42h\x1b)K\x1b.A\x1b[1\"q\x1b[>4;2m\x1b[?5h\x1b[#P\x1b]22;>wait\x1b\\\x1b]7501;state=idle\x1b\\"
    "\x1b_Ga=T,i=1,f=24,s=1,v=1;AAEC\x1b\\\x1b_Ga=t,I=1,f=24,s=1,v=1,m=1;AAEC\x1b\\\x1bP$q";

void run(vt::Terminal& terminal, const std::vector<Step>& steps, std::size_t piece_bytes, Quiet& sink) {
  for (const Step& step : steps) {
    for (std::size_t at = 0; at < step.bytes.size(); at += piece_bytes)
      terminal.feed(step.bytes.substr(at, piece_bytes), sink);
    if (step.size.cols != 0) terminal.resize(step.size, sink);
  }
}

[[noreturn]] void fail(const char* what, std::string_view have, std::string_view want) {
  std::fprintf(stderr, "%s\nhave: %.*s\nwant: %.*s\n", what, static_cast<int>(have.size()), have.data(),
               static_cast<int>(want.size()), want.data());
  std::abort();
}

// Compares two projections; tells the first line that differs.
void require_equal(const char* what, std::string_view have, std::string_view want) {
  if (have == want) return;
  const auto line = [](std::string_view text) { return text.substr(0, text.find('\n')); };
  while (!have.empty() && !want.empty() && line(have) == line(want)) {
    have.remove_prefix(std::min(line(have).size() + 1, have.size()));
    want.remove_prefix(std::min(line(want).size() + 1, want.size()));
  }
  fail(what, line(have), line(want));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const vt::Profile profile = data[1] & 0x80 ? vt::Profile::xterm : vt::Profile::ghostty;
  const vt::Options start = options_of(size_of(data[0], data[1] & 0x7f), profile);
  const std::string_view input(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::vector<Step> steps = steps_of(input);

  Quiet sink, other;
  vt::Terminal terminal(start);
  run(terminal, steps, 1 + data[2] * 257u, sink);
  if (sink.reply_bytes > kReplyBytesMax * (size + 64))
    fail("replies outgrow their questions", std::to_string(sink.reply_bytes), std::to_string(size));
  vt::State& state = terminal.mutable_state();
  const std::string everything = vt::everything(state);

  vt::Terminal bytewise(start);
  run(bytewise, steps, 1, other);
  require_equal("the terminal depends on where the bytes were cut", vt::everything(bytewise.mutable_state()),
                everything);

  auto decoded = vt::decode_snapshot(vt::encode_snapshot(state));
  if (!decoded) fail("own snapshot does not decode", decoded.error().message(), "");
  require_equal("the snapshot lost something", vt::everything(*decoded), everything);

  std::string bytes;
  vt::RestoreOptions options;
  options.client = profile;
  options.onto = vt::Onto::anything;  // that of the dirtied terminal: there is none to keep
  vt::write_restore(state, options, bytes);
  vt::Terminal replayed(options_of(state.size, profile));
  replayed.feed(kDirt, other);
  replayed.feed(bytes, other);
  const std::string picture = vt::expressible(state);
  require_equal("the restore does not bring the picture back",
                comparable(vt::expressible(replayed.mutable_state()), picture), picture);

  bytes.clear();
  vt::write_view(state, 33, 7, bytes);
  vt::write_undo(state, -1, bytes);
  return 0;
}
