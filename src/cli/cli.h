// The command line: one table row a verb (verbs.cc), one file a verb.
#pragma once

namespace holdfast::cli {

// Returns the process's exit code (docs/cli.md).
int run(int argc, char** argv);

}  // namespace holdfast::cli
