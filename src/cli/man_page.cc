#include "cli/man_page.h"

#include "cli/help.h"
#include "cli/verbs.h"

namespace holdfast::cli {

namespace {

// Text as roff takes it: backslashes and dashes are themselves, no line begins a macro. Only ASCII: in a locale that is
// not UTF-8 troff warns of any other character and leaves it out.
std::string roff(std::string_view text) {
  constexpr std::string_view kEllipsis = "…";
  std::string out;
  bool line_start = true;
  while (!text.empty()) {
    if (text.starts_with(kEllipsis)) {
      out += line_start ? "\\&..." : "...";
      text.remove_prefix(kEllipsis.size());
      line_start = false;
      continue;
    }
    const char c = text[0];
    text.remove_prefix(1);
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
  // What stands in brackets is not torn apart.
  std::string usage;
  for (const auto& word : usage_words(verb)) {
    if (!usage.empty()) usage += ' ';
    for (const char c : roff(word)) usage += c == ' ' ? "\\ " : std::string(1, c);
  }
  out += ".B " + usage + "\n.PP\n";
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
  out += ".SH SYNOPSIS\n.B hold\n.br\n.B hold\n.I VERB\n\\&...\n";
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
  out += ".PP\n" + roff(detach_key_sentence()) + "\n";
  out += ".SH VERBS\n";
  for (const auto& verb : verbs()) out += verb_section(verb);
  out += ".SH \"EXIT STATUS\"\n";
  for (const auto& row : exit_codes()) out += tagged(std::to_string(row.code), row.meaning);
  out += ".SH ENVIRONMENT\n";
  for (const auto& row : variables()) out += tagged(row.name, row.meaning);
  out += ".SH FILES\n";
  out += tagged("$XDG_CONFIG_HOME/holdfast/config.toml", "settings: history, flow, the detach key");
  out += tagged("$XDG_STATE_HOME/holdfast/sessions/", "one directory a session");
  out += ".SH \"SEE ALSO\"\n" + roff("The pages in share/doc/holdfast, beside the bin of the hold that is installed: cli.md "
                                    "(verbs, exit codes, JSON), config.md (settings), files.md (what lies where).") +
         "\n";
  return out;
}

}  // namespace holdfast::cli
