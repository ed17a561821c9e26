#include "cli/roster_text.h"

#include <doctest/doctest.h>

#include <csignal>
#include <sstream>

using namespace holdfast;
using namespace holdfast::cli;
using client::Presence;

namespace {

constexpr std::int64_t kNow = 1'767'225'600'000;

client::RosterEntry session(const std::string& name, Presence presence = Presence::running) {
  client::RosterEntry entry;
  entry.presence = presence;
  entry.info.name = name;
  entry.info.id = "01h" + name;
  entry.info.state = "unknown";
  entry.info.argv = {"/usr/bin/vim", "my notes.txt"};
  entry.info.cwd = "/home/mara/projects/holdfast/docs";
  entry.info.created_ms = kNow - 2 * 3'600'000;
  return entry;
}

std::string text(const std::vector<client::RosterEntry>& entries, int width, bool all = false) {
  RosterStyle style{{width > 0, false, width}, "/home/mara", kNow, "", all};
  return roster_text(entries, style);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("one line a session, with all that fits 200 columns") {
  auto entry = session("notes");
  entry.info.clients = 2;
  entry.info.title = "my notes";
  CHECK(text({entry}, 200) ==
        "notes  running  2h  2 attached  vim 'my notes.txt'  ~/projects/holdfast/docs  my notes\n");
}

TEST_CASE("the session one is in is marked, and only that one") {
  RosterStyle style{{}, "/home/mara", kNow, "01hinner", false};
  CHECK(roster_text({session("inner"), session("other")}, style) ==
        "inner  running (this one)  2h  vim 'my notes.txt'  ~/projects/holdfast/docs\n"
        "other  running             2h  vim 'my notes.txt'  ~/projects/holdfast/docs\n");
}

TEST_CASE("columns stand below each other and no line ends in blanks") {
  auto first = session("a");
  first.info.clients = 1;
  auto second = session("longer-name", Presence::not_responding);
  CHECK(text({first, second}, 200) ==
        "a            running         2h  1 attached  vim 'my notes.txt'  ~/projects/holdfast/docs\n"
        "longer-name  not responding  2h              vim 'my notes.txt'  ~/projects/holdfast/docs\n");
}

TEST_CASE("40 columns are never passed, and name and state are always whole") {
  for (const int width : {20, 30, 40, 60, 80}) {
    auto entry = session("a-name-of-twenty-ab");
    entry.info.clients = 12;
    entry.info.title = "a title 日本語日本語日本語日本語";
    const auto lines = lines_of(text({entry, session("b")}, width));
    REQUIRE(lines.size() == 2);
    for (const auto& line : lines) CHECK(display_width(line) <= static_cast<std::size_t>(width));
    if (width < 30) continue;
    CHECK(lines[0].starts_with("a-name-of-twenty-ab  running"));
  }
}

TEST_CASE("the directory is what the program said last, as a path") {
  wire::Info info;
  info.cwd = "/start";
  CHECK(directory_of(info) == "/start");
  info.working_directory = "file://host/tmp/some%20where";
  CHECK(directory_of(info) == "/tmp/some where");
  info.working_directory = "file:///a%2";
  CHECK(directory_of(info) == "/a%2");
  info.working_directory = "/plain";
  CHECK(directory_of(info) == "/plain");
  for (const char* odd : {"file://host", "http://x/y", "nonsense"}) {
    info.working_directory = odd;
    CHECK(directory_of(info) == "/start");
  }
}

TEST_CASE("a state that does not fit is cut, never left out") {
  auto done = session("a-name-of-twenty-six-chars", Presence::exited);
  done.info.has_exit = true;
  done.info.exit_signal = SIGKILL;
  CHECK(text({done}, 40, true) == "a-name-of-twenty-six-chars  exited SIGK…\n");
}

TEST_CASE("an endless command leaves room for directory and title") {
  auto entry = session("x");
  entry.info.argv = {"sh", "-c", std::string(300, 'y')};
  entry.info.title = "my title";
  const auto line = lines_of(text({entry}, 120))[0];
  CHECK(display_width(line) == 120);
  CHECK(line.find("  ~/projects/holdfast/docs  my title") != std::string::npos);
}

TEST_CASE("not on a terminal nothing is cut") {
  auto entry = session("x");
  entry.info.argv = {"/bin/sh", "-c", std::string(3000, 'y')};
  CHECK(text({entry}, 0).size() > 3000);
}

TEST_CASE("what programs say is never sent to the terminal as it is") {
  auto entry = session("x");
  entry.info.title =
      "a\x1b[2Jb\nc\x9b"
      "d";
  entry.info.argv = {"sh", "-c", "echo \x1b]0;x\x07"};
  const std::string out = text({entry}, 200);
  CHECK(out.find('\x1b') == std::string::npos);
  CHECK(out.find('\x07') == std::string::npos);
  CHECK(lines_of(out).size() == 1);
}

TEST_CASE("exited sessions are folded into one line, and shown with --all") {
  auto done = session("done", Presence::exited);
  done.info.has_exit = true;
  done.info.exit_code = 3;
  done.info.ended_ms = kNow - 60'000;
  auto killed = session("killed", Presence::exited);
  killed.info.has_exit = true;
  killed.info.exit_signal = SIGKILL;
  CHECK(text({done, session("x"), killed}, 200) ==
        "x  running  2h  vim 'my notes.txt'  ~/projects/holdfast/docs\n"
        "2 exited: done, killed  (hold ls --all)\n");
  const auto lines = lines_of(text({done, killed}, 200, true));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("done    exited 3        1m"));
  CHECK(lines[1].starts_with("killed  exited SIGKILL  2h"));
}

TEST_CASE("the folded line fits, too") {
  std::vector<client::RosterEntry> entries;
  for (int i = 0; i < 50; ++i) entries.push_back(session("session-" + std::to_string(i), Presence::exited));
  const auto lines = lines_of(text(entries, 40));
  REQUIRE(lines.size() == 1);
  CHECK(display_width(lines[0]) <= 40);
  CHECK(lines[0].starts_with("50 exited: session-"));
  CHECK(lines[0].ends_with("(hold ls --all)"));
}

TEST_CASE("only the state is coloured, and marks show in it") {
  auto entry = session("x");
  entry.info.marks = {"rebuilt"};
  RosterStyle style{{true, true, 200}, "/home/mara", kNow, "", false};
  CHECK(roster_text({entry}, style) ==
        "x  \x1b[33mrunning rebuilt\x1b[0m  2h  vim 'my notes.txt'  ~/projects/holdfast/docs\n");
}
