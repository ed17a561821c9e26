// The canonical object: the picture and the hidden state of a terminal in the one form that the tests compare engines
// by.
#include "vt/cell_text.h"
#include "vt/text.h"

namespace holdfast::vt {
namespace {

std::string color_name(Color color) {
  if (color.is_default()) return "";
  if (color.is_palette()) return "p" + std::to_string(color.value & 0xff);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "#";
  for (int shift = 20; shift >= 0; shift -= 4) text += kDigits[color.value >> shift & 15];
  return text;
}

std::string attribute_letters(const Style& s) {
  std::string letters;
  const auto add = [&](std::uint32_t bits, char letter) {
    if (s.attributes & bits) letters += letter;
  };
  add(kBold, 'B');
  add(kFaint, 'F');
  add(kItalic, 'I');
  add(kUnderlineMask, 'U');
  add(kBlink | kRapidBlink, 'K');
  add(kInverse, 'R');
  add(kHidden, 'H');
  add(kStrike, 'S');
  add(kOverline, 'O');
  return letters;
}

class Canonical {
 public:
  explicit Canonical(State& state) : state_(state) {}

  Json object(std::string_view responses) {
    const ScreenState& screen = state_.screen();
    Json j = Json::object();
    j.set("engine", "holdfast").set("cols", int{state_.size.cols}).set("rows", int{state_.size.rows});
    j.set("alt", state_.on_alternate);
    j.set("cursor", cursor(screen));
    j.set("modes", modes());
    j.set("screen", rows(screen, !state_.on_alternate));
    j.set("scrollback", state_.on_alternate ? Json::array() : history());
    j.set("responses", latin1(responses));
    j.set("hidden", hidden(screen));
    return j;
  }

 private:
  Json cursor(const ScreenState& screen) const {
    constexpr const char* kShapes[] = {"default", "block", "block", "underline", "underline", "bar", "bar"};
    return Json::object()
        .set("x", screen.cursor.x)
        .set("y", screen.cursor.y)
        .set("visible", state_.modes.get(Mode::cursor_visible))
        .set("pendingWrap", screen.cursor.pending_wrap)
        .set("style", kShapes[state_.cursor_shape])
        .set("blink", state_.modes.get(Mode::cursor_blink));
  }

  Json modes() const {
    Json j = Json::object();
    for (const ModeInfo& info : mode_table()) {
      std::string name = info.is_private ? "?" : "";
      j.set(name + std::to_string(info.number), int{state_.modes.get(info.mode)});
    }
    // The ANSI mode 2026 is the engine's own; ?66 is what DECKPAM sets.
    return j.set("?66", int{state_.keypad_application || state_.modes.get(Mode::keypad)});
  }

  static std::string latin1(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) append_utf8(text, static_cast<unsigned char>(c));
    return text;
  }

  // Default blank cells are left out, trailing fields at their default are cut.
  void add_cell(Json& cells, const RowView& row, std::size_t x) const {
    const Cell cell = row.cells[x];
    if (cell.kind() == CellKind::wide_tail) return;
    const Style& style = state_.tables.styles[cell.style()];
    std::string text;
    append_cell_text(text, cell, state_.tables);
    if (text.empty()) text = " ";
    std::string link;
    if (cell.is_written() && cell.link() != 0) {
      const Link& l = state_.tables.links[cell.link()];
      link = (is_implicit(l) ? std::string() : l.id) + ";" + l.uri;
    }
    const int width = cell.kind() == CellKind::wide ? 2 : 1;
    Json::Array fields = {static_cast<int>(x),
                          text,
                          width,
                          color_name(style.foreground),
                          color_name(style.background),
                          attribute_letters(style),
                          static_cast<int>(style.underline()),
                          style.underline() != 0 ? color_name(style.underline_color) : std::string(),
                          link};
    const Json::Array defaults = {0, "", 1, "", "", "", 0, "", ""};
    while (fields.size() > 3 && fields.back() == defaults[fields.size() - 1]) fields.pop_back();
    if (fields.size() == 3 && width == 1 && text == " ") return;
    cells.push(std::move(fields));
  }

  Json row(const RowView& row, bool is_continuation) const {
    Json cells = Json::array();
    for (std::size_t x = 0; x < row.cells.size(); ++x) add_cell(cells, row, x);
    return Json::object().set("w", is_continuation).set("c", std::move(cells));
  }

  Json rows(const ScreenState& screen, bool has_history) const {
    Json list = Json::array();
    bool continues = has_history && state_.history.is_open();
    for (int y = 0; y < screen.grid.rows(); ++y) {
      const RowView view = screen.grid.row(y).view();
      list.push(row(view, continues));
      continues = view.flags.wrapped;
    }
    return list;
  }

  Json history() {
    Json list = Json::array();
    bool continues = false;
    each_history_row(state_, SIZE_MAX, [&](const RowView& view) {
      list.push(row(view, continues));
      continues = view.flags.wrapped;
    });
    return list;
  }

  static Json pen(const Pen& pen) {
    return Json::Array{color_name(pen.style.foreground), color_name(pen.style.background), attribute_letters(pen.style),
                       static_cast<int>(pen.style.underline())};
  }

  static Json saved(const ScreenState& screen) {
    const SavedCursor s = screen.saved.value_or(SavedCursor{});
    return Json::object().set("x", s.cursor.x).set("y", s.cursor.y).set("origin", int{s.origin}).set("pen", pen(s.pen));
  }

  Json charsets() const {
    const Charsets& c = state_.charsets;
    const auto name = [&](std::size_t g) { return std::string(charset_name(c.g[g])); };
    return Json::object()
        .set("gl", name(c.gl))
        .set("g0", name(0))
        .set("g1", name(1))
        .set("g2", name(2))
        .set("g3", name(3));
  }

  Json hidden(const ScreenState& screen) {
    Json h = Json::object();
    h.set("pendingWrap", screen.cursor.pending_wrap).set("pen", pen(screen.pen));
    const Margins& m = state_.margins;
    h.set("margins",
          Json::object().set("top", m.top).set("left", m.left).set("bottom", m.bottom).set("right", m.right));
    Json tabs = Json::array();
    for (std::size_t x = 1; x < state_.tab_stops.size(); ++x) {
      if (state_.tab_stops[x]) tabs.push(static_cast<int>(x));
    }
    h.set("tabs", std::move(tabs)).set("saved", saved(screen)).set("charsets", charsets());
    const ScreenState& other = state_.on_alternate ? state_.primary : state_.alternate;
    h.set("otherScreen", Json::object()
                             .set("rows", rows(other, state_.on_alternate))
                             .set("scrollback", state_.on_alternate ? history() : Json::array()));
    h.set("title", state_.titles.window).set("iconName", state_.titles.icon);
    Json stack = Json::array();
    for (const auto& [window, icon] : state_.titles.stack) stack.push(window);
    h.set("titleStack", std::move(stack));
    Json kitty = Json::array();
    kitty.push(int{screen.kitty.base});
    for (int i = 0; i < screen.kitty.depth; ++i) kitty.push(int{screen.kitty.flags[static_cast<std::size_t>(i)]});
    return h.set("kitty", std::move(kitty)).set("modifyOtherKeys", int{state_.modify_other_keys});
  }

  State& state_;
};

}  // namespace

Json canonical(State& state, std::string_view responses) { return Canonical(state).object(responses); }

}  // namespace holdfast::vt
