// The keeper: parent of program and holder, owner of duplicates of PTY master, listener and ring.
//
// It waits for children and does nothing else: says the program's end to the holder, starts a holder again that died,
// reaps orphans (it is their subreaper), takes over what the holder had to make anew (roles::HolderNote), and ends when
// the holder says the session is finished. Parses nothing.
#pragma once

namespace holdfast::keeper {

// The process behind roles::kKeeperVerb; descriptors as base/roles.h has them.
int keeper_main(int argc, char** argv);

}  // namespace holdfast::keeper
