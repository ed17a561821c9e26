// Ledger: the queries that one client's terminal was sent and has not answered. Pure.
//
// VTD tells of a query when it parses it, a terminal answers when it draws it: either may come first. Terminals answer
// in the order in which they were asked, and leave out what they do not know; so an answer settles the first query that
// it can be for and all before it. What an answer can be for, its shape tells.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::holder {

// What two answers to one query have in common, whoever gives them: introducer, marker, the number that says what it is
// about, final bytes. Empty: no answer, or the rest of one that came in pieces.
std::string reply_shape(std::string_view bytes);

class Ledger {
 public:
  // The terminal's live stream begins behind `offset`, has been sent up to `offset`, or is over.
  void live_from(std::uint64_t offset);
  void live_to(std::uint64_t offset);
  void live_over();
  std::uint64_t sent_to() const { return live_.to; }

  // The program asked something that ends at `offset`; offsets go up.
  void told(std::uint64_t offset, const std::string& shape);
  // The terminal answered: the offset of the query it is for, none if VTD has not told of that yet.
  std::optional<std::uint64_t> replied(const std::string& shape);

  bool owes(std::uint64_t offset) const;
  bool owes_up_to(std::uint64_t offset) const { return !owed_.empty() && owed_.front().offset <= offset; }

 private:
  struct Stream {
    std::uint64_t from = 0, to = 0;  // (from, to]: a query that ends there was sent
  };
  struct Query {
    std::uint64_t offset;
    std::string shape;
  };
  struct Reply {
    std::string shape;
    std::uint64_t sent_to;  // the query it is for ends there at the latest
  };
  bool is_sent(std::uint64_t offset) const;

  std::vector<Stream> over_;
  Stream live_;
  bool is_live_ = false;
  std::deque<Query> owed_;
  std::deque<Reply> early_;  // answers to what VTD has not told of
};

}  // namespace holdfast::holder
