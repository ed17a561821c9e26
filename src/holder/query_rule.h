// Who answers the program's queries (decisions 4, 11-13; docs/decisions/0001-replies-decided-by-the-holder.md).
//
// VTD answers every query, with the offset one past it. Here it is decided whether that answer reaches the program: not
// if the leader's terminal has been sent the query in its live stream, because then that terminal answers. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "holder/scanner.h"

namespace holdfast::holder {

class QueryRule {
 public:
  // The leader's live stream: begins behind `offset` (its snapshot is the state there), has been sent up to `offset`,
  // or is over (backlog dropped, resynchronised, it left, another one leads).
  void live_from(std::uint64_t offset);
  void live_to(std::uint64_t offset);
  void live_over();
  // The leader will be live from `offset` on, once its snapshot is through: answers behind it wait for that.
  void live_soon(std::uint64_t offset);

  // An answer of VTD. Answers come in the order of their offsets.
  void answered(std::uint64_t offset, std::string_view bytes);
  // VTD was started again and will repeat itself: what it has said so far is ignored.
  void shadow_restarted() { ignore_to_ = heard_to_; }
  // VTD has parsed up to `offset`: streams that ended before it need not be remembered.
  void parsed_to(std::uint64_t offset);

  // Takes what is decided to reach the program, in order.
  std::vector<std::string> take();
  bool has_pending() const { return !pending_.empty(); }

 private:
  struct Stream {
    std::uint64_t from, to;  // (from, to]: a query that ends there was sent to a leading terminal
  };
  enum class Fate : std::uint8_t { deliver, drop, wait };
  Fate fate(std::uint64_t offset) const;

  struct Pending {
    std::uint64_t offset;
    std::string bytes;
  };
  std::vector<Stream> over_;  // streams that ended
  Stream live_{0, 0};
  enum class Live : std::uint8_t { no, soon, yes } state_ = Live::no;
  std::deque<Pending> pending_;
  std::size_t pending_bytes_ = 0;
  std::uint64_t heard_to_ = 0, ignore_to_ = 0;
};

// Lets a burst of status queries through and then one a second: a terminal line that echoes the answer would make the
// answer a question again, for ever.
class QueryBudget {
 public:
  bool allow(Instant now);

 private:
  static constexpr int kBurst = 8;
  static constexpr Duration kRefill = 1s;
  int tokens_ = kBurst;
  Instant refilled_;
};

// What the holder says to OSC 7501;?.
std::string status_answer(Scanner::Terminator terminator);

}  // namespace holdfast::holder
