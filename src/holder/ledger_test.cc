#include "holder/ledger.h"

#include <doctest/doctest.h>

using namespace holdfast::holder;

TEST_CASE("answers to one query have one shape, whatever a terminal says in them") {
  CHECK(reply_shape("\033[?62;4c") == reply_shape("\033[?1;2c"));
  CHECK(reply_shape("\033[>1;4000;0c") == "[>c");
  CHECK(reply_shape("\033[12;40R") == "[R");
  CHECK(reply_shape("\033[?12;40R") == "[?R");
  CHECK(reply_shape("\033[0n") == reply_shape("\033[3n"));
  CHECK(reply_shape("\033[?2026;2$y") == "[?2026$y");
  CHECK(reply_shape("\033[?997;1n") == "[?997n");
  CHECK(reply_shape("\033[8;24;80t") != reply_shape("\033[4;480;640t"));
  CHECK(reply_shape("\033[?31u") == "[?u");
  CHECK(reply_shape("\033P>|ghostty 1.2\033\\") == "P>|");
  CHECK(reply_shape("\033P1$r0m\033\\") == reply_shape("\033P0$r\033\\"));
  CHECK(reply_shape("\033P1+r544e=78\033\\") == "P+r");
  CHECK(reply_shape("\033P!|00000000\033\\") == "P!|");
  CHECK(reply_shape("\033]11;rgb:0/0/0\a") == reply_shape("\033]11;rgb:ffff/ffff/ffff\033\\"));
  CHECK(reply_shape("\033]4;1;rgb:0/0/0\a") == "]4;1");
  CHECK(reply_shape("\033]4;2;rgb:0/0/0\a") == "]4;2");
  CHECK(reply_shape("\033_Gi=1;OK\033\\") == "_G");
}

TEST_CASE("what is no answer, or the rest of one, has no shape") {
  for (const char* bytes : {"", "\033", "\033[", "\033]", "abc", "\033[12;4", "544e=78\033\\"}) {
    CAPTURE(bytes);
    const std::string shape = reply_shape(bytes);
    const bool is_none = shape.empty() || shape == "]";
    CHECK(is_none);
  }
}

TEST_CASE("a shape is short, however long the answer is") {
  CHECK(reply_shape("\033]4;" + std::string(1u << 20, '1') + "\a").size() <= 64);
  CHECK(reply_shape("\033]" + std::string(1u << 20, '1') + "\a").size() <= 64);
  CHECK(reply_shape("\033[" + std::string(1u << 20, '!') + "y").size() <= 64);
}

TEST_CASE("a query is owed from when VTD tells of it until the terminal answers") {
  Ledger ledger;
  ledger.live_from(100);
  ledger.live_to(200);
  ledger.told(150, "[R");
  CHECK(ledger.owes(150));
  CHECK(ledger.replied("[?c") == std::nullopt);
  CHECK(ledger.owes(150));
  CHECK(ledger.replied("[R") == 150);
  CHECK_FALSE(ledger.owes(150));
}

TEST_CASE("an answer that comes before VTD tells of the query settles it") {
  Ledger ledger;
  ledger.live_from(100);
  ledger.live_to(200);
  CHECK(ledger.replied("[R") == std::nullopt);
  ledger.told(150, "[R");
  CHECK_FALSE(ledger.owes(150));
  ledger.told(160, "[R");
  CHECK(ledger.owes(160));
}

TEST_CASE("an answer is never for a query that was sent later") {
  Ledger ledger;
  ledger.live_from(100);
  ledger.live_to(140);
  ledger.replied("[R");
  ledger.live_to(200);
  ledger.told(150, "[R");
  CHECK(ledger.owes(150));
}

TEST_CASE("terminals answer in order and leave out what they do not know") {
  Ledger ledger;
  ledger.live_from(0);
  ledger.live_to(100);
  ledger.told(10, "[?u");
  ledger.told(20, "[?c");
  ledger.told(30, "[R");
  CHECK(ledger.replied("[?c") == 20);
  CHECK_FALSE(ledger.owes(10));
  CHECK(ledger.owes(30));
  ledger.replied("P>|");  // to something that VTD has not told of
  ledger.told(40, "[?u");
  ledger.told(50, "P>|");
  CHECK_FALSE(ledger.owes_up_to(100));
}

TEST_CASE("what was not sent is not owed: pictures, dropped backlogs") {
  Ledger ledger;
  ledger.told(5, "[R");
  ledger.live_from(10);
  ledger.live_to(50);
  ledger.told(10, "[R");
  CHECK_FALSE(ledger.owes_up_to(10));
  ledger.told(40, "[R");
  ledger.told(60, "[R");  // it will be sent
  CHECK(ledger.owes(60));
  ledger.live_over();
  CHECK(ledger.owes(40));
  CHECK_FALSE(ledger.owes(60));
  ledger.told(45, "[?c");  // VTD was behind
  ledger.told(70, "[?c");
  CHECK(ledger.owes(45));
  CHECK_FALSE(ledger.owes(70));
  ledger.live_from(80);
  ledger.told(90, "[?c");
  CHECK(ledger.owes(90));
}

TEST_CASE("a flood of queries and of answers is bounded, and what was told last is known") {
  Ledger ledger;
  ledger.live_from(0);
  ledger.live_to(1'000'000);
  for (std::uint64_t i = 1; i <= 10'000; ++i) ledger.told(i, "[R");
  CHECK_FALSE(ledger.owes(1));
  CHECK(ledger.owes(10'000));
  for (int i = 0; i < 10'000; ++i) ledger.replied("[?c");
  ledger.told(20'000, "[?c");
  CHECK_FALSE(ledger.owes_up_to(20'000));
}
