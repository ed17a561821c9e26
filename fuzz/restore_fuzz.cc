// Restores under any bytes and resizes (script.h): replayed into a fresh and into a dirtied terminal, once and twice,
// they bring back all that VT can say (vt/replay_fixture.h). The input chooses the dirt, too.
#include "base/text.h"
#include "fuzz/check.h"
#include "fuzz/script.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace holdfast;
  using namespace holdfast::fuzz;
  if (size < kHeadBytes) return 0;
  const std::string_view input = bytes_of(data, size);
  const Script script = script_of(input);
  vt::Silence silence;
  vt::Terminal terminal(script.options);
  run(terminal, script.steps, script.piece_bytes, silence);
  vt::State& state = terminal.mutable_state();
  unsigned choice = crc32c(input);
  const auto dirty = [&](vt::Terminal& other) { vt::make_dirty(other, choice++); };
  require_none("the restore does not bring the picture back", vt::replay_faults(state, terminal.profile(), dirty));

  auto decoded = vt::decode_snapshot(vt::encode_snapshot(state));
  require(decoded.has_value(), "own snapshot does not decode");
  require_equal("a decoded snapshot is restored otherwise",
                vt::restore_bytes(*decoded, terminal.profile(), vt::HistoryPart::all),
                vt::restore_bytes(state, terminal.profile(), vt::HistoryPart::all));
  return 0;
}
