// What the restore tests run over, and how they look at a terminal.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "vt/replay_fixture.h"

namespace holdfast::vt_test {

// Bytes, or a resize when `cols` is not 0.
struct Step {
  std::string bytes;
  std::uint16_t cols = 0, rows = 0;
};

struct Script {
  std::string name;
  std::uint16_t cols = 80, rows = 24;
  std::vector<Step> steps;
  std::size_t bytes() const;
};

// tests/fixtures/agents: what real agents printed. tests/fixtures/vt/cases.jsonl: the hand-made cases.
std::vector<Script> recordings();
std::vector<Script> cases();

// The seed of this run: HOLDFAST_SEED, or a fixed one. Printed by whoever uses it.
std::uint64_t seed();

vt::Terminal make_terminal(std::uint16_t cols, std::uint16_t rows);
void feed(vt::Terminal& terminal, std::string_view bytes);

// Calls `at_cut(terminal, rest)` with the terminal as it is after each of the (sorted) numbers of bytes.
struct Position {
  std::size_t step, byte;  // what comes next
};
template <typename F>
void play(const Script& script, const std::vector<std::size_t>& cuts, F&& at_cut) {
  vt::Terminal terminal = make_terminal(script.cols, script.rows);
  vt::Silence silence;
  std::size_t done = 0, next = 0;
  for (std::size_t s = 0; s < script.steps.size(); ++s) {
    const Step& step = script.steps[s];
    if (step.cols != 0) {
      terminal.resize({step.cols, step.rows}, silence);
      continue;
    }
    std::size_t from = 0;
    for (; next < cuts.size() && cuts[next] <= done + step.bytes.size(); ++next) {
      const std::size_t to = cuts[next] - done;
      feed(terminal, std::string_view(step.bytes).substr(from, to - from));
      from = to;
      at_cut(terminal, Position{s, to});
    }
    feed(terminal, std::string_view(step.bytes).substr(from));
    done += step.bytes.size();
  }
}
// Plays what comes after a position.
void play_rest(vt::Terminal& terminal, const Script& script, Position from);

// Leaves a terminal in as bad a state as a program can, with something of another script on it.
void make_dirty(vt::Terminal& terminal, std::mt19937_64& random, const std::vector<Script>& others);

// Bytes as they can be pasted into printf: control characters as \033 and the like.
std::string shown(std::string_view bytes);

// What a check of all that can be said at one cut found wrong; "" if nothing.
//   the restore into fresh and dirtied terminals, once and twice; binary snapshot and back (vt/replay_fixture.h)
std::string check_cut(vt::Terminal& terminal, std::mt19937_64& random, const std::vector<Script>& others);
// The projections of a script's end.
struct Future {
  std::string expressible, exact;
};
Future future_of(const Script& script);
// The bytes after the cut have the same effect on what was restored as they had on the original.
std::string check_future(vt::Terminal& terminal, std::mt19937_64& random, const std::vector<Script>& others,
                         const Script& script, Position from, const Future& future);

}  // namespace holdfast::vt_test
