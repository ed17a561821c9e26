#include "vt/tables.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/result.h"

namespace holdfast::vt {
namespace {

constexpr std::uint16_t kEmpty16 = 0xffff;
constexpr std::uint32_t kEmpty32 = 0xffffffff;
// Slots a new table starts with: most programs use a handful of styles, and a session must cost little.
constexpr std::size_t kStyleSlotsMin = 128;
constexpr std::size_t kSlotsMin = 16;

std::uint64_t mix(std::uint64_t h) {
  h ^= h >> 32;
  h *= 0x9e3779b97f4a7c15ull;
  return h ^ h >> 29;
}

std::uint64_t hash(const Style& style) {
  std::uint64_t words[2];
  std::memcpy(words, &style, sizeof words);
  return mix(words[0] * 0xff51afd7ed558ccdull + words[1]);
}

std::uint64_t hash(std::span<const char32_t> code_points) {
  std::uint64_t h = code_points.size();
  for (const char32_t cp : code_points) h = (std::rotl(h, 23) ^ cp) * 0x9e3779b97f4a7c15ull;
  return mix(h);
}

std::uint64_t hash(const Link& link) {
  const std::hash<std::string_view> of_text;
  return mix(of_text(link.uri) + 31 * of_text(link.id) + link.serial);
}

std::size_t bytes_of(const Link& link) { return link.uri.size() + link.id.size(); }

// The slot that holds an equal entry, or the empty slot where it belongs.
template <typename Slot, typename Equal>
[[gnu::always_inline]] inline std::size_t find_slot(const std::vector<Slot>& slots, std::uint64_t h, Slot empty, Equal&& equal) {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = h & mask;
  while (slots[at] != empty && !equal(slots[at])) at = (at + 1) & mask;
  return at;
}

// At most half of the slots are taken: probes stay short without tombstones, as nothing is ever removed alone.
bool is_crowded(std::size_t entries, std::size_t slots) { return entries * 2 > slots; }

std::size_t slots_for(std::size_t entries, std::size_t least) {
  return std::max(std::bit_ceil(entries * 2 + 1), least);
}

}  // namespace

StyleTable::StyleTable() {
  styles_.emplace_back();
  rehash(kStyleSlotsMin);
}

std::uint32_t StyleTable::intern(const Style& style) {
  if (style == Style{}) return 0;
  const auto is_style = [&](std::uint16_t id) { return styles_[id] == style; };
  std::size_t at = find_slot(slots_, hash(style), kEmpty16, is_style);
  if (slots_[at] != kEmpty16) return slots_[at];
  if (styles_.size() == kFull) return kFull;
  if (is_crowded(styles_.size() + 1, slots_.size())) {
    rehash(slots_.size() * 2);
    at = find_slot(slots_, hash(style), kEmpty16, is_style);
  }
  slots_[at] = static_cast<std::uint16_t>(styles_.size());
  styles_.push_back(style);
  return slots_[at];
}

void StyleTable::rehash(std::size_t slots) {
  slots_.assign(slots, kEmpty16);
  for (std::size_t id = 0; id < styles_.size(); ++id) {
    slots_[find_slot(slots_, hash(styles_[id]), kEmpty16, [](std::uint16_t) { return false; })] =
        static_cast<std::uint16_t>(id);
  }
}

void StyleTable::keep(const std::vector<bool>& marked, std::vector<std::uint16_t>& remap) {
  remap.assign(styles_.size(), 0);
  std::size_t kept = 1;
  for (std::size_t id = 1; id < styles_.size(); ++id) {
    if (id >= marked.size() || !marked[id]) continue;
    styles_[kept] = styles_[id];
    remap[id] = static_cast<std::uint16_t>(kept++);
  }
  styles_.resize(kept);
  // Most of what was kept is likely to be in use: a table that is due again at once would be walked through in vain.
  due_ = std::max<std::size_t>(kCompactFrom, kept * 4);
  if (styles_.capacity() > due_) styles_.shrink_to_fit();
  const std::size_t slots = slots_for(kept, kStyleSlotsMin);
  rehash(slots_.size() > due_ * 4 ? slots : std::max(slots, slots_.size()));
}

std::uint32_t ClusterTable::intern(std::span<const char32_t> code_points) {
  CHECK(!code_points.empty());
  code_points = code_points.first(std::min(code_points.size(), kCodePointsMax));
  if (slots_.empty()) rehash(kSlotsMin);
  const auto is_cluster = [&](std::uint32_t id) { return std::ranges::equal((*this)[id], code_points); };
  std::size_t at = find_slot(slots_, hash(code_points), kEmpty32, is_cluster);
  if (slots_[at] != kEmpty32) return slots_[at];
  if (entries_.size() == kFull) return kFull;
  if (is_crowded(entries_.size() + 1, slots_.size())) {
    rehash(slots_.size() * 2);
    at = find_slot(slots_, hash(code_points), kEmpty32, is_cluster);
  }
  slots_[at] = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({static_cast<std::uint32_t>(arena_.size()), static_cast<std::uint32_t>(code_points.size())});
  arena_.insert(arena_.end(), code_points.begin(), code_points.end());
  return slots_[at];
}

std::span<const char32_t> ClusterTable::operator[](std::uint32_t id) const {
  return {arena_.data() + entries_[id].at, entries_[id].length};
}

void ClusterTable::rehash(std::size_t slots) {
  slots_.assign(slots, kEmpty32);
  for (std::size_t id = 0; id < entries_.size(); ++id) {
    const auto code_points = (*this)[static_cast<std::uint32_t>(id)];
    slots_[find_slot(slots_, hash(code_points), kEmpty32, [](std::uint32_t) { return false; })] =
        static_cast<std::uint32_t>(id);
  }
}

void ClusterTable::keep(const std::vector<bool>& marked, std::vector<std::uint32_t>& remap) {
  remap.assign(entries_.size(), 0);
  std::vector<Entry> entries;
  std::vector<char32_t> arena;
  for (std::size_t id = 0; id < entries_.size(); ++id) {
    if (id >= marked.size() || !marked[id]) continue;
    const auto code_points = (*this)[static_cast<std::uint32_t>(id)];
    remap[id] = static_cast<std::uint32_t>(entries.size());
    entries.push_back({static_cast<std::uint32_t>(arena.size()), entries_[id].length});
    arena.insert(arena.end(), code_points.begin(), code_points.end());
  }
  entries_ = std::move(entries);
  arena_ = std::move(arena);
  slots_ = {};
  rehash(slots_for(entries_.size(), kSlotsMin));
}

LinkTable::LinkTable() {
  links_.emplace_back();
  rehash(kSlotsMin);
}

std::uint32_t LinkTable::intern(const Link& link) {
  if (link == Link{}) return 0;
  const auto is_link = [&](std::uint16_t id) { return links_[id] == link; };
  std::size_t at = find_slot(slots_, hash(link), kEmpty16, is_link);
  if (slots_[at] != kEmpty16) return slots_[at];
  if (links_.size() == kFull || bytes_ + bytes_of(link) > kTotalBytesMax) return kFull;
  if (is_crowded(links_.size() + 1, slots_.size())) {
    rehash(slots_.size() * 2);
    at = find_slot(slots_, hash(link), kEmpty16, is_link);
  }
  slots_[at] = static_cast<std::uint16_t>(links_.size());
  links_.push_back(link);
  bytes_ += bytes_of(link);
  return slots_[at];
}

void LinkTable::rehash(std::size_t slots) {
  slots_.assign(slots, kEmpty16);
  for (std::size_t id = 0; id < links_.size(); ++id) {
    slots_[find_slot(slots_, hash(links_[id]), kEmpty16, [](std::uint16_t) { return false; })] =
        static_cast<std::uint16_t>(id);
  }
}

void LinkTable::keep(const std::vector<bool>& marked, std::vector<std::uint16_t>& remap) {
  remap.assign(links_.size(), 0);
  bytes_ = 0;
  std::size_t kept = 1;
  for (std::size_t id = 1; id < links_.size(); ++id) {
    if (id >= marked.size() || !marked[id]) continue;
    bytes_ += bytes_of(links_[id]);
    remap[id] = static_cast<std::uint16_t>(kept);
    if (kept != id) links_[kept] = std::move(links_[id]);
    ++kept;
  }
  links_.resize(kept);
  links_.shrink_to_fit();
  slots_ = {};
  rehash(slots_for(kept, kSlotsMin));
}

}  // namespace holdfast::vt
