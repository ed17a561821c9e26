#include "cli/verbs.h"

#include <algorithm>
#include <array>

namespace holdfast::cli {

namespace {

constexpr OptionRow flag(std::string_view name, char letter, std::string_view help) {
  return {name, letter, {}, false, Completes::nothing, help};
}
constexpr OptionRow option(std::string_view name, char letter, std::string_view value, std::string_view help,
                           Completes completes = Completes::nothing) {
  return {name, letter, value, false, completes, help};
}
constexpr OptionRow list(std::string_view name, char letter, std::string_view value, std::string_view help,
                         Completes completes = Completes::nothing) {
  return {name, letter, value, true, completes, help};
}

constexpr OptionRow kJson = flag("--json", 0, "answer in JSON (shapes: share/doc/holdfast/cli.md)");
constexpr OptionRow kDetachKey =
    option("--detach-key", 0, "KEY", "the key that leaves: ctrl-\\ (default), ctrl-x, …, or none", Completes::detach_key);
constexpr OptionRow kName = option("--name", 'n', "NAME", "its name; default: command and directory");
constexpr OptionRow kCwd = option("--cwd", 'C', "DIR", "start in DIR instead of here", Completes::directory);
constexpr OptionRow kEnv = list("--env", 'e', "KEY=VALUE", "set a variable for the program; may be given again");
constexpr OptionRow kLabel = list("--label", 'l', "KEY=VALUE", "a note on the session; may be given again");
constexpr OptionRow kSize =
    option("--size", 0, "COLSxROWS", "the size until somebody attaches; default: this terminal's");

constexpr std::array kNewOptions{
    kName, flag("--detached", 'd', "start it and come back; do not attach"), kCwd, kEnv, kLabel, kSize, kDetachKey,
    kJson};
constexpr std::array kAttachOptions{
    flag("--observe", 'o', "only watch: nothing typed reaches the program, and its size stays"),
    flag("--create", 'c', "start the session first if there is none of this name"),
    kCwd,
    kEnv,
    kLabel,
    kDetachKey};
constexpr std::array kLsOptions{flag("--all", 'a', "also sessions whose program has ended"),
                                flag("--exited", 0, "only sessions whose program has ended"),
                                flag("--names", 0, "only names, one a line; asks nobody, so it is always quick"),
                                kJson};
constexpr std::array kInfoOptions{kJson};
constexpr std::array kDetachOptions{kJson};
constexpr std::array kKillOptions{
    flag("--rm", 0, "remove the session, too: its final screen is gone then"),
    option("--grace", 0, "SECONDS", "time to end by itself before it is forced; default 3"), kJson};
constexpr std::array kRmOptions{flag("--exited", 0, "all sessions whose program has ended"), kJson};
constexpr std::array kReadOptions{
    option("--rows", 0, "N", "the last N rows of what is written, history included"),
    flag("--all", 'a', "the whole history, too"),
    option("--format", 'f', "FORMAT", "plain (default), vt, html or json", Completes::format),
    flag("--unwrap", 0, "join rows that the terminal wrapped"), flag("--json", 0, "the same as --format json")};
constexpr std::array kSearchOptions{
    flag("--ignore-case", 'i', "capital letters are as small ones"),
    flag("--count", 'c', "print only how many lines match"),
    option("--limit", 0, "N", "print the newest N lines that match; default 1000"), kJson};
constexpr std::array kSendOptions{
    list("--key", 'k', "KEY",
         "press a key after the text; may be given again", Completes::key),
    flag("--enter", 0, "press Enter at the end"), flag("--stdin", 0, "type what comes on standard input"), kJson};
constexpr std::array kVersionOptions{kJson};
constexpr std::array kDebugVtOptions{
    option("--cols", 0, "N", "columns; default 80"),
    option("--rows", 0, "N", "rows; default 24"),
    option("--scrollback", 0, "N", "rows of history; default 1000"),
    list("--resize", 0, "CxR@OFFSET", "resize after that many bytes; may be given again"),
    flag("--stream", 0, "length-prefixed cases on standard input, one answer each"),
    flag("--restore", 0, "add the bytes of the restore and the binary snapshot, in base64"),
    option("--format", 0, "FORMAT", "print vt, plain, html or json text instead of the canonical object",
           Completes::format),
    option("--profile", 0, "PROFILE", "whose answers to give and whose limits to have: ghostty (default) or xterm"),
    option("--graphemes", 0, "on|off",
           "whether mode 2027 is on at the start; default: as the profile has it (ghostty on, xterm off)"),
    flag("--resizable", 0, "the program may set the size (CSI 8 t, DECCOLM), as it always may with --host"),
    flag("--title-reports", 0, "answer CSI 20 t and 21 t, which a session never does"),
    flag("--plain-checksums", 0, "DECRQCRA counts characters and leaves their attributes out"),
    flag("--host", 0, "run the command behind -- on a terminal whose other side is the engine"),
    option("--dump", 0, "FILE", "with --host: write the canonical object of the last screen there", Completes::file)};

constexpr OperandRow kNoOperand{{}, 0, 0, Completes::nothing};
constexpr OperandRow kOneSession{"NAME", 1, 1, Completes::session};

constexpr std::array kVerbs{
    VerbRow{
        "new", "", "start a program in a session of its own",
        "Starts the command behind --, or your login shell, on a terminal of its own, and attaches to it. The program "
        "lives on when the terminal goes away. With -d it starts in the background; without a terminal -d is needed.",
        "hold new -- vim notes.txt\nhold new -d --name build -- make -j8", kNewOptions, kNoOperand, Rest::command,
        run_new},
    VerbRow{
        "attach", "a", "join a session",
        "Shows the session's screen exactly as it is, and its history in the terminal's own scrollback. The detach key "
        "(Ctrl-\\) leaves; pressed twice it is sent to the program. Without NAME the only detached session is meant. "
        "With --create an unknown name starts the session: the command behind --, or your login shell. When the "
        "program "
        "of a session has ended, its final screen is printed and the exit code is 5.",
        "hold attach build\nhold attach build --observe\nhold attach work --create", kAttachOptions,
        OperandRow{"NAME", 0, 1, Completes::session}, Rest::command, run_attach},
    VerbRow{"ls", "ps", "list the sessions",
            "One line a session: name, state, age, how many are attached, command, directory, title. Sessions whose "
            "program "
            "has ended are folded into one line unless --all is given.",
            "hold ls\nhold ls --json", kLsOptions, kNoOperand, Rest::none, run_ls},
    VerbRow{"info", "", "show one session's record", "", "hold info build\nhold info build --json", kInfoOptions,
            kOneSession, Rest::none, run_info},
    VerbRow{
        "detach", "", "send away everyone who is attached",
        "The program goes on; each terminal that was attached gets its own screen back. Inside a session NAME may be "
        "left out: it is the one you are in.",
        "hold detach build", kDetachOptions, OperandRow{"NAME", 0, 1, Completes::session}, Rest::none, run_detach},
    VerbRow{"kill", "", "end a session's program",
            "The program and everything it started get the hangup of a closed terminal, and after the grace time are "
            "killed. "
            "The session stays, with its final screen and exit code, until hold rm.",
            "hold kill build\nhold kill build --rm", kKillOptions, OperandRow{"NAME", 1, -1, Completes::living_session},
            Rest::none, run_kill},
    VerbRow{"rm", "", "remove sessions whose program has ended",
            "A session that still runs is not removed: hold kill --rm does both.", "hold rm build\nhold rm --exited",
            kRmOptions, OperandRow{"NAME", 0, -1, Completes::ended_session}, Rest::none, run_rm},
    VerbRow{"read", "", "print a session's screen and history", "Nothing is disturbed: nobody needs to be attached.",
            "hold read build\nhold read build --all | less -R\nhold read build --format html > screen.html",
            kReadOptions, kOneSession, Rest::none, run_read},
    VerbRow{"search", "", "find lines in a session's screen and history",
            "Prints each line that REGEX (RE2's syntax) matches, with its row: hold read NAME --rows ROW begins there. A "
            "line that the terminal wrapped is one line. While the alternate screen is shown only that is searched. The exit "
            "code is 0 if a line matches and 1 if none does.",
            "hold search build 'error|warning' -i\nhold search build 'FAILED.*_test' --json", kSearchOptions,
            OperandRow{"NAME REGEX", 2, 2, Completes::session}, Rest::none, run_search},
    VerbRow{"send", "", "type into a session",
            "Types TEXT (words are joined by blanks), then presses the keys, as if somebody sat there; the one who is "
            "attached keeps the lead. Text that begins with - goes behind --. The keys: enter, esc, tab, backtab, space, "
            "backspace, up, down, left, right, home, end, insert, delete, pageup, pagedown, f1 to f12, and any one "
            "character; each with ctrl-, alt- or shift- before it where terminals have that, as ctrl-c and alt-x.",
            "hold send build make --enter\nhold send build --key ctrl-c\necho text | hold send build --stdin",
            kSendOptions, OperandRow{"NAME TEXT", 1, -1, Completes::session}, Rest::text, run_send},
    VerbRow{"version", "", "print the version", "", "hold version", kVersionOptions, kNoOperand, Rest::none,
            run_version},
    VerbRow{"completion",
            "",
            "print the completion script of a shell",
            "",
            "source <(hold completion bash)\nhold completion zsh > ~/.zfunc/_hold\n"
            "hold completion fish > ~/.config/fish/completions/hold.fish",
            {},
            OperandRow{"SHELL", 1, 1, Completes::shell},
            Rest::none,
            run_completion},
    VerbRow{"help",
            "",
            "explain a verb",
            "",
            "hold help attach",
            {},
            OperandRow{"VERB", 0, 2, Completes::nothing},
            Rest::none,
            run_help},
    VerbRow{"debug vt", "", "feed bytes to the terminal engine and print what it made of them",
            "Reads FILE, or standard input. Prints one canonical JSON object a case.",
            "printf 'a\\033[1mb' | hold debug vt --cols 20 --rows 3", kDebugVtOptions,
            OperandRow{"FILE", 0, 1, Completes::file}, Rest::command, run_debug_vt},
    VerbRow{"debug man",
            "",
            "print the manual page",
            "",
            "hold debug man | man -l -",
            {},
            kNoOperand,
            Rest::none,
            run_debug_man},
};

// What other programs call our verbs.
struct Synonym {
  std::string_view word, verb;
};
constexpr std::array kSynonyms{Synonym{"list", "ls"},     Synonym{"sessions", "ls"}, Synonym{"status", "ls"},
                               Synonym{"start", "new"},   Synonym{"run", "new"},     Synonym{"create", "new"},
                               Synonym{"join", "attach"}, Synonym{"resume", "attach"}, Synonym{"connect", "attach"},
                               Synonym{"leave", "detach"}, Synonym{"stop", "kill"},  Synonym{"end", "kill"},
                               Synonym{"remove", "rm"},   Synonym{"delete", "rm"},   Synonym{"show", "read"},
                               Synonym{"cat", "read"},    Synonym{"grep", "search"}, Synonym{"find", "search"},
                                  Synonym{"type", "send"},   Synonym{"man", "help"}};

constexpr std::array kExitCodes{
    ExitCodeRow{0, "done"},
    ExitCodeRow{1, "failed: the message says why and what to do"},
    ExitCodeRow{2, "the call's words are wrong"},
    ExitCodeRow{3, "no such session"},
    ExitCodeRow{4, "no answer in time"},
    ExitCodeRow{5, "the session's program has ended"},
    ExitCodeRow{6, "refused: the session's state, your role or the version forbids it"},
    ExitCodeRow{7, "partly done: some of several sessions failed"},
    ExitCodeRow{8, "the outcome is not known"},
};

constexpr std::array kVariables{
    VariableRow{"HOLDFAST_RUNTIME_DIR", "where sockets lie; default $XDG_RUNTIME_DIR/holdfast or /tmp/holdfast-UID"},
    VariableRow{"XDG_STATE_HOME", "where sessions are recorded: holdfast/sessions in it; default ~/.local/state"},
    VariableRow{"XDG_CONFIG_HOME", "where holdfast/config.toml is; default ~/.config"},
    VariableRow{"SHELL", "the login shell that hold new starts"},
    VariableRow{"NO_COLOR", "when set, nothing is coloured"},
    VariableRow{"HOLDFAST_SESSION, HOLDFAST_NAME, HOLDFAST_SOCK", "set inside a session: its id, name and socket"},
};

}  // namespace

std::span<const VerbRow> verbs() { return kVerbs; }
std::span<const ExitCodeRow> exit_codes() { return kExitCodes; }
std::span<const VariableRow> variables() { return kVariables; }

const VerbRow* find_verb(std::string_view name) {
  for (const auto& verb : kVerbs) {
    if (verb.name == name || (!verb.alias.empty() && verb.alias == name)) return &verb;
  }
  return nullptr;
}

std::vector<const VerbRow*> verbs_of_group(std::string_view word) {
  std::vector<const VerbRow*> group;
  for (const auto& verb : kVerbs) {
    if (verb.name.size() > word.size() && verb.name.starts_with(word) && verb.name[word.size()] == ' ')
      group.push_back(&verb);
  }
  return group;
}

std::string advice_for_verb(std::string_view name, const std::string& call) {
  std::string written;
  for (const auto* verb : verbs_of_group(name.substr(0, name.find(' '))))
    written += (written.empty() ? "write " : " or ") + call + std::string(verb->name);
  if (!written.empty()) return written;
  const auto synonym = std::ranges::find(kSynonyms, name, &Synonym::word);
  if (synonym != kSynonyms.end()) return "did you mean: " + call + std::string(synonym->verb) + "?";
  std::vector<std::string_view> names;
  for (const auto& verb : kVerbs) {
    names.push_back(verb.name);
    names.push_back(verb.alias);
  }
  const auto similar = similar_word(name, names);
  return similar ? "did you mean: " + call + std::string(*similar) + "?" : "see: hold --help";
}

}  // namespace holdfast::cli
