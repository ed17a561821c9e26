#include "vt/graphics_command.h"

#include <charconv>

namespace holdfast::vt {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

template <typename T>
std::optional<std::uint32_t> number_of(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

std::optional<std::uint32_t> value_of(char key, std::string_view text) {
  if (text.size() == 1 && is_letter(text[0])) return static_cast<unsigned char>(text[0]);
  if (key == 'z' || key == 'H' || key == 'V') return number_of<std::int32_t>(text);
  return number_of<std::uint32_t>(text);
}

}  // namespace

std::optional<GraphicsCommand> GraphicsCommand::parse(std::string_view text) {
  GraphicsCommand command;
  const std::size_t semicolon = text.find(';');
  std::string_view keys = text.substr(0, semicolon);
  if (semicolon != std::string_view::npos) command.payload_ = text.substr(semicolon + 1);
  while (!keys.empty()) {
    const std::size_t comma = keys.find(',');
    const std::string_view field = keys.substr(0, comma);
    keys.remove_prefix(comma == std::string_view::npos ? keys.size() : comma + 1);
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    if (equals != 1 || !is_letter(field[0])) continue;
    const auto value = value_of(field[0], field.substr(2));
    if (!value) return std::nullopt;
    command.values_[slot(field[0])] = *value;
  }
  return command;
}

}  // namespace holdfast::vt
