#include "cli/completion.h"

#include "cli/keys.h"
#include "cli/verbs.h"
#include "store/config.h"

namespace holdfast::cli {

namespace {

std::string joined(const auto& words, std::string_view separator) {
  std::string out;
  for (const auto& word : words) {
    if (word.empty()) continue;
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

// Verbs of one word, and what may follow `hold debug`.
std::string first_words() {
  std::string out;
  for (const auto& verb : verbs()) {
    if (verb.name.find(' ') == std::string_view::npos) out += (out.empty() ? "" : " ") + std::string(verb.name);
  }
  return out + " debug";
}

std::string option_names(const VerbRow& verb) {
  std::string out = "--help";
  for (const auto& row : verb.options) out += " " + std::string(row.name);
  return out;
}

// A shell pattern of all words that mean the verb ("ls|ps"); "debug" for the verbs below it.
std::string names_of(const VerbRow& verb) {
  std::string out(verb.name);
  if (!verb.alias.empty()) out += "|" + std::string(verb.alias);
  return out;
}

// What --detach-key takes.
std::vector<std::string> detach_keys() {
  std::vector<std::string> keys{"none"};
  for (char c = ' '; c <= '~'; ++c) {
    std::string key = std::string("ctrl-") + c;
    if (store::is_detach_key(key)) keys.push_back(std::move(key));
  }
  return keys;
}

// The options of `hold ls --names` that list what may stand there.
std::string_view names_option(Completes completes) {
  if (completes == Completes::ended_session) return "--exited";
  return completes == Completes::session ? "--all" : "";
}

// With each backslash written twice, `times` over: once for every reader on the way that takes one off.
std::string escaped(std::string_view text, int times) {
  std::string out(text);
  for (; times > 0; --times) {
    for (std::size_t at = 0; (at = out.find('\\', at)) != std::string::npos; at += 2) out.insert(at, 1, '\\');
  }
  return out;
}

std::string bash_words(Completes completes) {
  switch (completes) {
    case Completes::nothing:
      return {};
    case Completes::session:
    case Completes::living_session:
    case Completes::ended_session:
      return "_hold_sessions " + std::string(names_option(completes));
    case Completes::file:
      return "COMPREPLY=($(compgen -f -- \"$cur\"))";
    case Completes::directory:
      return "COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Completes::key:
      return "COMPREPLY=($(compgen -W \"" + joined(key_names(), " ") + " ctrl-c alt-x\" -- \"$cur\"))";
    case Completes::detach_key:
      // compgen takes one backslash off, and the command line another one.
      return "COMPREPLY=($(compgen -W '" + escaped(joined(detach_keys(), " "), 2) + "' -- \"$cur\"))";
    case Completes::shell:
      return "COMPREPLY=($(compgen -W \"bash zsh fish\" -- \"$cur\"))";
    case Completes::format:
      return "COMPREPLY=($(compgen -W \"plain vt html json\" -- \"$cur\"))";
  }
  return {};
}

std::string bash_case(const VerbRow& verb) {
  std::string out = "    '" + std::string(verb.name) + "'";
  if (!verb.alias.empty()) out += "|'" + std::string(verb.alias) + "'";
  out += ")\n      case \"$prev\" in\n";
  for (const auto& row : verb.options) {
    if (row.value.empty()) continue;
    std::string words = bash_words(row.completes);
    if (words.empty()) words = "COMPREPLY=()";
    out += "        " + std::string(row.name);
    if (row.letter != 0) out += std::string("|-") + row.letter;
    out += ") " + words + "; return ;;\n";
  }
  out += "      esac\n";
  out += "      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"" + option_names(verb) +
         "\" -- \"$cur\")); return; fi\n";
  const std::string words = bash_words(verb.operand.completes);
  if (!words.empty()) out += "      " + words + "\n";
  return out + "      ;;\n";
}

std::string bash_script() {
  std::string out =
      "# bash completion for hold\n"
      "_hold_sessions() {  # names that are not in the line yet\n  local name word\n"
      "  while read -r name; do\n"
      "    for word in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\" \"${COMP_WORDS[@]:COMP_CWORD+1}\"; do\n"
      "      [[ $word == \"$name\" ]] && continue 2\n    done\n"
      "    [[ $name == \"$cur\"* ]] && COMPREPLY+=(\"$name\")\n"
      "  done < <(hold ls --names \"$@\" 2>/dev/null)\n}\n"
      "_hold() {\n"
      "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\" verb i\n  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
      "      if ((COMP_CWORD == i + 1)); then COMPREPLY=($(compgen -c -- \"$cur\")); else COMPREPLY=($(compgen -f -- "
      "\"$cur\")); fi\n"
      "      return\n    fi\n  done\n"
      "  if ((COMP_CWORD == 1)) && [[ $cur == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"--help --version\" -- \"$cur\")); return\n  fi\n"
      "  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W \"";
  out += first_words() + "\" -- \"$cur\")); return; fi\n";
  out += "  verb=\"${COMP_WORDS[1]}\"\n";
  out +=
      "  if [[ $verb == debug ]]; then\n"
      "    if ((COMP_CWORD == 2)); then COMPREPLY=($(compgen -W \"vt man\" -- \"$cur\")); return; fi\n"
      "    verb=\"debug ${COMP_WORDS[2]}\"\n  fi\n";
  out += "  case \"$verb\" in\n";
  for (const auto& verb : verbs()) out += bash_case(verb);
  return out + "  esac\n}\ncomplete -F _hold hold\n";
}

// Text inside single quotes of a shell; zsh's own marks in descriptions are taken off.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      out += ' ';
    else if (c == '\\')
      out += "\\\\";
    else
      out += c;
  }
  return out;
}

std::string zsh_action(Completes completes, std::string_view value) {
  const std::string label = quoted(value.empty() ? "value" : value);
  switch (completes) {
    case Completes::nothing:
      return ":" + label + ": ";
    case Completes::session:
    case Completes::living_session:
    case Completes::ended_session:
      // Led by a blank: called with these words and no other.
      return ":" + label + ": _hold_sessions " + std::string(names_option(completes));
    case Completes::file:
      return ":" + label + ":_files";
    case Completes::directory:
      return ":" + label + ":_files -/";
    case Completes::key:
      return ":" + label + ":(" + joined(key_names(), " ") + " ctrl-c alt-x)";
    case Completes::detach_key:
      return ":" + label + ": _hold_detach_keys";
    case Completes::shell:
      return ":" + label + ":(bash zsh fish)";
    case Completes::format:
      return ":" + label + ":(plain vt html json)";
  }
  return {};
}

std::string zsh_case(const VerbRow& verb) {
  std::string out = "    (" + names_of(verb) + ")\n      _arguments -S '--help[this text]'";
  if (verb.name.find(' ') != std::string_view::npos)
    out = "    ('" + std::string(verb.name) + "')\n      _arguments -S '--help[this text]'";
  for (const auto& row : verb.options) {
    const std::string repeat = row.repeats ? "*" : "";
    const std::string action = row.value.empty() ? "" : zsh_action(row.completes, row.value);
    const std::string equals = row.value.empty() ? "" : "=";
    out += " \\\n        '" + repeat + std::string(row.name) + equals + "[" + quoted(row.help) + "]" + action + "'";
    if (row.letter != 0) {
      out += " \\\n        '" + repeat + "-" + row.letter + "[" + quoted(row.help) + "]" + action + "'";
    }
  }
  if (!verb.operand.value.empty()) {
    out += " \\\n        '" + std::string(verb.operand.max < 0 ? "*" : "1") +
           zsh_action(verb.operand.completes, verb.operand.value) + "'";
  }
  return out + "\n      ;;\n";
}

std::string zsh_script() {
  std::string out = "#compdef hold\n# zsh completion for hold\n";
  out +=
      "_hold_sessions() {\n  local -a names named\n  names=(${(f)\"$(hold ls --names $@ 2>/dev/null)\"})\n"
      "  named=(${words[1,CURRENT-1]})\n  names=(${names:|named})\n  compadd -a names\n}\n";
  out += "_hold_detach_keys() {\n  compadd -- '" + joined(detach_keys(), "' '") + "'\n}\n";
  out += "_hold() {\n  local verb\n  if (( CURRENT == 2 )) && [[ $PREFIX == -* ]]; then compadd -- --help --version; return; fi\n";
  out += "  if (( CURRENT == 2 )); then\n    local -a all; all=(\n";
  for (const auto& verb : verbs()) {
    if (verb.name.find(' ') == std::string_view::npos)
      out += "      '" + std::string(verb.name) + ":" + quoted(verb.summary) + "'\n";
  }
  out += "      'debug:for tests and the curious'\n    )\n    _describe verb all\n    return\n  fi\n";
  out +=
      "  local dashes=${words[(i)--]}\n"
      "  if (( dashes < CURRENT )); then shift $dashes words; (( CURRENT -= dashes )); _normal; return; fi\n";
  out +=
      "  verb=$words[2]\n"
      "  if [[ $verb == debug ]]; then\n"
      "    if (( CURRENT == 3 )); then compadd vt man; return; fi\n"
      "    verb=\"debug $words[3]\"; shift words; (( CURRENT -= 1 ))\n  fi\n"
      "  shift words; (( CURRENT -= 1 ))\n";
  out += "  case \"$verb\" in\n";
  for (const auto& verb : verbs()) out += zsh_case(verb);
  // Autoloaded, this file is the function: what it defines is then called at once.
  return out + "  esac\n}\nif [[ ${funcstack[1]} == _hold ]]; then _hold \"$@\"; else compdef _hold hold; fi\n";
}

std::string fish_argument(Completes completes) {
  switch (completes) {
    case Completes::nothing:
      return " -x";
    case Completes::session:
    case Completes::living_session:
    case Completes::ended_session:
      return " -xa '(__hold_sessions " + std::string(names_option(completes)) + ")'";
    case Completes::file:
      return " -rF";
    case Completes::directory:
      return " -xa '(__fish_complete_directories)'";
    case Completes::key:
      return " -xa '" + joined(key_names(), " ") + " ctrl-c alt-x'";
    case Completes::detach_key:
      return " -xa '" + escaped(joined(detach_keys(), " "), 2) + "'";
    case Completes::shell:
      return " -xa 'bash zsh fish'";
    case Completes::format:
      return " -xa 'plain vt html json'";
  }
  return {};
}

std::string fish_description(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return " -d '" + out + "'";
}

std::string fish_script() {
  std::string out =
      "# fish completion for hold\n"
      "function __hold_sessions  # names that are not in the line yet\n"
      "    for name in (hold ls --names $argv 2>/dev/null)\n"
      "        contains -- $name (commandline -opc); or echo $name\n    end\nend\n"
      "complete -c hold -f\n"
      "complete -c hold -n __fish_use_subcommand -l help -d 'all verbs'\n"
      "complete -c hold -n __fish_use_subcommand -l version -d 'print the version'\n";
  for (const auto& verb : verbs()) {
    const std::size_t space = verb.name.find(' ');
    const std::string word(verb.name.substr(0, space));
    if (space == std::string_view::npos) {
      out += "complete -c hold -n __fish_use_subcommand -a " + word + fish_description(verb.summary) + "\n";
    } else {
      const std::string second(verb.name.substr(space + 1));
      out += "complete -c hold -n '__fish_seen_subcommand_from " + word + "' -a " + second +
             fish_description(verb.summary) + "\n";
    }
    const std::string seen = space == std::string_view::npos ? word : std::string(verb.name.substr(space + 1));
    std::string condition = " -n '__fish_seen_subcommand_from " + seen;
    if (!verb.alias.empty()) condition += " " + std::string(verb.alias);
    condition += "'";
    for (const auto& row : verb.options) {
      out += "complete -c hold" + condition + " -l " + std::string(row.name.substr(2));
      if (row.letter != 0) out += std::string(" -s ") + row.letter;
      if (!row.value.empty()) out += fish_argument(row.completes);
      out += fish_description(row.help) + "\n";
    }
    if (verb.operand.completes != Completes::nothing) {
      out += "complete -c hold" + condition +
             (verb.operand.completes == Completes::file ? " -F" : fish_argument(verb.operand.completes)) + "\n";
    }
  }
  out += "complete -c hold -n __fish_use_subcommand -a debug -d 'for tests and the curious'\n";
  return out;
}

}  // namespace

Result<std::string> completion_script(std::string_view shell) {
  if (shell == "bash") return bash_script();
  if (shell == "zsh") return zsh_script();
  if (shell == "fish") return fish_script();
  return fail(ErrorKind::usage, "make a completion script for '" + std::string(shell) + "'",
              "there is none for that shell", "write bash, zsh or fish");
}

}  // namespace holdfast::cli
