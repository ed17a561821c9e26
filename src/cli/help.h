// Help texts, made from the table of verbs.
#pragma once

#include <string>

#include "cli/args.h"

namespace holdfast::cli {

// `hold --help`: all verbs. `width`: columns; 0 means 80.
std::string help_overview(int width);
// `hold help debug`: the verbs of two words that begin with this one; empty if there are none.
std::string help_of_group(std::string_view word, int width);
// `hold VERB --help`.
std::string help_of(const VerbRow& verb, int width);
// "hold new [--name NAME] [-d] … [-- COMMAND…]", unwrapped.
std::string usage_of(const VerbRow& verb);
// "-d, --detached" or "--name NAME".
std::string option_label(const OptionRow& row);

// Text in lines of at most `width` columns, each but the first led by `indent` blanks.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace holdfast::cli
