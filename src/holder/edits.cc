#include "holder/edits.h"

#include <algorithm>

namespace holdfast::holder {

void EditList::add(const Edit& edit) { edits_.push_back(edit); }

void EditList::forget_before(std::uint64_t offset) {
  while (first_ < edits_.size() && edits_[first_].begin < offset && edits_[first_].end <= offset) ++first_;
  if (first_ == edits_.size()) {
    first_ = 0;
    if (edits_.capacity() > 64) std::vector<Edit>().swap(edits_);
    else edits_.clear();
  } else if (first_ > 1024 && first_ > edits_.size() / 2) {
    edits_.erase(edits_.begin(), edits_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

std::size_t EditList::index_of(std::uint64_t offset) const {
  const auto from = edits_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto found = std::lower_bound(from, edits_.end(), offset,
                                      [](const Edit& edit, std::uint64_t at) { return edit.begin < at; });
  return static_cast<std::size_t>(found - edits_.begin());
}

std::uint64_t EditList::frame_end(std::uint64_t start, std::uint64_t wanted, std::size_t edits_max) const {
  const std::size_t first = index_of(start);
  for (std::size_t i = first; i < edits_.size() && edits_[i].begin < wanted; ++i) {
    const Edit& edit = edits_[i];
    const bool too_many = i - first == edits_max;
    // An insertion stands right behind the byte before it: a frame must not end there either.
    const bool cut = wanted < edit.end || (wanted == edit.end && edit.rewrite == Rewrite::redraw);
    if (!too_many && !cut) continue;
    return edit.begin > start ? edit.begin : edit.end + (edit.rewrite == Rewrite::redraw ? 1 : 0);
  }
  return wanted;
}

}  // namespace holdfast::holder
