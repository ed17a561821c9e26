// The manual page, hold(1), made from the table of verbs. docs/man/hold.1 is a copy of it; a test keeps it one.
#pragma once

#include <string>

namespace holdfast::cli {

std::string man_page();

}  // namespace holdfast::cli
