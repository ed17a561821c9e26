// The bytes that restore a terminal, for tests.
#pragma once

#include <string>

#include "vt/restore.h"
#include "vt/terminal_fixture.h"

namespace holdfast::vt {

inline std::string restore_of(Screen& screen, RestoreOptions options = {}) {
  std::string bytes;
  write_restore(screen.terminal.mutable_state(), options, bytes);
  return bytes;
}

}  // namespace holdfast::vt
