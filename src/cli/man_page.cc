#include "cli/man_page.h"

#include "cli/help.h"
#include "cli/verbs.h"

namespace holdfast::cli {

namespace {

// Text as roff takes it: backslashes and dashes are themselves, no line begins a macro.
std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    line_start = c == '\n';
  }
  return out;
}

std::string tagged(std::string_view tag, std::string_view text) {
  return ".TP\n.B " + roff(tag) + "\n" + roff(text) + "\n";
}

std::string verb_section(const VerbRow& verb) {
  std::string out = ".SS \"" + roff(std::string("hold ") + std::string(verb.name)) + "\"\n";
  out += ".B " + roff(usage_of(verb)) + "\n.PP\n";
  std::string summary(verb.summary);
  summary[0] = static_cast<char>(summary[0] - 'a' + 'A');
  out += roff(summary) + ".\n";
  if (!verb.description.empty()) out += roff(verb.description) + "\n";
  if (!verb.alias.empty()) out += roff("It may also be written hold " + std::string(verb.alias) + ".") + "\n";
  for (const auto& row : verb.options) out += tagged(option_label(row), row.help);
  out += ".PP\nExample:\n.PP\n.nf\n.RS\n" + roff(verb.example) + "\n.RE\n.fi\n";
  return out;
}

}  // namespace

std::string man_page() {
  std::string out = ".TH HOLD 1 \"\" \"hold " HOLDFAST_VERSION "\" \"User Commands\"\n";
  out += ".SH NAME\nhold \\- keep programs running without a terminal, and bring their screens back exactly\n";
  out += ".SH SYNOPSIS\n.B hold\n.br\n.B hold\n.I VERB\n…\n";
  out += ".SH DESCRIPTION\n";
  out += roff(
             "hold starts a program in a session of its own. The terminal may go away; who comes back finds the same "
             "screen, cursor, modes and history, whatever the program printed meanwhile.") +
         "\n.PP\n";
  out +=
      roff(
          "Without a verb the sessions are listed; with exactly one that nobody is attached to, and a terminal, hold "
          "offers to attach.") +
      "\n";
  out += ".SH VERBS\n";
  for (const auto& verb : verbs()) out += verb_section(verb);
  out += ".SH \"EXIT STATUS\"\n";
  for (const auto& row : exit_codes()) out += tagged(std::to_string(row.code), row.meaning);
  out += ".SH ENVIRONMENT\n";
  for (const auto& row : variables()) out += tagged(row.name, row.meaning);
  out += ".SH FILES\n";
  out += tagged("$XDG_CONFIG_HOME/holdfast/config.toml", "settings: history, flow, the detach key");
  out += tagged("$XDG_STATE_HOME/holdfast/sessions/", "one directory a session");
  return out;
}

}  // namespace holdfast::cli
