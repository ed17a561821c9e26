// Help texts, made from the table of verbs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/args.h"

namespace holdfast::cli {

// `hold --help`: all verbs. `width`: columns; 0 means 80.
std::string help_overview(int width);
// `hold help debug`: the verbs of two words that begin with this one; empty if there are none.
std::string help_of_group(std::string_view word, int width);
// `hold VERB --help`.
std::string help_of(const VerbRow& verb, int width);
// "hold", "new", "[--name NAME]", …, "[-- COMMAND…]": what of a call belongs on one line.
std::vector<std::string> usage_words(const VerbRow& verb);
// How a session is left, for the overview and the manual page.
std::string_view detach_key_sentence();
// "-d, --detached" or "--name NAME".
std::string option_label(const OptionRow& row);

}  // namespace holdfast::cli
