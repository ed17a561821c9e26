#include "cli/roster_text.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace holdfast::cli {

namespace {

using client::Presence;
using client::RosterEntry;

constexpr std::string_view kGap = "  ";

// The columns, as they stand in a line.
enum Column : std::size_t { kName, kState, kAge, kClients, kCommand, kDirectory, kTitle, kColumns };
using Cells = std::array<std::string, kColumns>;
using Widths = std::array<std::size_t, kColumns>;

// What a shortened column still needs to say something, and what it gets before another one gets all it wants: one
// endless command line must not take the room of everybody's directory and title.
constexpr Widths kLeast{6, 7, 2, 10, 6, 8, 8};
constexpr Widths kComfort{32, 14, 3, 12, 40, 32, 24};
// In which order columns get room.
constexpr std::array<Column, kColumns> kPriority{kName, kState, kAge, kCommand, kDirectory, kClients, kTitle};

std::int64_t age_from(const RosterEntry& entry, std::int64_t now_ms) {
  if (entry.presence == Presence::exited && entry.info.ended_ms > 0) return now_ms - entry.info.ended_ms;
  return entry.info.created_ms > 0 ? now_ms - entry.info.created_ms : 0;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool whole = text[i] == '%' && i + 2 < text.size();
    const int high = whole ? hex_digit(text[i + 1]) : -1;
    const int low = whole ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return out;
}

std::string clients_text(const RosterEntry& entry) {
  if (entry.presence != Presence::running || entry.info.clients == 0) return {};
  return std::to_string(entry.info.clients) + " attached";
}

Cells cells_of(const RosterEntry& entry, const RosterStyle& style) {
  Cells cells;
  cells[kName] = printable(entry.info.name.empty() ? entry.info.id : entry.info.name);
  cells[kState] = state_text(entry);
  if (!style.here.empty() && entry.info.id == style.here) cells[kState] += " (this one)";
  cells[kAge] = age_text(age_from(entry, style.now_ms));
  cells[kClients] = clients_text(entry);
  cells[kCommand] = command_text(entry.info.argv);
  cells[kDirectory] = short_directory(printable(directory_of(entry.info)), style.home, 4096);
  cells[kTitle] = printable(entry.info.title);
  return cells;
}

// What each column gets of a line of `width` columns (0: all they want).
Widths share(const Widths& wanted, std::size_t width) {
  if (width == 0) return wanted;
  Widths given{};
  std::size_t left = width;
  for (const Column column : kPriority) {
    if (wanted[column] == 0) continue;
    const std::size_t gap = left == width ? 0 : kGap.size();
    if (left <= gap) break;
    // Without its whole name a session cannot be attached to, without its state the list says nothing.
    const bool whole = column == kName || column == kState;
    const std::size_t least = std::min(wanted[column], whole ? left - gap : kLeast[column]);
    if (left < gap + least) continue;
    given[column] = least;
    left -= gap + least;
  }
  for (const Widths& goal : {kComfort, wanted}) {
    for (const Column column : kPriority) {
      const std::size_t target = std::min(goal[column], wanted[column]);
      if (given[column] == 0 || given[column] >= target) continue;
      const std::size_t more = std::min(left, target - given[column]);
      given[column] += more;
      left -= more;
    }
  }
  return given;
}

std::string cell_text(const Cells& cells, Column column, std::size_t width, const RosterStyle& style) {
  if (column == kDirectory) return short_directory(cells[column], style.home, width);
  return fitted(cells[column], width);
}

std::string line_of(const RosterEntry& entry, const Cells& cells, const Widths& widths, const RosterStyle& style) {
  std::string line;
  std::size_t blanks = 0;  // owed before the next cell, so that no line ends in blanks
  for (std::size_t i = 0; i < kColumns; ++i) {
    if (widths[i] == 0) continue;
    const auto column = static_cast<Column>(i);
    const std::string text = cell_text(cells, column, widths[i], style);
    const std::size_t columns = display_width(text);
    if (columns != 0) {
      line += std::string(blanks, ' ');
      line += painted(style.console, column == kState ? state_colour(entry) : Colour::plain, text);
      blanks = 0;
    }
    blanks += widths[i] - columns + kGap.size();
  }
  return line + "\n";
}

std::string folded_line(const std::vector<const RosterEntry*>& exited, const RosterStyle& style) {
  const std::string count = std::to_string(exited.size()) + " exited: ";
  const std::string hint = "  (hold ls --all)";
  std::string names;
  for (const auto* entry : exited) names += (names.empty() ? "" : ", ") + printable(entry->info.name);
  if (style.console.width > 0) {
    const auto width = static_cast<std::size_t>(style.console.width);
    const std::size_t taken = count.size() + hint.size();
    names = fitted(names, width > taken + kLeast[kName] ? width - taken : kLeast[kName]);
  }
  std::string line = count + names + hint;
  if (style.console.width > 0) line = fitted(line, static_cast<std::size_t>(style.console.width));
  return painted(style.console, Colour::dim, line) + "\n";
}

}  // namespace

std::string directory_of(const wire::Info& info) {
  constexpr std::string_view kScheme = "file://";
  const std::string_view said = info.working_directory;
  if (said.starts_with('/')) return std::string(said);
  if (!said.starts_with(kScheme)) return info.cwd;
  const std::size_t path = said.find('/', kScheme.size());  // behind the host, which may be empty
  return path == std::string_view::npos ? info.cwd : percent_decoded(said.substr(path));
}

std::string command_text(const std::vector<std::string>& argv) {
  std::string text;
  for (const auto& word : argv) {
    // The program's directory is noise in a list.
    const bool program = text.empty();
    const std::string shown = program ? word.substr(word.rfind('/') + 1) : word;
    text += (program ? "" : " ") + shell_quoted(shown);
  }
  return printable(text);
}

std::string state_text(const RosterEntry& entry) {
  std::string text = client::presence_name(entry.presence);
  if (entry.presence == Presence::exited && entry.info.has_exit) {
    if (entry.info.exit_signal != 0) {
      text += " " + signal_name(entry.info.exit_signal);
    } else if (entry.info.exit_code >= 0) {
      text += " " + std::to_string(entry.info.exit_code);
    }
  }
  if (entry.presence == Presence::running && !entry.info.state.empty() && entry.info.state != "unknown") {
    text = printable(entry.info.state, 32);
  }
  for (const auto& mark : entry.info.marks) text += " " + printable(mark, 32);
  return text;
}

Colour state_colour(const RosterEntry& entry) {
  switch (entry.presence) {
    case Presence::running:
      return entry.info.marks.empty() ? Colour::green : Colour::yellow;
    case Presence::starting:
      return Colour::blue;
    case Presence::exited:
      return Colour::dim;
    case Presence::elsewhere:
      return Colour::dim;
    case Presence::lost:
      return Colour::red;
    case Presence::not_responding:
      return Colour::yellow;
  }
  return Colour::plain;
}

std::string roster_text(const std::vector<RosterEntry>& entries, const RosterStyle& style) {
  std::vector<const RosterEntry*> shown, exited;
  for (const auto& entry : entries) {
    const bool fold = entry.presence == Presence::exited && !style.all;
    (fold ? exited : shown).push_back(&entry);
  }
  std::vector<Cells> lines;
  Widths wanted{};
  for (const auto* entry : shown) {
    lines.push_back(cells_of(*entry, style));
    for (std::size_t i = 0; i < kColumns; ++i) wanted[i] = std::max(wanted[i], display_width(lines.back()[i]));
  }
  const Widths widths = share(wanted, static_cast<std::size_t>(style.console.width));
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i) out += line_of(*shown[i], lines[i], widths, style);
  if (!exited.empty()) out += folded_line(exited, style);
  return out;
}

}  // namespace holdfast::cli
