#include "vt/utf8.h"

#include "vt/cell_text.h"

namespace holdfast::vt {

std::string clean_text(std::string_view text, std::size_t bytes_max) {
  std::string out;
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    const Decoded next = c < 0x80 ? Decoded{c, 1, false} : decode_utf8(text.data(), text.size());
    text.remove_prefix(next.length);
    if (next.cp < 0x20 || (next.cp >= 0x7f && next.cp < 0xa0)) continue;
    const std::size_t before = out.size();
    append_utf8(out, next.cp);
    if (out.size() > bytes_max) {
      out.resize(before);
      break;
    }
  }
  return out;
}

}  // namespace holdfast::vt
