// What is taken for true of a terminal that has not told how it treats grapheme clusters (mode 2027). Pure.
#pragma once

#include "wire/messages.h"

namespace holdfast::holder {

wire::Clusters guessed_clusters(const wire::TerminalFacts& facts);

}  // namespace holdfast::holder
