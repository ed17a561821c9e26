#include "holder/query_rule.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::holder;

using Answers = std::vector<std::string>;
using Verdict = QueryRule::Verdict;

namespace {

constexpr Instant kNow{100'000'000'000};

}  // namespace

TEST_CASE("nobody leads: VTD answers") {
  QueryRule rule;
  rule.answered(10, "a", kNow);
  rule.answered(10, "b", kNow);
  rule.answered(20, "c", kNow);
  CHECK(rule.take(nullptr, kNow) == Answers{"a", "b", "c"});
  CHECK(rule.take(nullptr, kNow).empty());
}

TEST_CASE("the leader's terminal answers what it was sent live") {
  QueryRule rule;
  rule.live_from(100);
  rule.live_to(200);
  rule.answered(90, "before its snapshot", kNow);
  rule.answered(100, "in its snapshot", kNow);
  rule.answered(101, "sent", kNow);
  rule.answered(200, "sent too", kNow);
  CHECK(rule.take(nullptr, kNow) == Answers{"before its snapshot", "in its snapshot"});
  CHECK_FALSE(rule.has_pending());
}

TEST_CASE("a query the leader has not been sent yet waits") {
  QueryRule rule;
  rule.live_from(100);
  rule.answered(150, "a", kNow);
  rule.answered(160, "b", kNow);
  CHECK(rule.take(nullptr, kNow).empty());
  rule.live_to(155);
  CHECK(rule.take(nullptr, kNow).empty());
  CHECK(rule.has_pending());
  rule.live_over();
  CHECK(rule.take(nullptr, kNow) == Answers{"b"});
}

TEST_CASE("a dropped backlog gives its queries back to VTD, what was sent stays the leader's") {
  QueryRule rule;
  rule.live_from(0);
  rule.live_to(50);
  rule.live_soon(300);  // backlog 50..300 dropped, snapshot at 300 asked for
  rule.answered(40, "sent", kNow);
  rule.answered(200, "dropped", kNow);
  rule.answered(300, "in the snapshot", kNow);
  rule.answered(310, "behind it", kNow);
  CHECK(rule.take(nullptr, kNow) == Answers{"dropped", "in the snapshot"});
  rule.live_from(300);
  rule.live_to(310);
  CHECK(rule.take(nullptr, kNow).empty());
  CHECK_FALSE(rule.has_pending());
}

TEST_CASE("a slow VTD never repeats what a terminal that has left was sent") {
  QueryRule rule;
  rule.live_from(0);
  rule.live_to(50);
  rule.live_over();
  rule.live_from(70);
  rule.live_to(90);
  rule.live_over();
  rule.answered(50, "first leader", kNow);
  rule.answered(60, "nobody", kNow);
  rule.answered(90, "second leader", kNow);
  rule.answered(91, "nobody again", kNow);
  CHECK(rule.take(nullptr, kNow) == Answers{"nobody", "nobody again"});
}

TEST_CASE("streams are forgotten only when VTD is past them and no answer waits") {
  QueryRule rule;
  rule.live_from(0);
  rule.live_to(50);
  rule.live_over();
  rule.parsed_to(40);
  rule.answered(45, "covered", kNow);
  CHECK(rule.take(nullptr, kNow).empty());
  CHECK_FALSE(rule.has_pending());
  rule.parsed_to(50);
  rule.live_from(60);
  rule.live_to(70);
  rule.live_over();
  rule.answered(65, "covered", kNow);
  rule.parsed_to(100);
  CHECK(rule.take(nullptr, kNow).empty());
}

TEST_CASE("a holder that takes over is not told again what was asked before it") {
  QueryRule rule;
  rule.begin_behind(100);
  for (const std::uint64_t offset : {std::uint64_t{7}, std::uint64_t{100}, std::uint64_t{101}}) rule.answered(offset, std::to_string(offset), kNow);
  CHECK(rule.take(nullptr, kNow) == Answers{"101"});
}

TEST_CASE("a VTD that starts again is not heard twice") {
  QueryRule rule;
  rule.answered(10, "a", kNow);
  rule.answered(20, "b", kNow);
  rule.shadow_restarted();
  rule.answered(10, "a", kNow);
  rule.answered(20, "b", kNow);
  rule.answered(30, "c", kNow);
  CHECK(rule.take(nullptr, kNow) == Answers{"a", "b", "c"});
}

TEST_CASE("answers that wait are bounded") {
  QueryRule rule;
  rule.live_from(0);
  for (std::uint64_t i = 1; i < 1000; ++i) rule.answered(i, std::string(1000, 'x'), kNow);
  rule.live_over();
  CHECK(rule.take(nullptr, kNow).size() == 65);
}

namespace {

// A terminal that was sent everything up to an offset, and the rule it leads under.
struct Led {
  explicit Led(std::uint64_t observed = 0) {
    ledger.live_from(0);
    ledger.live_to(observed);
    rule.leader_changed(nullptr, observed, kNow);
    rule.live_from(observed);
  }
  void send(std::uint64_t to) {
    ledger.live_to(to);
    rule.live_to(to);
  }
  void ask(std::uint64_t offset, std::string_view answer) {
    if (rule.answered(offset, answer, kNow)) ledger.told(offset, reply_shape(answer));
  }
  Verdict reply(std::string_view bytes, Instant now = kNow) {
    return rule.replied(ledger, {wire::InputKind::reply, bytes}, now);
  }
  Verdict piece(std::string_view bytes) { return rule.replied(ledger, {wire::InputKind::reply, bytes, true}, kNow); }
  Answers take(Instant now = kNow) { return rule.take(&ledger, now); }

  QueryRule rule;
  Ledger ledger;
};

constexpr std::string_view kCursor = "\033[1;1R", kStatus = "\033[0n";

}  // namespace

TEST_CASE("what a leader that goes had not answered, VTD answers; what it had, nobody does again") {
  Led led;
  led.send(100);
  led.ask(10, kStatus);
  led.ask(20, kCursor);
  led.ask(30, "\033[2;2R");
  led.rule.parsed_to(100);
  CHECK(led.take().empty());
  CHECK(led.reply(kStatus) == Verdict::deliver);
  CHECK(led.reply("\033[9;9R") == Verdict::deliver);
  led.rule.leader_changed(&led.ledger, 0, kNow);
  CHECK(led.rule.take(nullptr, kNow) == Answers{"\033[2;2R"});
  led.rule.leader_changed(nullptr, 0, kNow);
  CHECK(led.rule.take(nullptr, kNow).empty());
}

TEST_CASE("a leader that goes before VTD has parsed what it was sent: the answers wait for that") {
  Led led;
  led.send(100);
  CHECK(led.reply(kStatus) == Verdict::deliver);
  led.rule.leader_changed(&led.ledger, 0, kNow);
  led.ask(10, kCursor);
  led.ask(20, kStatus);  // answered, and so is what was asked before it
  led.ask(30, kCursor);
  CHECK(led.rule.take(nullptr, kNow).empty());
  led.rule.parsed_to(100);
  CHECK(led.rule.take(nullptr, kNow) == Answers{std::string(kCursor)});
}

TEST_CASE("what a leader has not answered for seconds, it will not, and neither does VTD: the program has gone on") {
  Led led;
  led.send(100);
  led.ask(10, kCursor);
  led.rule.parsed_to(100);
  CHECK(led.take().empty());
  led.rule.leader_changed(&led.ledger, 0, kNow + 6s);
  CHECK(led.rule.take(nullptr, kNow + 6s).empty());
}

TEST_CASE("a backlog that is dropped leaves the terminal its queries: it still leads and may still answer") {
  Led led;
  led.send(100);
  led.ask(10, kCursor);
  led.rule.parsed_to(100);
  led.ledger.live_over();
  led.rule.live_over();
  CHECK(led.take().empty());
  CHECK(led.reply(kCursor) == Verdict::deliver);
}

TEST_CASE("a terminal that begins to lead answers from then on: what it was sent before is not its to answer") {
  Led led(100);
  led.ask(10, kCursor);
  led.ask(90, kStatus);
  led.rule.parsed_to(100);
  led.take();
  led.send(200);
  led.ask(150, kCursor);
  CHECK(led.rule.judges(led.ledger, kNow));
  CHECK(led.reply(kCursor) == Verdict::drop);
  CHECK(led.reply(kStatus) == Verdict::drop);
  CHECK_FALSE(led.rule.judges(led.ledger, kNow));
  CHECK(led.reply(kCursor) == Verdict::deliver);
}

TEST_CASE("its answers wait while VTD is behind where it began to lead") {
  Led led(100);
  led.send(200);
  CHECK(led.reply(kCursor) == Verdict::hold);
  CHECK(led.reply(kStatus) == Verdict::hold);
  CHECK(led.take().empty());
  led.ask(50, kCursor);
  CHECK(led.take().empty() == false);  // VTD's own to byte 50: nobody led then
  led.rule.parsed_to(100);
  CHECK(led.take() == Answers{std::string(kStatus)});
}

TEST_CASE("answers that are held when another leads were not given: VTD gives them") {
  Led led(100);
  led.send(200);
  CHECK(led.reply(kStatus) == Verdict::hold);
  led.rule.leader_changed(&led.ledger, 0, kNow);
  led.ask(150, "\033[0n");
  led.rule.parsed_to(200);
  CHECK(led.rule.take(nullptr, kNow) == Answers{"\033[0n"});
}

TEST_CASE("a terminal that never answers what it was sent before is judged for seconds only") {
  Led led(100);
  led.ask(10, kCursor);
  led.rule.parsed_to(100);
  CHECK(led.rule.judges(led.ledger, kNow));
  CHECK_FALSE(led.rule.judges(led.ledger, kNow + 6s));
  CHECK(led.reply(kCursor, kNow + 6s) == Verdict::deliver);
}

TEST_CASE("the pieces of a long answer share its verdict") {
  Led led(100);
  led.ask(10, "\033]52;c;x\a");
  led.rule.parsed_to(100);
  CHECK(led.reply("\033]52;c;aaaa") == Verdict::drop);
  CHECK(led.piece("bbbb\a") == Verdict::drop);
  CHECK(led.reply(kStatus) == Verdict::deliver);
}

TEST_CASE("the pieces of a long answer share its verdict also when its beginning was held and then given") {
  for (const bool is_old : {false, true}) {
    CAPTURE(is_old);
    Led led(100);
    led.send(200);
    CHECK(led.reply("\033]52;c;aaaa") == Verdict::hold);
    CHECK(led.piece("bbbb") == Verdict::hold);
    if (is_old) led.ask(50, "\033]52;c;x\a");
    led.rule.take(nullptr, kNow);
    led.rule.parsed_to(100);
    CHECK(led.take() == (is_old ? Answers{} : Answers{"\033]52;c;aaaabbbb"}));
    const Verdict expected = is_old ? Verdict::drop : Verdict::deliver;
    CHECK(led.piece("cccc") == expected);
    CHECK(led.piece("\033\\") == expected);
  }
}

TEST_CASE("the end of a string that comes as a piece of its own is no answer by itself") {
  Led led(100);
  led.ask(10, "\033]52;c;x\a");
  led.ask(20, kStatus);
  led.rule.parsed_to(100);
  CHECK(led.reply("\033]52;c;aaaa") == Verdict::drop);
  CHECK(led.piece("\033\\") == Verdict::drop);
  CHECK(led.reply(kStatus) == Verdict::drop);
}

TEST_CASE("the rest of an answer that began before its terminal led does not reach the program") {
  Led led;
  led.rule.leader_changed(nullptr, 0, kNow);
  CHECK(led.piece("the rest\a") == Verdict::drop);
  CHECK(led.reply(kStatus) == Verdict::deliver);
}

TEST_CASE("behind an answer that is held the terminal's later ones wait too, whatever VTD has told meanwhile") {
  Led led(100);
  led.send(200);
  CHECK(led.reply(kCursor) == Verdict::hold);
  led.rule.parsed_to(100);
  CHECK(led.rule.judges(led.ledger, kNow));
  CHECK(led.reply(kStatus) == Verdict::hold);
  CHECK(led.take() == Answers{std::string(kCursor), std::string(kStatus)});
  CHECK(led.reply(kStatus) == Verdict::deliver);
}

TEST_CASE("an answer is held for five seconds at most, and the rule says until when") {
  Led led(100);
  led.send(200);
  CHECK_FALSE(led.rule.due().has_value());
  CHECK(led.reply(kStatus) == Verdict::hold);
  REQUIRE(led.rule.due().has_value());
  CHECK(*led.rule.due() == kNow + 5s);
  CHECK(led.take(kNow + 4999ms).empty());
  CHECK(led.take(*led.rule.due()) == Answers{std::string(kStatus)});
  CHECK_FALSE(led.rule.due().has_value());
}

TEST_CASE("what is held is bounded in bytes: one that is too long is dropped whole, the others stay") {
  Led led(100);
  led.send(200);
  CHECK(led.reply(kStatus) == Verdict::hold);
  CHECK(led.reply("\033]52;c;aaaa") == Verdict::hold);
  Verdict last = Verdict::hold;
  for (int i = 0; i < 20; ++i) last = led.piece(std::string(4096, 'a'));
  CHECK(last == Verdict::drop);
  CHECK(led.reply(kCursor) == Verdict::hold);
  led.rule.parsed_to(100);
  CHECK(led.take() == Answers{std::string(kStatus), std::string(kCursor)});
}

TEST_CASE("answers go out in the order of their queries, also when one was kept for a terminal that has gone") {
  Led led;
  led.send(55);
  led.ask(50, kCursor);
  CHECK(led.take().empty());
  led.rule.leader_changed(&led.ledger, 0, kNow);
  led.rule.answered(60, "later", kNow);
  CHECK(led.rule.take(nullptr, kNow) == Answers{std::string(kCursor), "later"});
}

TEST_CASE("an answer waits while it is open whether one before it goes out") {
  Led led;
  led.send(10);
  led.ask(5, kCursor);
  CHECK(led.take().empty());
  led.ledger.live_over();
  led.rule.live_soon(50);  // a dropped backlog
  led.rule.live_from(50);
  led.ledger.live_from(50);
  led.send(100);
  led.rule.leader_changed(&led.ledger, 0, kNow);
  led.rule.answered(30, "to the dropped", kNow);
  CHECK(led.rule.take(nullptr, kNow).empty());
  led.rule.parsed_to(100);
  CHECK(led.rule.take(nullptr, kNow) == Answers{std::string(kCursor), "to the dropped"});
}

TEST_CASE("a terminal that led for a moment does not decide what the one before it owes") {
  Led first;
  first.send(100);
  first.ask(50, kStatus);
  CHECK(first.take().empty());
  Ledger second;  // watched up to 60, and leaves before the picture it leads with
  second.live_from(0);
  second.live_to(60);
  second.told(50, reply_shape(kStatus));
  QueryRule& rule = first.rule;
  SUBCASE("the first one had not answered") {
    second.replied(reply_shape(kStatus));
    rule.leader_changed(&first.ledger, 60, kNow);
    rule.leader_changed(&second, 0, kNow);
    rule.parsed_to(70);
    CHECK(rule.take(nullptr, kNow).empty());
    rule.parsed_to(100);
    CHECK(rule.take(nullptr, kNow) == Answers{std::string(kStatus)});
  }
  SUBCASE("the first one had answered") {
    CHECK(first.reply(kStatus) == Verdict::deliver);
    rule.leader_changed(&first.ledger, 60, kNow);
    rule.leader_changed(&second, 0, kNow);
    rule.parsed_to(100);
    CHECK(rule.take(nullptr, kNow).empty());
  }
}

TEST_CASE("answers kept for a leader are bounded: the oldest go") {
  Led led;
  led.send(1000);
  for (std::uint64_t i = 1; i < 200; ++i) led.ask(i, "\033[1;1" + std::string(1000, '1') + "R");
  led.take();
  led.rule.parsed_to(1000);
  led.rule.leader_changed(&led.ledger, 0, kNow);
  CHECK(led.rule.take(nullptr, kNow).size() < 66);
}

TEST_CASE("status queries: eight at once, then one a second") {
  QueryBudget budget;
  Instant now{100'000'000'000};
  int allowed = 0;
  for (int i = 0; i < 100; ++i) allowed += budget.allow(now);
  CHECK(allowed == 8);
  now = now + 999ms;
  CHECK_FALSE(budget.allow(now));
  now = now + 1ms;
  CHECK(budget.allow(now));
  CHECK_FALSE(budget.allow(now));
  now = now + 60s;
  for (int i = 0; i < 100; ++i) allowed += budget.allow(now);
  CHECK(allowed == 16);
}

TEST_CASE("the status answer ends as the question did") {
  CHECK(status_answer(Scanner::Terminator::bell) == "\033]7501;?\a");
  CHECK(status_answer(Scanner::Terminator::string_terminator) == "\033]7501;?\033\\");
}
