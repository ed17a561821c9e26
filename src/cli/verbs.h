// The table of verbs: the one place from which the parser, `--help`, completion and the man page are made.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/args.h"

namespace holdfast::cli {

// In the order people read them.
std::span<const VerbRow> verbs();
// By name or alias; "debug vt" is one name. Null if there is none.
const VerbRow* find_verb(std::string_view name);
// The verbs of two words that begin with this one, as "debug vt" does with "debug".
std::vector<const VerbRow*> verbs_of_group(std::string_view word);
// What to say to somebody who wrote `name`, which is no verb. `call`: what verbs stand behind: "hold ", "hold help ".
std::string advice_for_verb(std::string_view name, const std::string& call);

struct ExitCodeRow {
  int code;
  std::string_view meaning;
};
std::span<const ExitCodeRow> exit_codes();

struct VariableRow {
  std::string_view name, meaning;
};
// Environment variables that the command line reads.
std::span<const VariableRow> variables();

// One function a verb, in verb_<name>.cc.
int run_new(const Arguments& arguments);
int run_attach(const Arguments& arguments);
int run_ls(const Arguments& arguments);
int run_info(const Arguments& arguments);
int run_detach(const Arguments& arguments);
int run_kill(const Arguments& arguments);
int run_rm(const Arguments& arguments);
int run_read(const Arguments& arguments);
int run_search(const Arguments& arguments);
int run_send(const Arguments& arguments);
int run_version(const Arguments& arguments);
int run_completion(const Arguments& arguments);
int run_debug_vt(const Arguments& arguments);
int run_debug_man(const Arguments& arguments);
int run_help(const Arguments& arguments);
// `hold` without a verb.
int run_home();

}  // namespace holdfast::cli
