#include "cli/attach_session.h"

#include <doctest/doctest.h>

#include <csignal>

#include "cli/session_access.h"

using namespace holdfast;
using namespace holdfast::cli;
using Why = client::AttachEnd::Why;

namespace {

client::AttachEnd end_of(Why why) { return {why, {}, {}, 0}; }

client::AttachEnd ended(int code, int signal) {
  client::AttachEnd end{Why::ended, {}, wire::ExitEvent{}, 0};
  end.exit->code = code;
  end.exit->signal = signal;
  return end;
}

}  // namespace

TEST_CASE("after an attachment one line says why, what still runs and how to return") {
  CHECK(ending_line(end_of(Why::detached), "build") ==
        "detached from build; it still runs, back with: hold attach build");
  CHECK(ending_line({Why::sent_away, "kicked", {}, 0}, "build") ==
        "detached from build (sent away by hold detach); it still runs, back with: hold attach build");
  CHECK(ending_line({Why::sent_away, "removed", {}, 0}, "build") == "build was removed");
  CHECK(ending_line(ended(3, 0), "build") ==
        "build has ended: exit code 3; its last screen stays: hold read build, gone with: hold rm build");
  CHECK(ending_line(ended(-1, SIGSEGV), "build").starts_with("build has ended: killed by SIGSEGV; "));
  CHECK(ending_line({Why::signal, {}, {}, SIGTERM}, "build") ==
        "ended by SIGTERM, detached from build; it still runs, back with: hold attach build");
  CHECK(ending_line({Why::lost, "its holder\x1b went away", {}, 0}, "b").find('\x1b') == std::string::npos);
  CHECK(ending_line(end_of(Why::terminal_gone), "build").empty());
}

TEST_CASE("of a screen that may not have been exact a line says so, and where the reason stands") {
  CHECK(rebuilt_line("build") ==
        "the screen of build was put together again after a crash, and may not have been exact; why: hold info build");
}

TEST_CASE("the exit code of an attachment tells leaving from a program that failed") {
  CHECK(ending_code(end_of(Why::detached)) == 0);
  CHECK(ending_code(end_of(Why::sent_away)) == 0);
  CHECK(ending_code(ended(0, 0)) == 0);
  CHECK(ending_code(ended(1, 0)) == 5);
  CHECK(ending_code(ended(-1, SIGKILL)) == 5);
  CHECK(ending_code({Why::ended, {}, {}, 0}) == 5);
  CHECK(ending_code(end_of(Why::lost)) == 1);
  CHECK(ending_code(end_of(Why::signal)) == 1);
}

TEST_CASE("how a program ended is said in words") {
  CHECK(ending_text(0, 0, "") == "exit code 0");
  CHECK(ending_text(-1, SIGKILL, "it was ended by SIGKILL") == "killed by SIGKILL");
  CHECK(ending_text(-1, 0, "") == "its exit code is not known");
  CHECK(ending_text(-1, 0, "its exit code is not known because the keeper was gone") ==
        "its exit code is not known because the keeper was gone");
  CHECK(ending_text(-1, 0, "the keeper\x07 vanished") == "its exit code is not known (the keeper\uFFFD vanished)");
}
