#include "holder/scanner.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace holdfast::holder;

namespace {

// What a client draws of `bytes`, cut into the given pieces, and what is held back at the end.
struct Seen {
  std::string drawn, held;
  std::vector<Scanner::Query> queries;
};

Seen scan(std::string_view bytes, const std::vector<std::size_t>& cuts = {}) {
  Scanner scanner;
  Scanner::Findings findings;
  std::size_t from = 0;
  std::uint64_t safe = 0;
  const auto feed = [&](std::size_t to) {
    scanner.feed(bytes.substr(from, to - from), findings);
    CHECK(scanner.safe() >= safe);
    CHECK(scanner.position() - scanner.safe() <= 9);
    safe = scanner.safe();
    from = to;
  };
  for (const std::size_t cut : cuts) feed(cut);
  feed(bytes.size());
  EditList edits;
  for (const Edit& edit : findings.edits) edits.add(edit);
  Seen seen;
  edits.each_part(
      0, scanner.safe(), [&](std::uint64_t a, std::uint64_t b) { seen.drawn += bytes.substr(a, b - a); },
      [&](std::string_view text) { seen.drawn += text; });
  seen.held = bytes.substr(scanner.safe());
  seen.queries = findings.queries;
  return seen;
}

struct Row {
  std::string bytes, drawn;
};

const std::vector<Row> kRows{
    {"plain", "plain"},
    {"\033]133;A\a$ ", "\033]133;A;redraw=0\a$ "},
    {"\033]133;A\033\\$ ", "\033]133;A;redraw=0\033\\$ "},
    {"\033]133;A;cl=m\a$ ", "\033]133;A;redraw=0;cl=m\a$ "},
    {"\033]133;A;redraw=last\a", "\033]133;A;redraw=0;redraw=last;redraw=0\a"},
    {"\033]133;A;redraw=1;cl=m\033\\$", "\033]133;A;redraw=0;redraw=1;cl=m;redraw=0\033\\$"},
    {"\033]133;A;cl=m;redraw=\a$", "\033]133;A;redraw=0;cl=m;redraw=;redraw=0\a$"},
    {"\033]133;A;noredraw=1;redra=1;redraw\a", "\033]133;A;redraw=0;noredraw=1;redra=1;redraw\a"},
    {"\033]133;A;redraw=1\030\a", "\033]133;A;redraw=0;redraw=1\030\a"},
    {"\033]133;A;redraw=1\033]133;A;x\a", "\033]133;A;redraw=0;redraw=1\033]133;A;redraw=0;x\a"},
    {"\033]133;A;redraw=1\033\033]7501;?\a", "\033]133;A;redraw=0;redraw=1\033"},
    {"\033]133;Ax\a", "\033]133;Ax\a"},
    {"\033]133;A;barekey\a", "\033]133;A;redraw=0;barekey\a"},
    {"\033]133;B\a", "\033]133;B\a"},
    {"\033]133;A\033[m", "\033]133;A\033[m"},
    {"\033]133;A\033\033]133;A\a", "\033]133;A\033\033]133;A;redraw=0\a"},
    {"\033]133;A\033]133;A\a", "\033]133;A\033]133;A;redraw=0\a"},
    {"\033]133;A\030x", "\033]133;A\030x"},
    {"a\033]7501;?\ab", "ab"},
    {"a\033]7501;?\033\\b", "ab"},
    {"a\033]7501;?x\ab", "a\033]7501;?x\ab"},
    {"a\033]7501;state=idle\ab", "a\033]7501;state=idle\ab"},
    {"a\033]7501;?\033[mb", "a\033]7501;?\033[mb"},
    {"\033P\033]7501;?\a", "\033P"},  // ESC ends the DCS, so the query is one
    {"\033P]7501;?\a\033\\x", "\033P]7501;?\a\033\\x"},
    {"\033]0;]133;A\a", "\033]0;]133;A\a"},
    {"\033]0;t\033]133;A\a", "\033]0;t\033]133;A;redraw=0\a"},
    {"\033_G;\a]133;A\a\033\\\033]133;A\a", "\033_G;\a]133;A\a\033\\\033]133;A;redraw=0\a"},
    {"\033X\033\\\033^\033\\\033]7501;?\a", "\033X\033\\\033^\033\\"},
    {"\033[38;5;1m\033]133;A\a", "\033[38;5;1m\033]133;A;redraw=0\a"},
    {"\033(]133;A\a", "\033(]133;A\a"},
    {"\033]1\a\033]13\a\033]7\a\033]\a", "\033]1\a\033]13\a\033]7\a\033]\a"},
};

}  // namespace

TEST_CASE("two sequences are rewritten and nothing else") {
  for (const auto& row : kRows) {
    CAPTURE(row.bytes);
    CHECK(scan(row.bytes).drawn == row.drawn);
  }
}

TEST_CASE("a cut at any one or two places changes nothing") {
  for (const auto& row : kRows) {
    for (std::size_t a = 0; a <= row.bytes.size(); ++a) {
      for (std::size_t b = a; b <= row.bytes.size(); ++b) {
        CAPTURE(row.bytes);
        CAPTURE(a);
        CAPTURE(b);
        CHECK(scan(row.bytes, {a, b}).drawn == row.drawn);
      }
    }
  }
}

TEST_CASE("only the beginning of a match is held back") {
  CHECK(scan("abc\033").held == "\033");
  CHECK(scan("abc\033]133;").held == "\033]133;");
  CHECK(scan("abc\033]133;A\033").held == "\033]133;A\033");
  CHECK(scan("abc\033]7501;?\033").held == "\033]7501;?\033");
  CHECK(scan("abc\033]134").held.empty());
  CHECK(scan("abc\033[12").held.empty());
  CHECK(scan("abc\033Pq").held.empty());
  CHECK(scan("abc\033]0;title\033").held == "\033");
  CHECK(scan("abc\033]133;A;redraw=1").held.empty());
  CHECK(scan("abc\033]133;A;redraw=1\033").held == "\033");
}

TEST_CASE("a query tells its end and its terminator") {
  const auto bell = scan("ab\033]7501;?\a").queries;
  REQUIRE(bell.size() == 1);
  CHECK(bell[0].end == 11);
  CHECK(bell[0].terminator == Scanner::Terminator::bell);
  const auto st = scan("\033]7501;?\033\\").queries;
  REQUIRE(st.size() == 1);
  CHECK(st[0].end == 10);
  CHECK(st[0].terminator == Scanner::Terminator::string_terminator);
}

TEST_CASE("offsets count from where the scanner began") {
  Scanner scanner(1000);
  Scanner::Findings findings;
  scanner.feed("x\033]133;A\a", findings);
  REQUIRE(findings.edits.size() == 1);
  CHECK(findings.edits[0].begin == 1001);
  CHECK(findings.edits[0].end == 1008);
  CHECK(scanner.safe() == 1009);
}

TEST_CASE("random bytes of the alphabet that matters: any cutting draws the same") {
  const unsigned seed = 20260101;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const std::string alphabet = "\033\033\033]]]1337501;;??AA\a\a\\\\P_\030x";
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 60; ++i) bytes += alphabet[random() % alphabet.size()];
    const Seen whole = scan(bytes);
    std::vector<std::size_t> cuts;
    for (std::size_t at = random() % 5; at < bytes.size(); at += 1 + random() % 5) cuts.push_back(at);
    const Seen cut = scan(bytes, cuts);
    CAPTURE(bytes);
    CHECK(cut.drawn == whole.drawn);
    CHECK(cut.held == whole.held);
    CHECK(cut.queries.size() == whole.queries.size());
  }
}
