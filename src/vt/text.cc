#include "vt/text.h"

#include <functional>
#include <optional>
#include <utility>

#include "vt/cell_text.h"
#include "vt/cell_writer.h"
#include "vt/row_cut.h"

namespace holdfast::vt {
namespace {

// No spacers: they are not part of the line.
std::string plain_row(const RowView& row, const Tables& tables) {
  std::string text;
  for (const Cell cell : row.cells) {
    if (cell.kind() == CellKind::wide_tail || cell.kind() == CellKind::wrap_spacer) continue;
    if (cell.is_written())
      append_cell_text(text, cell, tables);
    else
      text += ' ';
  }
  return text;
}

void trim_end(std::string& text) { text.erase(text.find_last_not_of(' ') + 1); }

// The visible rows without the blank ones at the end.
std::size_t written_rows(const State& state) {
  const Grid& grid = state.screen().grid;
  int rows = grid.rows();
  while (rows > 0 && plain_row(grid.row(rows - 1).view(), state.tables).find_first_not_of(' ') == std::string::npos) --rows;
  return static_cast<std::size_t>(rows);
}

// Calls `f` for the rows that were asked for, oldest first.
void each_row(State& state, const ReadOptions& options, const std::function<void(const RowView&)>& f) {
  const Grid& grid = state.screen().grid;
  const bool last_rows = options.rows != 0 && !options.all;
  const std::size_t visible = last_rows && options.written ? written_rows(state) : static_cast<std::size_t>(grid.rows());
  const std::size_t wanted = last_rows ? options.rows : visible;
  if (!state.on_alternate && (options.all || wanted > visible)) {
    each_history_row(state, options.all ? SIZE_MAX : wanted - visible, f);
  }
  const std::size_t first = options.all || wanted >= visible ? 0 : visible - wanted;
  for (std::size_t y = first; y < visible; ++y) f(grid.row(static_cast<int>(y)).view());
}

// Calls `f` for each row, or for each logical line, trimmed.
void each_line(State& state, const ReadOptions& options, const std::function<void(std::string)>& f) {
  std::optional<std::string> begun;
  each_row(state, options, [&](const RowView& row) {
    std::string text = plain_row(row, state.tables);
    begun = begun ? *std::move(begun) + text : std::move(text);
    if (options.unwrap && row.flags.wrapped) return;
    trim_end(*begun);
    f(*std::exchange(begun, std::nullopt));
  });
  if (!begun) return;
  trim_end(*begun);
  f(*std::move(begun));
}

// For who has to know both rows and lines. No cell holds a CR.
std::string rows_with_wraps(State& state, const ReadOptions& options) {
  std::string out;
  each_row(state, options, [&](const RowView& row) {
    std::string text = plain_row(row, state.tables);
    if (!row.flags.wrapped) trim_end(text);
    out += text;
    out += row.flags.wrapped ? '\r' : '\n';
  });
  return out;
}

std::string plain(State& state, const ReadOptions& options) {
  if (options.wraps) return rows_with_wraps(state, options);
  std::string out;
  each_line(state, options, [&](const std::string& line) {
    out += line;
    out += '\n';
  });
  return out;
}

// Rows as bytes for a terminal: no cursor movement but forward, so that they can be printed anywhere.
std::string vt_rows(State& state, const ReadOptions& options) {
  std::string out;
  CellWriter cells(state.tables, state.size.rows, out);
  each_row(state, options, [&](const RowView& row) {
    const RowView unmarked{row.cells, {row.flags.wrapped, RowMark::none}};
    cells.row(unmarked, state.size.cols, CellWriter::Start::positioned);
    if (options.unwrap && row.flags.wrapped) return;
    cells.set_pen(Pen{});
    out += "\r\n";
  });
  cells.set_pen(Pen{});
  std::size_t nowhere = 0;
  cells.name_split_links(&nowhere);
  return out;
}

// The first 16 colours as xterm has them; a program's own palette goes before.
constexpr std::uint32_t kAnsiColors[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
                                           0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
                                           0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};

std::uint32_t palette_rgb(const Colors& colors, unsigned index) {
  if (const auto it = colors.palette.find(static_cast<std::uint8_t>(index)); it != colors.palette.end()) {
    return it->second;
  }
  if (index < 16) return kAnsiColors[index];
  if (index >= 232) return (8 + 10 * (index - 232)) * 0x010101;
  const auto level = [](unsigned n) { return n == 0 ? 0u : 55 + 40 * n; };
  const unsigned n = index - 16;
  return level(n / 36) << 16 | level(n / 6 % 6) << 8 | level(n % 6);
}

std::string css_color(const Colors& colors, Color color) {
  const std::uint32_t rgb = color.is_rgb() ? color.value & 0xffffff : palette_rgb(colors, color.value & 0xff);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "#";
  for (int shift = 20; shift >= 0; shift -= 4) text += kDigits[rgb >> shift & 15];
  return text;
}

std::string css(const Colors& colors, const Style& s) {
  std::string out;
  const auto add = [&out](std::string_view property, std::string_view value) {
    out.append(property).append(":").append(value).append(";");
  };
  const bool inverse = s.attributes & kInverse;
  const auto color = [&](Color c, std::string_view fallback) {
    return c.is_default() ? std::string(inverse ? fallback : "") : css_color(colors, c);
  };
  const std::string fg = color(s.foreground, "CanvasText"), bg = color(s.background, "Canvas");
  const std::string& front = inverse ? bg : fg;
  const std::string& back = inverse ? fg : bg;
  if (!front.empty()) add("color", front);
  if (!back.empty()) add("background", back);
  if (s.attributes & kBold) add("font-weight", "bold");
  if (s.attributes & kFaint) add("opacity", "0.6");
  if (s.attributes & kItalic) add("font-style", "italic");
  if (s.attributes & kHidden) add("visibility", "hidden");
  constexpr std::string_view kUnderlines[] = {
      "", "underline", "underline double", "underline wavy", "underline dotted", "underline dashed"};
  std::string decoration(kUnderlines[s.underline()]);
  if (s.underline() != 0 && !s.underline_color.is_default()) decoration += " " + css_color(colors, s.underline_color);
  if (s.attributes & kStrike) decoration += decoration.empty() ? "line-through" : " line-through";
  if (s.attributes & kOverline) decoration += decoration.empty() ? "overline" : " overline";
  if (!decoration.empty()) add("text-decoration", decoration);
  return out;
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
}

// Only what a browser may follow without running something.
bool is_harmless(std::string_view uri) {
  return uri.starts_with("http://") || uri.starts_with("https://") || uri.starts_with("mailto:");
}

class Html {
 public:
  explicit Html(State& state) : state_(state) {}

  std::string page(const ReadOptions& options) {
    out_ = "<pre>";
    each_row(state_, options, [&](const RowView& row) {
      add(row, options.unwrap);
      if (!(options.unwrap && row.flags.wrapped)) {
        change(0, 0);
        out_ += '\n';
      }
    });
    change(0, 0);
    out_ += "</pre>\n";
    return std::move(out_);
  }

 private:
  void add(const RowView& row, bool is_joined) {
    const std::size_t columns = touched_columns(row);
    for (std::size_t x = 0; x < columns; ++x) {
      const Cell cell = row.cells[x];
      if (cell.kind() == CellKind::wide_tail || (is_joined && cell.kind() == CellKind::wrap_spacer)) continue;
      change(cell.style(), cell.link());
      std::string text;
      append_cell_text(text, cell, state_.tables);
      append_escaped(out_, text.empty() ? " " : text);
    }
  }
  void change(std::uint16_t style, std::uint16_t link) {
    if (style == style_ && link == link_) return;
    if (style_ != 0) out_ += "</span>";
    if (link_ != 0 && is_harmless(state_.tables.links[link_].uri)) out_ += "</a>";
    if (link != 0 && is_harmless(state_.tables.links[link].uri)) {
      out_ += "<a href=\"";
      append_escaped(out_, state_.tables.links[link].uri);
      out_ += "\">";
    }
    if (style != 0) out_ += "<span style=\"" + css(state_.colors, state_.tables.styles[style]) + "\">";
    style_ = style;
    link_ = link;
  }

  State& state_;
  std::string out_;
  std::uint16_t style_ = 0, link_ = 0;
};

// Bytes of a string in JSON, with its quotes.
std::size_t json_bytes(std::string_view text) {
  std::size_t bytes = 2;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    bytes += byte < 0x20 ? 6 : c == '"' || c == '\\' ? 2 : 1;
  }
  return bytes;
}

Result<std::string> json(State& state, const ReadOptions& options) {
  std::size_t bytes = 2, count = 0;
  Json list = Json::array();
  each_line(state, options, [&](std::string line) {
    ++count;
    bytes += json_bytes(line) + 1 + sizeof(std::string);
    if (bytes <= kReadJsonBytesMax) list.push(std::move(line));
  });
  if (bytes > kReadJsonBytesMax) {
    return fail(ErrorKind::refused, "read " + std::to_string(count) + " rows as JSON",
                "they take " + std::to_string(bytes) + " bytes, more than the " + std::to_string(kReadJsonBytesMax) +
                    " of one answer",
                "ask for fewer rows, or for another format");
  }
  const Cursor& cursor = state.screen().cursor;
  Json answer = Json::object();
  answer.set("lines", std::move(list));
  answer.set("cursor", Json::object().set("x", cursor.x).set("y", cursor.y));
  answer.set("cols", int{state.size.cols}).set("rows", int{state.size.rows});
  answer.set("alternate", state.on_alternate).set("title", state.titles.window);
  return answer.dump() + "\n";
}

}  // namespace

void each_history_row(State& state, std::size_t rows, const std::function<void(const RowView&)>& f) {
  const int cols = state.size.cols;
  const RowView below = state.primary.grid.row(0).view();
  const bool begins_wide = !below.cells.empty() && below.cells[0].kind() == CellKind::wide;
  std::size_t left = std::min(rows, state.history.rows_at(cols));
  state.history.each_row(cols, left, state.tables, [&](const RowView& row) {
    const bool is_open = --left == 0 && row.flags.wrapped;
    if (!is_open || !begins_wide || row.cells.back().kind() != CellKind::wrap_spacer) return f(row);
    std::vector<Cell> cells(row.cells.begin(), row.cells.end());
    cells.back() = spacer_before(below.cells, 0);
    f({cells, row.flags});
  });
}

Result<std::string> read_text(State& state, const ReadOptions& options) {
  switch (options.format) {
    case TextFormat::plain:
      return plain(state, options);
    case TextFormat::vt:
      return vt_rows(state, options);
    case TextFormat::html:
      return Html(state).page(options);
    case TextFormat::json:
      return json(state, options);
  }
  return std::string();
}

}  // namespace holdfast::vt
