// A terminal with verbs, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vt/cell_text.h"
#include "vt/invariants_fixture.h"
#include "vt/terminal.h"

namespace holdfast::vt {

struct RecordedEvent {
  EventKind kind;
  std::string text;
  std::uint32_t number;
  friend bool operator==(const RecordedEvent&, const RecordedEvent&) = default;
};

class Screen : public Sink {
 public:
  explicit Screen(int cols = 10, int rows = 4, Profile profile = Profile::ghostty)
      : terminal(Options{size_of(cols, rows), {}, profile}) {}

  static Size size_of(int cols, int rows) {
    return {static_cast<std::uint16_t>(cols), static_cast<std::uint16_t>(rows), 0, 0};
  }

  Screen& feed(std::string_view bytes) {
    terminal.feed(bytes, *this);
    return *this;
  }
  Screen& feed_bytewise(std::string_view bytes) {
    for (const char& c : bytes) terminal.feed({&c, 1}, *this);
    return *this;
  }
  Screen& resize(int cols, int rows) {
    terminal.resize(size_of(cols, rows), *this);
    return *this;
  }

  void reply(std::uint64_t offset, std::string_view bytes) override {
    replies += bytes;
    reply_offsets.push_back(offset);
  }
  void event(std::uint64_t, const Event& e) override { events.push_back({e.kind, std::string(e.text), e.number}); }

  const State& state() const { return terminal.state(); }
  const Grid& grid() const { return state().screen().grid; }
  Cell cell(int x, int y) const { return grid().row(y).cells[x]; }
  const Style& style(int x, int y) const { return state().tables.styles[cell(x, y).style()]; }
  const Link& link(int x, int y) const { return state().tables.links[cell(x, y).link()]; }
  int x() const { return state().screen().cursor.x; }
  int y() const { return state().screen().cursor.y; }
  bool pending() const { return state().screen().cursor.pending_wrap; }
  bool mode(Mode m) const { return state().modes.get(m); }

  std::string cell_text(Cell c) const {
    std::string out;
    if (c.is_cluster()) {
      for (const char32_t cp : state().tables.clusters[c.text()]) append_utf8(out, cp);
    } else {
      append_utf8(out, c.is_written() ? c.text() : U' ');
    }
    return out;
  }
  std::string text_of(RowView row) const {
    std::string out;
    for (const Cell c : row.cells) {
      if (c.kind() != CellKind::wide_tail) out += cell_text(c);
    }
    while (out.ends_with(' ')) out.pop_back();
    return (row.flags.wrapped ? out + "\\" : out);
  }
  // The row's text without trailing blanks; a backslash at its end means that the next row continues it.
  std::string row(int y) const { return text_of(grid().row(y).view()); }
  // Rows joined by '|', without the blank ones at the end.
  std::string rows() const {
    std::string out;
    for (int y = 0; y < grid().rows(); ++y) out += (y > 0 ? "|" : "") + row(y);
    while (out.ends_with('|')) out.pop_back();
    return out;
  }
  std::string history() {
    std::string out;
    State& s = terminal.mutable_state();
    s.history.each_row(s.size.cols, SIZE_MAX, s.tables, [&](const RowView& r) { out += text_of(r) + "|"; });
    return out;
  }
  std::string take_replies() { return std::exchange(replies, {}); }

  Terminal terminal;
  std::string replies;
  std::vector<std::uint64_t> reply_offsets;
  std::vector<RecordedEvent> events;
};

}  // namespace holdfast::vt
