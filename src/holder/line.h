// Line: the holder's end of the program's terminal. Reads output into the ring and scans it; writes input.
//
// Decides nothing: how much may be read, and what is typed, others say. Bytes below safe() may go to clients and VTD.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/ring.h"
#include "holder/edits.h"
#include "holder/input_queue.h"
#include "holder/output.h"
#include "holder/scanner.h"
#include "loop/loop.h"

namespace holdfast::holder {

class Line {
 public:
  // `master`: non-blocking; outlives the line, as the loop does.
  Line(loop::Loop& loop, int master, RingWriter ring);

  // `handler` is called when there is output or room for input.
  Result<> watch(loop::Loop::IoHandler handler);
  // What the line waits for from now on. After a hangup it waits for nothing.
  void want(bool output);

  // Reads at most about `budget` bytes, while there are some; returns how many. May find the hangup.
  std::size_t read(std::size_t budget);
  // The other side is closed and everything was read. A program may open its terminal again: try_again() looks.
  bool is_hung_up() const { return hung_up_; }
  void try_again() { hung_up_ = false; }
  // No more output will be read: what was held back goes out.
  void finish() { finished_ = true; }

  std::uint64_t head() const { return ring_.head(); }
  std::uint64_t safe() const { return finished_ ? ring_.head() : scanner_.safe(); }
  Source source() const { return {ring_, edits_, safe()}; }
  std::size_t ring_bytes() const { return ring_.capacity(); }
  RingWriter& ring() { return ring_; }
  EditList& edits() { return edits_; }
  // Status queries since the last call, oldest first.
  std::vector<Scanner::Query> take_queries();

  InputQueue& input() { return input_; }
  void flush_input();

 private:
  loop::Loop& loop_;
  int master_;
  RingWriter ring_;
  Scanner scanner_;
  Scanner::Findings findings_;
  EditList edits_;
  InputQueue input_;
  bool hung_up_ = false, finished_ = false;
};

}  // namespace holdfast::holder
