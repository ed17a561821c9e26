#include <csignal>
#include <string>
#include <vector>

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/console.h"
#include "cli/help.h"
#include "cli/session_access.h"
#include "cli/verbs.h"

namespace holdfast::cli {

namespace {

// Whether a session that is on record has exactly this name.
bool names_session(const std::string& word) {
  const auto store = open_store();
  const auto entry = store ? store->find(word) : std::unexpected(store.error());
  return entry && entry->manifest.name() == word;
}

int unknown_verb(const std::vector<std::string>& words) {
  if (words[0].starts_with('-')) {
    return report({ErrorKind::usage, "run hold", "the option " + words[0] + " stands where a verb belongs",
                   "write the verb first: hold VERB " + words[0] + "; see: hold --help"},
                  asks_for_json(words));
  }
  if (words.size() == 1 && names_session(words[0])) {
    return report({ErrorKind::usage, "run hold " + words[0], "there is no such verb, but a session of that name",
                   "write: hold attach " + words[0]});
  }
  const std::string name = words.size() > 1 && !verbs_of_group(words[0]).empty() ? words[0] + " " + words[1] : words[0];
  return report({ErrorKind::usage, "run hold " + name, "there is no such verb", advice_for_verb(name, "hold ")},
                asks_for_json(words));
}

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

// The verb that the words begin with ("debug vt" is two), and how many words it takes.
const VerbRow* verb_of(const std::vector<std::string>& words, std::size_t& taken) {
  taken = 1;
  if (const VerbRow* verb = find_verb(words[0])) return verb;
  if (words.size() < 2) return nullptr;
  taken = 2;
  return find_verb(words[0] + " " + words[1]);
}

int run_words(const std::vector<std::string>& words) {
  if (words.empty()) return run_home();
  if (asks_for_help(words[0])) {
    print(help_overview(output_console().width));
    return 0;
  }
  const bool asks_version = words[0] == "--version" || words[0] == "-V";
  std::size_t taken = 1;
  const VerbRow* verb = asks_version ? find_verb("version") : verb_of(words, taken);
  if (verb == nullptr && words.size() > 1 && asks_for_help(words[1])) {
    if (const std::string group = help_of_group(words[0], output_console().width); !group.empty()) {
      print(group);
      return 0;
    }
  }
  if (verb == nullptr) return unknown_verb(words);
  const auto arguments = Arguments::parse(*verb, std::span(words).subspan(taken));
  if (!arguments) return report(arguments.error(), asks_for_json(words));
  if (arguments->wants_help()) {
    print(help_of(*verb, output_console().width));
    return 0;
  }
  return verb->run(*arguments);
}

}  // namespace

int run(int argc, char** argv) {
  // A reader that is gone is an error of a write, not the end of us: terminals are to be put back first.
  std::signal(SIGPIPE, SIG_IGN);
  const int code = run_words({argv + (argc > 0 ? 1 : 0), argv + argc});
  if (const auto unsaid = print_error(); unsaid && code == 0) return report(*unsaid);
  return code;
}

}  // namespace holdfast::cli
