// The places where a client's stream differs from the bytes the program wrote (docs/protocol.md, "Output").
//
// The ring holds raw bytes; rewrites happen on the way out. Pure: offsets in, spans out; it knows nothing of sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace holdfast::holder {

enum class Rewrite : std::uint8_t {
  redraw,        // OSC 133;A gains `;redraw=0`: this session's picture is ours to redraw, not the outer shell's. Behind
                 // the A, and where the program has a `redraw` of its own also at the end
  status_query,  // OSC 7501;? is taken out: the holder has answered it
};

struct Edit {
  // Of the rewritten sequence; no frame ends inside (begin, end). At the end of a prompt it is `end`: what stands before
  // may be with the client already.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;    // redraw: where the parameter goes in; status_query: one past the removed sequence
  Rewrite rewrite = Rewrite::redraw;
};

inline constexpr std::string_view kRedrawParameter = ";redraw=0";

class EditList {
 public:
  // Edits come in the order of their offsets and do not overlap.
  void add(const Edit& edit);
  // Forgets edits that end at or before `offset`: nobody's stream begins before it. One that begins there stays.
  void forget_before(std::uint64_t offset);
  bool empty() const { return first_ == edits_.size(); }
  std::size_t size() const { return edits_.size() - first_; }

  // The end of a frame that starts at `start` (not inside an edit) and shall end at `wanted`: moved back to the begin
  // of a sequence it would cut, or forward to its end if it begins at `start`; at most `edits_max` edits are inside.
  std::uint64_t frame_end(std::uint64_t start, std::uint64_t wanted, std::size_t edits_max) const;

  // Calls raw(from, to) for stretches of program bytes and text(string_view) for inserted ones, in order, for a
  // frame [start, end) as frame_end() gave it.
  template <typename Raw, typename Text>
  void each_part(std::uint64_t start, std::uint64_t end, Raw&& raw, Text&& text) const {
    std::uint64_t at = start;
    for (std::size_t i = index_of(start); i < edits_.size() && edits_[i].begin < end; ++i) {
      const Edit& edit = edits_[i];
      const std::uint64_t keep_to = edit.rewrite == Rewrite::redraw ? edit.end : edit.begin;
      if (keep_to > at) raw(at, keep_to);
      if (edit.rewrite == Rewrite::redraw) text(kRedrawParameter);
      at = edit.end;
    }
    if (end > at) raw(at, end);
  }

 private:
  std::size_t index_of(std::uint64_t offset) const;  // the first edit that begins at or after `offset`

  std::vector<Edit> edits_;
  std::size_t first_ = 0;  // those before it are forgotten
};

}  // namespace holdfast::holder
