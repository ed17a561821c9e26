// Everything a terminal is, as data: what a restore must bring back and a snapshot must hold (docs/vt.md, "State").
//
// Terminal changes it, the formatter and the codec read it. Two terminals are equal if their State is.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vt/charset.h"
#include "vt/graphics.h"
#include "vt/grid.h"
#include "vt/history.h"
#include "vt/modes.h"
#include "vt/tables.h"

namespace holdfast::vt {

enum class Profile : std::uint8_t { ghostty, xterm };            // whose habits decide where engines disagree

struct Charsets {
  std::array<Charset, 4> g{};  // G0..G3
  std::uint8_t gl = 0, gr = 2;
  std::uint8_t single_shift = 0;  // 2 or 3: the next character comes from G2/G3
  friend bool operator==(const Charsets&, const Charsets&) = default;
};

enum class Protection : std::uint8_t { off, iso, dec };  // SPA / DECSCA

struct Pen {
  Style style;
  std::uint16_t link = 0;
  bool is_protected = false;
  Semantic semantic = Semantic::output;
};

struct Cursor {
  int x = 0, y = 0;
  bool pending_wrap = false;  // the last column was printed; the next character wraps first
};

// DECSC: also `?1048 h` and, on the primary, `?1049 h`.
struct SavedCursor {
  Cursor cursor;
  Pen pen;
  Charsets charsets;
  bool origin = false;
};

// Kitty keyboard protocol: the flags in force and those pushed below them.
struct KittyStack {
  static constexpr int kDepthMax = 8;  // the oldest entry goes, as in kitty and Ghostty
  std::array<std::uint8_t, kDepthMax> flags{};
  std::uint8_t depth = 0;  // pushed entries; flags[depth - 1] is in force; 0 = `base`
  std::uint8_t base = 0;   // flags set with CSI = u while nothing was pushed
  std::uint8_t current() const { return depth ? flags[depth - 1] : base; }
  friend bool operator==(const KittyStack&, const KittyStack&) = default;
};

struct ScreenState {
  Grid grid;
  Cursor cursor;
  Pen pen;
  std::optional<SavedCursor> saved;
  KittyStack kitty;
  Graphics graphics;
  Protection protection = Protection::off;  // which kind the protected cells of this screen obey
  explicit ScreenState(int cols, int rows) : grid(cols, rows) {}
};

struct Margins {
  int top = 0, bottom = 0, left = 0, right = 0;  // inclusive, zero-based
  friend bool operator==(const Margins&, const Margins&) = default;
};

struct Titles {
  std::string window, icon;
  std::vector<std::pair<std::string, std::string>> stack;  // (window, icon), bottom first; at most kStackMax
  static constexpr std::size_t kStackMax = 10;             // as xterm
  static constexpr std::size_t kBytesMax = 4096;           // of one title; longer ones are cut
  bool set_as_hex = false, reported_as_hex = false;        // XTSMTITLE 0 and 1
};

// Colours the program changed. Unset = the terminal's own.
struct Colors {
  static constexpr int kDynamicFirst = 10, kDynamicCount = 10;  // OSC 10-19: foreground, background, cursor, …
  static constexpr int kSpecialCount = 5;                       // OSC 5: bold, underline, blink, reverse, italic
  std::map<std::uint8_t, std::uint32_t> palette;                // OSC 4: index -> 0xRRGGBB
  std::array<std::optional<std::uint32_t>, kDynamicCount> dynamic;
  std::array<std::optional<std::uint32_t>, kSpecialCount> special;

  std::optional<std::uint32_t>& of(int osc) { return dynamic[static_cast<std::size_t>(osc - kDynamicFirst)]; }
  const std::optional<std::uint32_t>& of(int osc) const { return dynamic[static_cast<std::size_t>(osc - kDynamicFirst)]; }
  friend bool operator==(const Colors&, const Colors&) = default;
};

// XTPUSHSGR: the looks of the pen, and which of them XTPOPSGR brings back.
struct SgrEntry {
  // What can be named, by the numbers in the sequence; bit i of `parts` is the i-th of them.
  static constexpr std::array<std::uint8_t, 11> kCodes = {1, 2, 3, 4, 5, 7, 8, 9, 21, 30, 31};
  static constexpr std::uint16_t kAll = (1u << kCodes.size()) - 1;
  Style style;
  std::uint16_t parts = kAll;
  friend bool operator==(const SgrEntry&, const SgrEntry&) = default;
};

struct Progress {
  std::uint8_t state = 0;  // OSC 9;4: 0 none, 1 normal, 2 error, 3 indeterminate, 4 paused
  std::uint8_t percent = 0;
  friend bool operator==(Progress, Progress) = default;
};

// What a program says it is doing (OSC 7501), one record for each of its parts that has an id.
struct StatusRecord {
  static constexpr std::size_t kRecordsMax = 64;   // agents with more parts than this at work are not known
  static constexpr std::size_t kBytesMax = 4096;   // a longer one is told of, and not kept
  std::string id;    // "" = the program itself
  std::string text;  // the payload, as received
  bool is_clear = false;  // takes a record back: never one itself
  static StatusRecord parse(std::string_view text);
  friend bool operator==(const StatusRecord&, const StatusRecord&) = default;
};

struct Size {
  std::uint16_t cols = 80, rows = 24;
  std::uint16_t xpixel = 0, ypixel = 0;  // of the whole area; 0 = unknown
  friend bool operator==(const Size&, const Size&) = default;
};

struct State {
  Size size;
  ScreenState primary, alternate;
  bool on_alternate = false;
  Mode alternate_mode = Mode::alternate_1049;  // which of ?47 ?1047 ?1049 switched
  History history;                              // of the primary screen
  Tables tables;

  ModeSet modes = ModeSet::defaults();
  ModeSet saved_modes = ModeSet::defaults();    // XTSAVE
  Mode mouse_tracking = Mode::count_;           // the tracking mode set last and still on; count_ = none
  Mode mouse_encoding = Mode::count_;
  Margins margins;
  std::vector<bool> tab_stops;                  // one a column
  Charsets charsets;
  std::uint8_t modify_other_keys = 0;           // CSI > 4 ; n m
  bool keypad_application = false;              // DECKPAM
  std::uint8_t cursor_shape = 0;                // DECSCUSR 0-6; 0 = the terminal's default
  std::uint8_t conformance = 4;                 // DECSCL level
  std::uint8_t attribute_extent = 0;            // DECSACE: 2 = rectangle, else stream
  Titles titles;
  std::string working_directory;                // OSC 7, as received
  std::string pointer_shape;                    // OSC 22
  std::vector<std::string> pointer_stack;       // those below it (OSC 22;>), bottom first; at most kPointerStackMax
  std::uint8_t shift_escape = 0;                // XTSHIFTESCAPE: whether shift and mouse go to the program
  Colors colors;
  std::vector<Colors> color_stack;              // XTPUSHCOLORS, bottom first; at most kColorStackMax
  std::vector<StatusRecord> status;             // OSC 7501, oldest first; at most kRecordsMax
  Progress progress;
  std::uint32_t last_printed = 0;               // code point that REP repeats; 0 = none
  bool utf8 = true;                             // ESC % G; ESC % @ turns it off
  std::uint32_t link_serial = 0;                // of the newest hyperlink without an id
  std::vector<SgrEntry> sgr_stack;              // XTPUSHSGR, bottom first; at most kSgrStackMax
  // Raw bytes of the unfinished sequence or UTF-8 prefix, without the control characters that were executed inside it.
  // At most kContinuationBytesMax + 1: the one more says that the sequence is over its bound and will have no effect.
  std::string continuation;
  std::uint64_t offset = 0;                     // bytes consumed so far

  static constexpr std::size_t kSgrStackMax = 10;                   // as xterm
  static constexpr std::size_t kColorStackMax = 10;                 // as xterm and kitty
  static constexpr std::size_t kPointerStackMax = 16;               // as kitty
  static constexpr std::size_t kContinuationBytesMax = 1u << 20;    // the longest OSC that has an effect

  ScreenState& screen() { return on_alternate ? alternate : primary; }
  const ScreenState& screen() const { return on_alternate ? alternate : primary; }
  State(Size size, HistoryLimits limits);
};

// A name of a pointer's shape (OSC 22), not one of the signs that push, pop and ask.
inline bool is_pointer_shape(std::string_view name) {
  return name.find_first_of("<>=?") != 0 && name.find(',') == std::string_view::npos;
}

}  // namespace holdfast::vt
