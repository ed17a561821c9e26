// VTD: the shadow terminal of one session. Parses what the program wrote, answers queries, writes the screen out.
//
// It has no filesystem and no network, and may crash: the holder starts another from the last checkpoint and the ring.
#pragma once

namespace holdfast::vtd {

// The process behind roles::kVtdVerb; descriptors as base/roles.h has them.
int vtd_main(int argc, char** argv);

}  // namespace holdfast::vtd
