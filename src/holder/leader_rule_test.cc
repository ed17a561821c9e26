#include "holder/leader_rule.h"

#include <doctest/doctest.h>

#include <vector>

using namespace holdfast;
using namespace holdfast::holder;
using wire::InputKind;

TEST_CASE("the first who does not only observe leads") {
  CHECK(leads_at_attach(std::nullopt, false));
  CHECK_FALSE(leads_at_attach(std::nullopt, true));
  CHECK_FALSE(leads_at_attach(ClientId{3}, false));
}

TEST_CASE("after the leader the most recently active one leads, observers never") {
  const Instant t{1000};
  CHECK(successor(std::vector<Candidate>{}) == std::nullopt);
  CHECK(successor(std::vector<Candidate>{{1, true, t}}) == std::nullopt);
  CHECK(successor(std::vector<Candidate>{{1, false, t}, {2, false, t + 1s}, {3, true, t + 2s}}) == ClientId{2});
}

TEST_CASE("what input of an attached client does") {
  struct Row {
    InputKind kind;
    InputFate not_leading;
  };
  const Row rows[] = {
      {InputKind::key, InputFate::promote},       {InputKind::paste, InputFate::promote},
      {InputKind::key_release, InputFate::drop},  {InputKind::mouse, InputFate::drop},
      {InputKind::focus_in, InputFate::drop},     {InputKind::focus_out, InputFate::drop},
      {InputKind::reply, InputFate::drop},
  };
  for (const Row& row : rows) {
    CHECK(decide_input(row.kind, true, false) == InputFate::deliver);
    CHECK(decide_input(row.kind, false, false) == row.not_leading);
    CHECK(decide_input(row.kind, false, true) == InputFate::drop);
  }
}

TEST_CASE("degenerate sizes are not for programs") {
  CHECK_FALSE(is_size_for_program({0, 0, 0, 0}));
  CHECK_FALSE(is_size_for_program({1, 1, 0, 0}));
  CHECK_FALSE(is_size_for_program({9, 24, 0, 0}));
  CHECK_FALSE(is_size_for_program({80, 1, 0, 0}));
  CHECK(is_size_for_program({10, 2, 0, 0}));
  CHECK(is_size_for_program({4096, 2048, 0, 0}));
}
