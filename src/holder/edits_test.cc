#include "holder/edits.h"

#include <doctest/doctest.h>

#include <string>

using namespace holdfast::holder;

namespace {

std::string parts(const EditList& edits, std::uint64_t start, std::uint64_t end) {
  std::string out;
  edits.each_part(
      start, end,
      [&](std::uint64_t a, std::uint64_t b) { out += "[" + std::to_string(a) + "," + std::to_string(b) + ")"; },
      [&](std::string_view text) { out += text; });
  return out;
}

EditList two_edits() {
  EditList edits;
  edits.add({10, 17, Rewrite::redraw});
  edits.add({30, 39, Rewrite::status_query});
  return edits;
}

}  // namespace

TEST_CASE("parts of a frame leave removed bytes out and put inserted ones in") {
  const EditList edits = two_edits();
  CHECK(parts(edits, 0, 50) == "[0,17);redraw=0[17,30)[39,50)");
  CHECK(parts(edits, 18, 30) == "[18,30)");
  CHECK(parts(edits, 30, 39).empty());
  CHECK(parts(edits, 39, 50) == "[39,50)");
}

TEST_CASE("a frame never ends inside a rewritten sequence") {
  const EditList edits = two_edits();
  CHECK(edits.frame_end(0, 9, 8) == 9);
  CHECK(edits.frame_end(0, 10, 8) == 10);
  CHECK(edits.frame_end(0, 11, 8) == 10);
  CHECK(edits.frame_end(0, 17, 8) == 10);
  CHECK(edits.frame_end(0, 18, 8) == 18);
  CHECK(edits.frame_end(10, 12, 8) == 18);
  CHECK(edits.frame_end(0, 38, 8) == 30);
  CHECK(edits.frame_end(0, 39, 8) == 39);
  CHECK(edits.frame_end(30, 31, 8) == 39);
}

TEST_CASE("an insertion alone comes with the byte behind it, whoever has the bytes before") {
  EditList edits;
  edits.add({10, 17, Rewrite::redraw});
  edits.add({25, 25, Rewrite::redraw});
  CHECK(parts(edits, 0, 30) == "[0,17);redraw=0[17,25);redraw=0[25,30)");
  CHECK(edits.frame_end(0, 25, 8) == 25);
  CHECK(parts(edits, 18, 25) == "[18,25)");
  edits.forget_before(25);
  CHECK(parts(edits, 25, 30) == ";redraw=0[25,30)");
  edits.forget_before(26);
  CHECK(edits.empty());
}

TEST_CASE("a frame has at most so many edits") {
  const EditList edits = two_edits();
  CHECK(edits.frame_end(0, 50, 1) == 30);
  CHECK(edits.frame_end(0, 50, 2) == 50);
}

TEST_CASE("forgotten edits are gone and the others stay") {
  EditList edits;
  for (std::uint64_t i = 0; i < 5000; ++i) edits.add({i * 20, i * 20 + 9, Rewrite::status_query});
  edits.forget_before(4000 * 20 + 9);
  CHECK(edits.size() == 999);
  CHECK(parts(edits, 4001 * 20, 4001 * 20 + 20) == "[80029,80040)");
  edits.forget_before(1'000'000);
  CHECK(edits.empty());
}
