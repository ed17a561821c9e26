#include "client/reply_filter_rule.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::client;
using Kind = wire::InputKind;

namespace {

constexpr Instant kStart{1'000'000'000};

bool passes(ReplyFilter& filter, Kind kind, std::string_view bytes, Duration at = 0ms) {
  return filter.pass({kind, bytes}, kStart + at);
}

}  // namespace

TEST_CASE("answers pass when nothing of ours is under way") {
  ReplyFilter filter;
  CHECK(passes(filter, Kind::reply, "\x1b[0n"));
  CHECK(passes(filter, Kind::reply, "\x1b[?0u"));
  CHECK(passes(filter, Kind::focus_in, "\x1b[I"));
}

TEST_CASE("answers and focus are swallowed from the restore until the fence; keys and mouse pass") {
  ReplyFilter filter;
  filter.restore_begins();
  CHECK_FALSE(passes(filter, Kind::reply, "\x1b[48;24;80;0;0t"));
  CHECK_FALSE(passes(filter, Kind::focus_in, "\x1b[I"));
  CHECK(passes(filter, Kind::key, "x"));
  CHECK(passes(filter, Kind::mouse, "\x1b[<0;1;1M"));
  CHECK(passes(filter, Kind::paste, "\x1b[200~x\x1b[201~"));
  filter.restore_written(kStart);
  CHECK_FALSE(filter.quiet());
  CHECK_FALSE(passes(filter, Kind::reply, "\x1b[?1;2c"));
  CHECK_FALSE(passes(filter, Kind::reply, "\x1b[0n"));  // the fence itself
  CHECK(filter.quiet());
  CHECK(passes(filter, Kind::reply, "\x1b[0n"));  // the program's own
  CHECK(passes(filter, Kind::focus_in, "\x1b[I"));
}

TEST_CASE("a terminal that never answers filters for 200 ms only") {
  ReplyFilter filter;
  filter.restore_begins();
  filter.restore_written(kStart);
  CHECK_FALSE(passes(filter, Kind::reply, "\x1b[?1;2c", 199ms));
  CHECK(passes(filter, Kind::reply, "\x1b[?1;2c", 200ms));
}

TEST_CASE("a fence answered late is still ours, once") {
  ReplyFilter filter;
  filter.restore_begins();
  filter.restore_written(kStart);
  CHECK_FALSE(passes(filter, Kind::reply, "\x1b[0n", 5s));
  CHECK(passes(filter, Kind::reply, "\x1b[0n", 5s));
}

TEST_CASE("two restores in a row wait for two fences") {
  ReplyFilter filter;
  filter.restore_written(kStart);
  filter.restore_written(kStart);
  CHECK_FALSE(passes(filter, Kind::reply, "\x1b[0n"));
  CHECK_FALSE(passes(filter, Kind::reply, "\x1b[?1;2c"));
  CHECK_FALSE(passes(filter, Kind::reply, "\x1b[0n"));
  CHECK(passes(filter, Kind::reply, "\x1b[?1;2c"));
}

TEST_CASE("the terminal's keyboard flags are learnt and the answer swallowed, the program's own answer passes") {
  ReplyFilter filter;
  CHECK(filter.keyboard_flags() == -1);
  filter.asked_own_questions();
  CHECK_FALSE(passes(filter, Kind::reply, "\x1b[?7u"));
  CHECK(filter.keyboard_flags() == 7);
  CHECK(passes(filter, Kind::reply, "\x1b[?1u"));
  CHECK(filter.keyboard_flags() == 7);
}

TEST_CASE("a terminal that answers the fence but not the flags does not know them; later flags are the program's") {
  ReplyFilter filter;
  filter.asked_own_questions();
  filter.restore_begins();
  filter.restore_written(kStart);
  CHECK_FALSE(passes(filter, Kind::reply, "\x1b[0n"));
  CHECK(passes(filter, Kind::reply, "\x1b[?1u"));
  CHECK(filter.keyboard_flags() == -1);
}

TEST_CASE("what the terminal says of mode 2027 is learnt and swallowed, the program's own answer passes") {
  ReplyFilter filter;
  CHECK(passes(filter, Kind::reply, "\x1b[?2027;1$y"));  // nothing of ours was asked
  filter.asked_own_questions();
  CHECK(passes(filter, Kind::reply, "\x1b[?2026;2$y"));
  CHECK(passes(filter, Kind::reply, "\x1b[?2027;9$y"));
  CHECK(filter.clusters() == ModeReport::not_known);
  CHECK_FALSE(passes(filter, Kind::reply, "\x1b[?2027;2$y"));
  CHECK(filter.clusters() == ModeReport::reset);
  CHECK(passes(filter, Kind::reply, "\x1b[?2027;1$y"));
  CHECK(filter.clusters() == ModeReport::reset);
}

TEST_CASE("a terminal that answers the fence but not mode 2027 does not know it; a later answer is the program's") {
  ReplyFilter filter;
  filter.asked_own_questions();
  filter.restore_begins();
  filter.restore_written(kStart);
  CHECK_FALSE(passes(filter, Kind::reply, "\x1b[0n"));
  CHECK(passes(filter, Kind::reply, "\x1b[?2027;1$y"));
  CHECK(filter.clusters() == ModeReport::not_known);
}
