// Who answers the program's queries (docs/decisions/0001-replies-decided-by-the-holder.md).
//
// VTD answers every query, with the offset one past it. Here it is decided whether that answer reaches the program: not
// if the leader's terminal has been sent the query in its live stream, because then that terminal answers. If it stops
// leading before it has, VTD's answer is taken after all; and a terminal that begins to lead does not answer what it was
// sent as an observer. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "holder/ledger.h"
#include "holder/scanner.h"
#include "wire/terminal_input.h"

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

  // Another terminal leads from now on, or none. `before` is the ledger of the one before, if there was one, `sent` up to
  // where the new one was sent output as an observer.
  void leader_changed(Ledger* before, std::uint64_t sent, Instant now);
  enum class Verdict : std::uint8_t {
    deliver,
    drop,  // it is for a query from before it led
    hold,  // whether it is, is known when VTD has got there: it comes out of take() then, or never
  };
  // An answer of the leader's terminal, whose ledger takes note of it. Pieces of a long one get the verdict of the first.
  Verdict replied(Ledger& leader, const wire::InputToken& token, Instant now);
  // Whether verdicts other than `deliver` are possible now: the leader's input has to be cut into tokens.
  bool judges(const Ledger& leader, Instant now) const;

  // An answer of VTD. Answers come in the order of their offsets. True: to a query it had not told of before.
  bool answered(std::uint64_t offset, std::string_view bytes, Instant now);
  // The holder takes over a session whose program has written up to `offset`. What it asked until then was answered by the
  // holder before, or is lost with it: VTD will tell of it all again, and an answer twice would be typed text.
  void begin_behind(std::uint64_t offset) { heard_to_ = ignore_to_ = offset; }
  // VTD was started again and will repeat itself: what it has said so far is ignored.
  void shadow_restarted() { ignore_to_ = heard_to_; }
  // VTD has parsed up to `offset`: streams that ended before it need not be remembered.
  void parsed_to(std::uint64_t offset);

  // Takes what is decided to reach the program, in order. `leader`: nullptr if nobody leads.
  std::vector<std::string> take(Ledger* leader, Instant now);
  bool has_pending() const { return !pending_.empty(); }
  // When take() has to be called at the latest, though nothing happens: an answer is held. None: nothing is.
  std::optional<Instant> due() const;

 private:
  struct Stream {
    std::uint64_t from, to;  // (from, to]: a query that ends there was sent to a leading terminal
    std::uint64_t reign;     // of that terminal
  };
  enum class Fate : std::uint8_t { deliver, keep, wait };
  Fate fate(std::uint64_t offset) const;
  const Stream* covering(std::uint64_t offset) const;

  struct Pending {
    std::uint64_t offset;
    std::string bytes;
    Instant told;
    std::uint64_t reign = 0;  // kept: of the terminal that was sent the query
  };
  // A terminal that led. What it owes is known once VTD has parsed all that it was sent.
  struct Former {
    Ledger ledger;
    std::uint64_t sent;
    std::uint64_t reign;
  };
  bool is_decided(const Former& former) const { return parsed_ >= former.sent; }
  bool waits_for_former(std::uint64_t offset) const;
  std::vector<Pending> resolve_formers(Instant now);
  void judge_held(Ledger* leader, Instant now, std::vector<std::string>& out);
  Verdict hold(std::string_view bytes);
  bool is_late(Instant now) const;
  void keep(Pending answer);
  void forget_kept();
  std::vector<Stream> over_;  // streams that ended
  Stream live_{0, 0, 0};
  enum class Live : std::uint8_t { no, soon, yes } state_ = Live::no;
  std::deque<Pending> pending_;
  std::size_t pending_bytes_ = 0;
  std::deque<Pending> kept_;  // not delivered: terminals that lead or led were sent the queries
  std::size_t kept_bytes_ = 0;
  std::vector<Former> formers_;
  std::uint64_t heard_to_ = 0, ignore_to_ = 0, parsed_ = 0;

  std::uint64_t reign_ = 0;        // counts the leaders
  std::uint64_t observed_to_ = 0;  // what the leader was sent before it led
  Instant led_since_;
  std::vector<std::string> held_;  // its answers, while VTD is behind that
  std::size_t held_bytes_ = 0;
  Verdict verdict_ = Verdict::deliver;  // of the answer before, for its further pieces
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
