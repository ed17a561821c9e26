// Parser, terminal, binary snapshot and the texts that are read, under any bytes (script.h).
//
// What must hold after it:
//   - the promises of the grid and every bound of the state;
//   - feeding the same bytes one at a time gives the same terminal: nothing depends on where a read ended;
//   - the binary snapshot brings everything back;
//   - whatever can be asked of the terminal can be written, in any size, and changes nothing.
#include "base/json.h"
#include "fuzz/check.h"
#include "fuzz/script.h"
#include "vt/invariants_fixture.h"
#include "vt/text.h"

namespace {

using namespace holdfast;
using namespace holdfast::fuzz;

// For each byte of input: an answer may be longer than its question, not by much.
constexpr std::size_t kReplyBytesMax = 64;

struct Counting : vt::Sink {
  std::size_t reply_bytes = 0;
  void reply(std::uint64_t, std::string_view bytes) override { reply_bytes += bytes.size(); }
  void event(std::uint64_t, const vt::Event&) override {}
};

void write_all(vt::State& state) {
  std::string bytes;
  vt::write_view(state, 33, 7, bytes);
  vt::write_undo(state, -1, bytes);
  for (const auto format : {vt::TextFormat::plain, vt::TextFormat::vt, vt::TextFormat::html, vt::TextFormat::json}) {
    const auto text = vt::read_text(state, {.format = format, .all = true, .unwrap = true});
    require(text.has_value(), "a small screen cannot be read");
    if (format == vt::TextFormat::json) require(Json::parse(*text).has_value(), "what was read as JSON is none");
  }
  require(Json::parse(vt::canonical(state, {}).dump()).has_value(), "the canonical object is not JSON");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kHeadBytes) return 0;
  const Script script = script_of(bytes_of(data, size));
  Counting sink, other;
  vt::Terminal terminal(script.options);
  run(terminal, script.steps, script.piece_bytes, sink);
  require(sink.reply_bytes <= kReplyBytesMax * (size + 64), "replies outgrow their questions");
  vt::State& state = terminal.mutable_state();
  require_none("a promise is broken", vt::broken_invariants(state));
  require_none("a bound is broken", vt::broken_bounds(state));
  const std::string everything = vt::everything(state);

  vt::Terminal bytewise(script.options);
  run(bytewise, script.steps, 1, other);
  require_equal("the terminal depends on where the bytes were cut", vt::everything(bytewise.mutable_state()),
                everything);
  require(other.reply_bytes == sink.reply_bytes, "the replies depend on where the bytes were cut");
  require_none("the snapshot lost something", vt::snapshot_faults(state));

  write_all(state);
  require_equal("what was only read has changed", vt::everything(state), everything);
  return 0;
}
