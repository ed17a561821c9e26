// DCS functions: DECRQSS and XTGETTCAP. Others (sixel, user keys, tmux's own) are consumed and ignored.
#include "vt/hex.h"
#include "vt/interpreter.h"

namespace holdfast::vt {
namespace {

struct Capability {
  std::string_view name, value;
};
// What programs ask for beyond the name and the number of colours, as terminfo has it. Booleans have no value.
constexpr Capability kCapabilities[] = {
    {"Tc", ""},
    {"Su", ""},
    {"XT", ""},
    {"fullkbd", ""},
    {"RGB", "8"},
    {"Co", "256"},
    {"colors", "256"},
    {"Ms", "\x1b]52;%p1%s;%p2%s\a"},
    {"Se", "\x1b[2 q"},
    {"Ss", "\x1b[%p1%d q"},
    {"Smulx", "\x1b[4:%p1%dm"},
    {"Setulc", "\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m"},
    {"setrgbf", "\x1b[38:2:%p1%d:%p2%d:%p3%dm"},
    {"setrgbb", "\x1b[48:2:%p1%d:%p2%d:%p3%dm"},
    {"Sync", "\x1b[?2026%?%p1%{1}%-%tl%eh%;"},
    {"BE", "\x1b[?2004h"},
    {"BD", "\x1b[?2004l"},
    {"PS", "\x1b[200~"},
    {"PE", "\x1b[201~"},
    {"fe", "\x1b[?1004h"},
    {"fd", "\x1b[?1004l"},
    {"smcup", "\x1b[?1049h"},
    {"rmcup", "\x1b[?1049l"},
    {"smxx", "\x1b[9m"},
    {"rmxx", "\x1b[29m"},
    {"Smol", "\x1b[53m"},
    {"Rmol", "\x1b[55m"},
    {"sitm", "\x1b[3m"},
    {"ritm", "\x1b[23m"},
    {"kmous", "\x1b[<"},
};

std::string color_text(Color color, int base, int extended) {
  if (color.is_rgb()) {
    const std::uint32_t rgb = color.value;
    return ";" + std::to_string(extended) + ":2::" + std::to_string(rgb >> 16 & 255) + ":" +
           std::to_string(rgb >> 8 & 255) + ":" + std::to_string(rgb & 255);
  }
  const int index = static_cast<int>(color.value & 255);
  if (!color.is_palette()) return {};
  if (base != 0 && index < 8) return ";" + std::to_string(base + index);
  if (base != 0 && index < 16) return ";" + std::to_string(base + 60 + index - 8);
  return ";" + std::to_string(extended) + ":5:" + std::to_string(index);
}

}  // namespace

void Interpreter::dcs(std::string_view payload) {
  if (payload.starts_with("$q")) return report_setting(payload.substr(2));
  if (payload.starts_with("+q")) return report_capabilities(payload.substr(2));
}

std::string Interpreter::sgr_text() const {
  const Style& style = state_.screen().pen.style;
  std::string text = "0";
  constexpr std::pair<std::uint32_t, const char*> kCodes[] = {{kBold, ";1"},   {kFaint, ";2"},      {kItalic, ";3"},
                                                              {kBlink, ";5"},  {kRapidBlink, ";6"}, {kInverse, ";7"},
                                                              {kHidden, ";8"}, {kStrike, ";9"},     {kOverline, ";53"}};
  for (const auto& [attribute, code] : kCodes) {
    if (style.attributes & attribute) text += code;
  }
  if (style.underline() == 1) text += ";4";
  if (style.underline() > 1) text += ";4:" + std::to_string(style.underline());
  return text + color_text(style.foreground, 30, 38) + color_text(style.background, 40, 48) +
         color_text(style.underline_color, 0, 58);
}

void Interpreter::report_setting(std::string_view what) {
  const Margins& m = state_.margins;
  const auto range = [](int first, int last) { return std::to_string(first + 1) + ";" + std::to_string(last + 1); };
  std::string value;
  if (what == "m") {
    value = sgr_text();
  } else if (what == "r") {
    value = range(m.top, m.bottom);
  } else if (what == "s") {
    value = range(m.left, m.right);
  } else if (what == "t" || what == "*|") {
    value = std::to_string(state_.size.rows);
  } else if (what == "$|") {
    value = std::to_string(state_.size.cols);
  } else if (what == " q") {
    value = std::to_string(state_.cursor_shape);
  } else if (what == "\"q") {
    value = state_.screen().pen.is_protected && state_.screen().protection == Protection::dec ? "1" : "0";
  } else if (what == "\"p") {
    value = "6" + std::to_string(state_.conformance) + ";1";
  } else if (what == "*x" && is_xterm()) {
    value = std::to_string(state_.attribute_extent);
  } else if ((what == "$}" || what == "$~") && is_xterm()) {
    value = "0";  // no status line
  } else {
    return reply("\x1bP0$r\x1b\\");
  }
  reply("\x1bP1$r" + value + std::string(what) + "\x1b\\");  // `what` is one of the words above
}

void Interpreter::report_capabilities(std::string_view names) {
  constexpr int kNamesMax = 64;
  constexpr std::size_t kNameBytesMax = 32;
  for (int i = 0; i < kNamesMax && !names.empty(); ++i) {
    const std::size_t end = names.find(';');
    const std::string_view hex = names.substr(0, end);
    const std::string name = hex.size() <= 2 * kNameBytesMax ? from_hex(hex) : std::string();
    names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
    std::string answer;
    if (name == "TN" || name == "name") answer = to_hex(name) + "=" + to_hex(client_.term);
    for (const Capability& capability : kCapabilities) {
      if (capability.name != name) continue;
      answer = to_hex(name);
      if (!capability.value.empty()) answer += "=" + to_hex(capability.value);
    }
    reply(answer.empty() ? "\x1bP0+r\x1b\\" : "\x1bP1+r" + answer + "\x1b\\");
  }
}

}  // namespace holdfast::vt
