// The cage of VTD: it reads hostile bytes, so it may do nothing but compute and talk to its holder.
#pragma once

#include "base/result.h"

namespace holdfast::vtd {

// No core dumps, no ptrace by others, and a seccomp filter that lets memory, clocks and the open descriptors through;
// anything else kills the process. Call it when everything is open. Error: the kernel refuses the filter.
Result<> enter_sandbox();

}  // namespace holdfast::vtd
