// The holder: the daemon of one session. Owns what reaches the program and what reaches the clients.
#pragma once

namespace holdfast::holder {

// The process behind roles::kHolderVerb; descriptors as base/roles.h has them.
int holder_main(int argc, char** argv);

}  // namespace holdfast::holder
