// `hold debug vt --host`: a program on a PTY whose other side is the engine.
#pragma once

#include "probe/probe.h"

namespace holdfast::probe {

// Runs until the program has ended and its output is drained: its bytes go to the engine, the engine's answers to it,
// and where the program sets the size (`CSI 8 ; rows ; cols t`, DECCOLM) it is that of both. Returns the program's exit code (128 + n if signal n ended it).
Result<int> run_host(const Options& options);

}  // namespace holdfast::probe
