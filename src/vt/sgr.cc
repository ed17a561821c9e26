// SGR: colours and attributes of the pen, with parameters split by semicolons or (ISO 8613-6) colons.
#include "vt/interpreter.h"

namespace holdfast::vt {
namespace {

// The parameters of one SGR, walked through in groups: a parameter and its colon-separated sub-parameters.
struct Walk {
  const Sequence& seq;
  int at = 0;

  bool is_sub(int i) const { return i < seq.count && (seq.colons >> i & 1) != 0; }
  int sub_count() const {
    int n = 0;
    while (is_sub(at + 1 + n)) ++n;
    return n;
  }
  void skip_group() { at += 1 + sub_count(); }
};

std::uint8_t byte(int value) { return static_cast<std::uint8_t>(value); }

// `38:5:n`, `38:2:r:g:b` and `38:2:space:r:g:b[:tolerance…]`; false: malformed, the group has no effect.
bool color_of_group(const Walk& walk, Color& color) {
  const Sequence& seq = walk.seq;
  const int n = walk.sub_count(), first = walk.at + 1;
  if (n >= 2 && seq.value_at(first) == 5) {
    color = Color::palette(byte(seq.value_at(first + 1)));
    return true;
  }
  if (n < 4 || seq.value_at(first) != 2) return false;
  const int rgb = n == 4 ? first + 1 : first + 2;
  color = Color::rgb(byte(seq.value_at(rgb)), byte(seq.value_at(rgb + 1)), byte(seq.value_at(rgb + 2)));
  return true;
}

// The color of 38, 48 or 58, either form; steps over what it used. Truncated: only the first parameter is stepped over.
void take_color(Walk& walk, Color& color) {
  const Sequence& seq = walk.seq;
  if (walk.sub_count() > 0) {
    (void)color_of_group(walk, color);
    return walk.skip_group();
  }
  const int left = seq.count - walk.at - 1, kind = seq.value_at(walk.at + 1);
  if (kind == 5 && left >= 2) {
    color = Color::palette(byte(seq.value_at(walk.at + 2)));
    walk.at += 3;
  } else if (kind == 2 && left >= 4) {
    const int rgb = walk.at + 2;
    color = Color::rgb(byte(seq.value_at(rgb)), byte(seq.value_at(rgb + 1)), byte(seq.value_at(rgb + 2)));
    walk.at += 5;
  } else {
    walk.at += 1;
  }
}

void set_attribute(Style& style, int code) {
  switch (code) {
    case 0:
      style = {};
      return;
    case 1:
      style.attributes |= kBold;
      return;
    case 2:
      style.attributes |= kFaint;
      return;
    case 3:
      style.attributes |= kItalic;
      return;
    case 4:
      style.set_underline(1);
      return;
    case 5:
      style.attributes |= kBlink;
      return;
    case 6:
      style.attributes |= kRapidBlink;
      return;
    case 7:
      style.attributes |= kInverse;
      return;
    case 8:
      style.attributes |= kHidden;
      return;
    case 9:
      style.attributes |= kStrike;
      return;
    case 21:
      style.set_underline(2);
      return;
    case 22:
      style.attributes &= ~(kBold | kFaint);
      return;
    case 23:
      style.attributes &= ~std::uint32_t{kItalic};
      return;
    case 24:
      style.set_underline(0);
      return;
    case 25:
      style.attributes &= ~(kBlink | kRapidBlink);
      return;
    case 27:
      style.attributes &= ~std::uint32_t{kInverse};
      return;
    case 28:
      style.attributes &= ~std::uint32_t{kHidden};
      return;
    case 29:
      style.attributes &= ~std::uint32_t{kStrike};
      return;
    case 39:
      style.foreground = {};
      return;
    case 49:
      style.background = {};
      return;
    case 53:
      style.attributes |= kOverline;
      return;
    case 55:
      style.attributes &= ~std::uint32_t{kOverline};
      return;
    case 59:
      style.underline_color = {};
      return;
    default:
      break;
  }
  if (code >= 30 && code <= 37) style.foreground = Color::palette(byte(code - 30));
  if (code >= 40 && code <= 47) style.background = Color::palette(byte(code - 40));
  if (code >= 90 && code <= 97) style.foreground = Color::palette(byte(code - 90 + 8));
  if (code >= 100 && code <= 107) style.background = Color::palette(byte(code - 100 + 8));
}

}  // namespace

void Interpreter::sgr(const Sequence& seq) {
  Style& style = editor_.change_pen().style;
  if (seq.count == 0) {
    style = {};
    return;
  }
  Walk walk{seq};
  while (walk.at < seq.count) {
    const int code = seq.value_at(walk.at);
    switch (code) {
      case 38:
        take_color(walk, style.foreground);
        continue;
      case 48:
        take_color(walk, style.background);
        continue;
      case 58:
        take_color(walk, style.underline_color);
        continue;
      default:
        break;
    }
    const int subs = walk.sub_count();
    if (subs == 0) {
      set_attribute(style, code);
    } else if (code == 4 && seq.value_at(walk.at + 1) <= 5) {
      style.set_underline(static_cast<unsigned>(seq.value_at(walk.at + 1)));
    }
    walk.at += 1 + subs;
  }
}

}  // namespace holdfast::vt
