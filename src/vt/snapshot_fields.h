// The fields of a record of the binary snapshot (docs/snapshot.md), written and read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "vt/tables.h"

namespace holdfast::vt::snapshot_format {

class Bytes {
 public:
  Bytes& u8(std::uint8_t v) {
    out_ += static_cast<char>(v);
    return *this;
  }
  Bytes& u16(std::uint16_t v) { return u8(static_cast<std::uint8_t>(v)).u8(static_cast<std::uint8_t>(v >> 8)); }
  Bytes& u32(std::uint32_t v) { return u16(static_cast<std::uint16_t>(v)).u16(static_cast<std::uint16_t>(v >> 16)); }
  Bytes& varint(std::uint64_t v) {
    for (; v >= 0x80; v >>= 7) u8(static_cast<std::uint8_t>(v | 0x80));
    return u8(static_cast<std::uint8_t>(v));
  }
  Bytes& text(std::string_view v) {
    varint(v.size());
    out_ += v;
    return *this;
  }
  const std::string& bytes() const { return out_; }

 private:
  std::string out_;
};

// Reads fields of one record. The first bad field poisons it: every later read gives zero, and `is_good` says no.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : left_(bytes) {}

  bool is_good() const { return good_; }
  bool at_end() const { return good_ && left_.empty(); }
  std::size_t left() const { return left_.size(); }
  void require(bool condition) { good_ = good_ && condition; }

  std::uint8_t u8() { return static_cast<std::uint8_t>(fixed(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(fixed(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }
  bool flag() { return up_to<std::uint8_t>(u8(), 1) != 0; }
  template <typename T = std::uint8_t>
  T small(T max) {
    return up_to<T>(static_cast<T>(u8()), max);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = fixed(1);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    good_ = false;
    return 0;
  }
  std::uint64_t varint(std::uint64_t max) { return up_to(varint(), max); }
  // A number of things that take at least `bytes_each` bytes each: never more than the record can hold.
  std::size_t count(std::size_t bytes_each = 1) { return static_cast<std::size_t>(varint(left_.size() / bytes_each)); }
  std::string_view bytes(std::size_t max) {
    const std::size_t size = static_cast<std::size_t>(varint(std::min(max, left_.size())));
    if (!good_ || size > left_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view value = left_.substr(0, size);
    left_.remove_prefix(size);
    return value;
  }
  // Text that is put between OSC and ST again: what would end or abort the string is refused.
  std::string string(std::size_t max) {
    const std::string_view value = bytes(max);
    require(fits_into_osc(value));
    return std::string(value);
  }

 private:
  template <typename T>
  T up_to(T value, T max) {
    require(value <= max);
    return good_ ? value : T{0};
  }
  std::uint64_t fixed(std::size_t size) {
    if (!good_ || left_.size() < size) {
      good_ = false;
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{static_cast<unsigned char>(left_[i])} << 8 * i;
    left_.remove_prefix(size);
    return value;
  }

  std::string_view left_;
  bool good_ = true;
};

}  // namespace holdfast::vt::snapshot_format
