// A command of kitty's graphics protocol as a program sends it: `key=value,…;base64` between APC G and ST.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::vt {

// Values by key letter; what is not given is 0. Signed ones are kept as their two's complement.
class GraphicsCommand {
 public:
  // `text`: what follows the G. Nothing if it is no command: a key of more than one letter is read over, a value that is
  // no number (or single letter) makes all of it void.
  static std::optional<GraphicsCommand> parse(std::string_view text);

  std::uint32_t operator[](char key) const { return values_[slot(key)]; }
  std::int32_t as_signed(char key) const { return static_cast<std::int32_t>(values_[slot(key)]); }
  char letter(char key, char otherwise) const {
    const std::uint32_t value = (*this)[key];
    return value == 0 || value > 0x7e ? otherwise : static_cast<char>(value);
  }
  std::string_view payload() const { return payload_; }  // of the text it was parsed from

 private:
  static constexpr std::size_t slot(char key) {
    return static_cast<std::size_t>(key >= 'a' ? key - 'a' : key - 'A' + 26);
  }
  std::uint32_t values_[52] = {};
  std::string_view payload_;
};

}  // namespace holdfast::vt
