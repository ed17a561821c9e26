#include "cli/environment.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/paths.h"
#include "base/text.h"
#include "wire/messages.h"

extern char** environ;

namespace holdfast::cli {

namespace {

// Said of the terminal or program around the session, and wrong inside it.
constexpr std::array<std::string_view, 19> kScrubbed{"TMUX",
                                                     "TMUX_PANE",
                                                     "STY",
                                                     "WINDOW",
                                                     "LINES",
                                                     "COLUMNS",
                                                     "CLAUDECODE",
                                                     "CLAUDE_PID",
                                                     "CODEX_SANDBOX",
                                                     "CODEX_CI",
                                                     "GEMINI_CLI",
                                                     "CURSOR_AGENT",
                                                     "OPENCODE",
                                                     "OPENCODE_PID",
                                                     "AIDER_PID",
                                                     "AGENT",
                                                     "ZELLIJ",
                                                     "ZMX_SESSION",
                                                     "ZELLIJ_SESSION_NAME"};
constexpr std::array<std::string_view, 2> kScrubbedPrefixes{"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"};

// Which terminal it is: kept when that terminal looks on, wrong otherwise.
constexpr std::array<std::string_view, 15> kTerminalMarks{
    "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERM_SESSION_ID",  "VTE_VERSION",      "KONSOLE_VERSION",
    "KITTY_PID",    "KITTY_WINDOW_ID",      "KITTY_LISTEN_ON",  "ITERM_SESSION_ID", "ITERM_PROFILE",
    "WT_SESSION",   "WEZTERM_PANE",         "ALACRITTY_SOCKET", "WINDOWID",         "GHOSTTY_SURFACE_ID"};

// Set by us whatever the outer environment or --env say.
constexpr std::string_view kOwnPrefix = "HOLDFAST_";
// Of ours, what a nested `hold` needs to find the same sessions.
constexpr std::string_view kRuntimeDirectory = "HOLDFAST_RUNTIME_DIR";
constexpr std::string_view kTestPrefix = "HOLDFAST_TEST";  // marks by which a test finds its processes

// Agents send their richest signals to this terminal, from this version on.
constexpr std::string_view kProgram = "ghostty", kProgramVersion = "1.2.0";
constexpr std::string_view kBestTerm = "xterm-ghostty", kUsualTerm = "xterm-256color";

constexpr std::array<std::string_view, 9> kTracked{"DISPLAY",         "SSH_AUTH_SOCK", "SSH_AGENT_PID",
                                                   "SSH_CONNECTION",  "WINDOWID",      "XAUTHORITY",
                                                   "KITTY_LISTEN_ON", "KITTY_PID",     "KITTY_WINDOW_ID"};

std::string_view key_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool among(std::string_view key, const auto& names) { return std::ranges::find(names, key) != names.end(); }

bool scrubbed(std::string_view key) {
  if (key.starts_with(kOwnPrefix)) return key != kRuntimeDirectory && !key.starts_with(kTestPrefix);
  if (among(key, kScrubbed)) return true;
  return std::ranges::any_of(kScrubbedPrefixes, [key](std::string_view prefix) { return key.starts_with(prefix); });
}

void set(std::vector<std::string>& environment, std::string_view key, std::string_view value) {
  std::string entry = std::string(key) + "=" + std::string(value);
  for (auto& old : environment) {
    if (key_of(old) != key) continue;
    old = std::move(entry);
    return;
  }
  environment.push_back(std::move(entry));
}

}  // namespace

std::string environment_value(const std::vector<std::string>& environment, std::string_view key) {
  for (const auto& entry : environment) {
    if (key_of(entry) == key && entry.size() > key.size()) return entry.substr(key.size() + 1);
  }
  return {};
}

std::vector<std::string> session_environment(const std::vector<std::string>& outer, const SessionIdentity& session,
                                             const HasTerminfo& has_terminfo) {
  const std::string outer_term = environment_value(outer, "TERM");
  const bool keep_terminal = session.attached && !outer_term.empty() && has_terminfo(outer_term);
  std::vector<std::string> environment;
  for (const auto& entry : outer) {
    const std::string_view key = key_of(entry);
    if (key.empty() || entry.find('=') == std::string::npos || scrubbed(key)) continue;
    if (!keep_terminal && among(key, kTerminalMarks)) continue;
    environment.push_back(entry);
  }
  if (!keep_terminal) {
    set(environment, "TERM", has_terminfo(kBestTerm) ? kBestTerm : kUsualTerm);
    set(environment, "TERM_PROGRAM", kProgram);
    set(environment, "TERM_PROGRAM_VERSION", kProgramVersion);
  }
  set(environment, "COLORTERM", "truecolor");
  set(environment, "PWD", session.directory);
  for (const auto& [key, value] : session.extra) set(environment, key, value);
  set(environment, "HOLDFAST_SESSION", session.id);
  set(environment, "HOLDFAST_NAME", session.name);
  set(environment, "HOLDFAST_SOCK", session.socket);
  return environment;
}

bool terminfo_installed(std::string_view term) {
  if (term.empty() || term.find('/') != std::string_view::npos || term.front() == '.') return false;
  std::vector<std::string> directories;
  const auto add = [&](const char* variable, std::string_view below) {
    if (const char* value = ::getenv(variable); value != nullptr && *value != '\0')
      directories.push_back(value + std::string(below));
  };
  add("TERMINFO", "");
  directories.push_back(paths::home_dir() + "/.terminfo");
  if (const char* list = ::getenv("TERMINFO_DIRS"); list != nullptr) {
    std::string_view rest = list;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      if (end != 0) directories.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  for (const char* usual :
       {"/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo", "/usr/local/share/terminfo"}) {
    directories.emplace_back(usual);
  }
  // Below a letter, or below its code in hexadecimal (file systems that do not tell cases apart).
  const std::string code = hex(term.substr(0, 1));
  return std::ranges::any_of(directories, [&](const std::string& directory) {
    const std::string name = "/" + std::string(term);
    return ::access((directory + "/" + term.front() + name).c_str(), R_OK) == 0 ||
           ::access((directory + "/" + code + name).c_str(), R_OK) == 0;
  });
}

std::vector<std::string> own_environment() {
  std::vector<std::string> list;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) list.emplace_back(*entry);
  return list;
}

std::vector<std::pair<std::string, std::string>> tracked_variables(const std::vector<std::string>& environment) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto key : kTracked) {
    std::string value = environment_value(environment, key);
    if (!value.empty() && value.size() <= wire::kEnvironmentBytesMax) out.emplace_back(key, std::move(value));
  }
  return out;
}

}  // namespace holdfast::cli
