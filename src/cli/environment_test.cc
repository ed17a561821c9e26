#include "cli/environment.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace holdfast::cli;

namespace {

const std::vector<std::string> kOuter{"PATH=/bin",
                                      "HOME=/root",
                                      "TERM=xterm-kitty",
                                      "TERM_PROGRAM=kitty",
                                      "TERM_PROGRAM_VERSION=0.40",
                                      "TMUX=/tmp/x,1,0",
                                      "TMUX_PANE=%1",
                                      "LINES=24",
                                      "COLUMNS=80",
                                      "CLAUDECODE=1",
                                      "HOLDFAST_SESSION=old",
                                      "HOLDFAST_RUNTIME_DIR=/run/x",
                                      "HOLDFAST_TEST=7",
                                      "PWD=/old",
                                      "VTE_VERSION=7",
                                      "=odd",
                                      "LANG=de_DE.UTF-8"};

SessionIdentity session() {
  SessionIdentity identity;
  identity.id = "01new";
  identity.name = "new";
  identity.socket = "/run/s/01new.sock";
  identity.directory = "/work";
  return identity;
}

std::string get(const std::vector<std::string>& environment, std::string_view key) {
  return environment_value(environment, key);
}
bool has(const std::vector<std::string>& environment, std::string_view key) {
  return std::ranges::any_of(environment, [&](const std::string& e) { return e.starts_with(std::string(key) + "="); });
}

const HasTerminfo kAll = [](std::string_view) { return true; };
const HasTerminfo kNone = [](std::string_view) { return false; };

}  // namespace

TEST_CASE("marks of multiplexers, agents and an outer session do not get in; settings and test marks do") {
  const auto environment = session_environment(kOuter, session(), kAll);
  for (const char* key : {"TMUX", "TMUX_PANE", "LINES", "COLUMNS", "CLAUDECODE", "VTE_VERSION"}) {
    CAPTURE(key);
    CHECK_FALSE(has(environment, key));
  }
  CHECK(get(environment, "PATH") == "/bin");
  CHECK(get(environment, "LANG") == "de_DE.UTF-8");
  CHECK(get(environment, "HOLDFAST_RUNTIME_DIR") == "/run/x");
  CHECK(get(environment, "HOLDFAST_TEST") == "7");
  CHECK(get(environment, "HOLDFAST_SESSION") == "01new");
  CHECK(get(environment, "HOLDFAST_NAME") == "new");
  CHECK(get(environment, "HOLDFAST_SOCK") == "/run/s/01new.sock");
  CHECK(get(environment, "PWD") == "/work");
}

TEST_CASE("started detached it is ghostty, by the terminfo that is there") {
  const auto rich = session_environment(kOuter, session(), kAll);
  CHECK(get(rich, "TERM") == "xterm-ghostty");
  CHECK(get(rich, "TERM_PROGRAM") == "ghostty");
  CHECK(get(rich, "TERM_PROGRAM_VERSION") == "1.2.0");
  CHECK(get(rich, "COLORTERM") == "truecolor");
  CHECK(get(session_environment(kOuter, session(), kNone), "TERM") == "xterm-256color");
}

TEST_CASE("started attached it is the person's terminal, if its terminfo is there") {
  auto identity = session();
  identity.attached = true;
  const auto same = session_environment(kOuter, identity, kAll);
  CHECK(get(same, "TERM") == "xterm-kitty");
  CHECK(get(same, "TERM_PROGRAM") == "kitty");
  CHECK(get(same, "VTE_VERSION") == "7");
  const auto unknown = session_environment(kOuter, identity, kNone);
  CHECK(get(unknown, "TERM") == "xterm-256color");
  CHECK(get(unknown, "TERM_PROGRAM") == "ghostty");
}

TEST_CASE("--env wins over all but the session's identity, and no key stands twice") {
  auto identity = session();
  identity.extra = {{"TERM", "vt100"}, {"PATH", "/mine"}, {"EMPTY", ""}, {"HOLDFAST_SESSION", "forged"}};
  const auto environment = session_environment(kOuter, identity, kAll);
  CHECK(get(environment, "TERM") == "vt100");
  CHECK(get(environment, "PATH") == "/mine");
  CHECK(has(environment, "EMPTY"));
  CHECK(get(environment, "HOLDFAST_SESSION") == "01new");
  for (const auto& entry : environment) {
    const std::string key = entry.substr(0, entry.find('=') + 1);
    CAPTURE(key);
    CHECK(std::ranges::count_if(environment, [&](const std::string& e) { return e.starts_with(key); }) == 1);
  }
}

TEST_CASE("terminfo names that are paths are never looked up") {
  CHECK(terminfo_installed("xterm"));
  CHECK_FALSE(terminfo_installed(""));
  CHECK_FALSE(terminfo_installed("../x/xterm"));
  CHECK_FALSE(terminfo_installed("no-such-terminal"));
}

TEST_CASE("only known variables are told to the holder, and no endless ones") {
  const auto tracked = tracked_variables({"SSH_AUTH_SOCK=/tmp/a", "SECRET=x", "DISPLAY=" + std::string(5000, 'x')});
  REQUIRE(tracked.size() == 1);
  CHECK(tracked[0].first == "SSH_AUTH_SOCK");
  CHECK(tracked[0].second == "/tmp/a");
}
