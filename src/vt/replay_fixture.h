// What a restore must bring back, and how that is looked at: the one place for tests and fuzzers.
//
// The bytes of a restore, replayed into a fresh terminal and into a dirtied one, once and twice, give an equal
// expressible(). The binary snapshot gives an equal everything().
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vt/restore.h"
#include "vt/snapshot.h"
#include "vt/terminal.h"

namespace holdfast::vt {

class Silence : public Sink {
 public:
  void reply(std::uint64_t, std::string_view) override {}
  void event(std::uint64_t, const Event&) override {}
};

inline void feed_silently(Terminal& terminal, std::string_view bytes) {
  Silence silence;
  terminal.feed(bytes, silence);
}

// A fresh terminal of the size and the limits of a state.
inline Terminal terminal_like(const State& state, Profile profile) {
  return Terminal({.size = state.size, .history = state.history.limits(), .profile = profile});
}

// Every kind of state is another than its default.
inline constexpr std::string_view kDirt =
    "\x1b[?69h\x1b[3;7s\x1b[2;3r\x1b[?6h\x1b[4h\x1b[20h\x1b[2h\x1b[12l\x1b[?7l\x1b[?5h\x1b[?25l\x1b[?45h\x1b[?1h\x1b="
    "\x1b(0\x1b)A\x1b*0\x1b+A\x0e\x1b~\x1b[1\"q\x1bVx\x1b]8;id=a;http://dirt\x1b\\\x1b[1;3;4:3;7;9;53;31;44;58:5:2m"
    "\x1b[#{\x1b[3 "
    "q\x1b[?12h\x1b[>4;2m\x1b[>5u\x1b[=7;1u\x1b[3g\x1b[5G\x1bH\x1b]2;dirt\x1b\\\x1b]1;icon\x1b\\\x1b[22;0t"
    "\x1b[22;0t\x1b]7;file://dirt/\x1b\\\x1b]22;text\x1b\\\x1b]9;4;1;50\x1b\\\x1b]4;1;rgb:12/34/56\x1b\\"
    "\x1b]10;rgb:11/22/33\x1b\\\x1b]11;#010203\x1b\\\x1b]12;rgb:aa/bb/cc\x1b\\\x1b]17;rgb:1/2/3\x1b\\\x1b]19;rgb:4/5/"
    "6\x1b\\"
    "\x1b[?1000h\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[?2004h\x1b[?2026h\x1b[?2031h\x1b[?2048h\x1b[?5522h\x1b[?1007l"
    "\x1b[?1035l\x1b[?1036l\x1b[?1039h\x1b[?1045h\x1b[?67h\x1b[?8h\x1b[?4h\x1b[?40h\x1b[?1004s\x1b[?25s\x1b[?6s\x1b[?7s"
    "\x1b]133;A\x1b\\$ \x1b]133;B\x1b\\ls"
    "\x1b]5;1;#123456\x1b\\\x1b[#P\x1b]22;>wait\x1b\\\x1b]7501;state=idle\x1b\\\x1b[>0t\x1b[1*x\x1b[?41;42h\x1b.A"
    "\x1b_Ga=T,i=1,f=24,s=1,v=1;AAEC\x1b\\\x1b_Ga=t,I=1,f=24,s=1,v=1,m=1;AAEC\x1b\\"
    "\x1b"
    "7\x1b[2;2H";
inline constexpr std::array<std::string_view, 4> kOtherScreens = {"", "\x1b[?47h", "\x1b[?1047h", "\x1b[?1049h"};
inline constexpr std::array<std::string_view, 10> kUnfinished = {
    "",     "\x1b]2;never", "\x1b[3;",      "\x1bP$q",                      "\xe4\xb8",
    "\x1b", "\x1bN",        "\x1b]0;t\x1b", "\x1b_Ga=T,f=24,s=1,v=200,i=9", "\x1b_Ga=T,f=24,s=1,v=2,i=9,r=200;AAEC"};

// Leaves a terminal in as bad a state as a program can; `choice` says which. The scrollback is the client's own and no
// part of the mess.
inline void make_dirty(Terminal& terminal, unsigned choice) {
  feed_silently(terminal, "\x1b\\");
  feed_silently(terminal, kDirt);
  feed_silently(terminal, kOtherScreens[choice % kOtherScreens.size()]);
  choice /= kOtherScreens.size();
  if (choice % 2 != 0) feed_silently(terminal, kDirt);
  feed_silently(terminal, kUnfinished[choice / 2 % kUnfinished.size()]);
  terminal.mutable_state().history.clear();
}

inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The first lines in which two projections differ; "" if they are equal.
inline std::string first_difference(std::string_view expected, std::string_view actual) {
  if (expected == actual) return {};
  const auto a = lines_of(expected), b = lines_of(actual);
  std::string report;
  int reported = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()) && reported < 4; ++i) {
    const std::string_view x = i < a.size() ? a[i] : "(nothing)", y = i < b.size() ? b[i] : "(nothing)";
    if (x == y) continue;
    // Long lines: what stands around the first difference.
    const std::size_t at = static_cast<std::size_t>(std::ranges::mismatch(x, y).in1 - x.begin());
    const std::size_t from = at > 60 ? at - 60 : 0;
    const std::string_view name = from > 0 ? x.substr(0, 14) : std::string_view();
    report.append("  expected ").append(name).append(x.substr(std::min(from, x.size()), 120)).append("\n");
    report.append("  actual   ").append(name).append(y.substr(std::min(from, y.size()), 120)).append("\n");
    ++reported;
  }
  return report;
}

inline constexpr std::string_view kLastPrinted = "\nlast_printed ";

// Without the character that REP repeats, where a restore cannot set it: nothing was printed so far, and that nothing
// says so.
inline std::string comparable(const std::string& projection, const std::string& expected) {
  const std::size_t at = projection.find(kLastPrinted);
  if (expected.find(kLastPrinted) != std::string::npos || at == std::string::npos) return projection;
  return projection.substr(0, at) + projection.substr(projection.find('\n', at + 1));
}

inline std::string without_history(std::string_view projection) {
  std::string kept;
  for (const std::string_view line : lines_of(projection)) {
    if (!line.starts_with("history")) kept.append(line).append("\n");
  }
  return kept;
}

// Nothing of the terminal that gets it is kept, as there is nobody's title or scrollback to keep.
inline std::string restore_bytes(State& state, Profile profile, HistoryPart history) {
  RestoreOptions options;
  options.history = history;
  options.client = profile;
  options.onto = Onto::anything;
  std::string bytes;
  write_restore(state, options, bytes);
  return bytes;
}

// What was cut in a character, or in the terminator of a string, is carried out by whatever comes next: U+FFFD may wrap
// and an image may scroll. What that scrolls out is not the next restore's doing.
inline void finish_what_was_cut(Terminal& terminal) {
  const std::string& cut = terminal.state().continuation;
  if (cut.empty() || (static_cast<unsigned char>(cut.front()) < 0x80 && cut.back() != '\x1b')) return;
  feed_silently(terminal, "\x1b\\");
  terminal.mutable_state().history.clear();
}

// What differs between projections, one after the other.
class ReplayReport {
 public:
  void compare(std::string_view what, const std::string& want, const std::string& got) {
    const std::string difference = first_difference(want, comparable(got, want));
    if (!difference.empty()) add(std::string(what) + ":\n" + difference);
  }
  void add(const std::string& text) { text_ += text; }
  std::string text() && { return std::move(text_); }

  // A terminal takes a restore with its history, and then once more: what stands there is the same. The scrollback is the
  // client's own, and has the history twice then: it is emptied in between.
  void check_restore(std::string_view onto, Terminal& terminal, const std::string& bytes, const std::string& expected) {
    const std::string what = "restored into a " + std::string(onto) + " terminal";
    feed_silently(terminal, bytes);
    compare(what, expected, expressible(terminal.mutable_state()));
    terminal.mutable_state().history.clear();
    finish_what_was_cut(terminal);
    feed_silently(terminal, bytes);
    compare(what + " twice", expected, expressible(terminal.mutable_state()));
  }

  // The same without history, onto what another restore and other programs have left: nothing is scrolled out.
  void check_update(Terminal& terminal, const std::string& bytes, const std::string& expected) {
    const std::string want = without_history(expected);
    for (const char* what : {"brought up to date without history", "brought up to date twice"}) {
      finish_what_was_cut(terminal);
      feed_silently(terminal, bytes);
      compare(what, want, without_history(expressible(terminal.mutable_state())));
      if (terminal.state().history.lines() != 0) add(std::string(what) + ": rows were scrolled out\n");
    }
  }

 private:
  std::string text_;
};

// What replays of the restore of a state do not bring back, as text; "" if nothing.
inline std::string replay_faults(State& state, Profile profile, const std::function<void(Terminal&)>& dirty) {
  const std::string expected = expressible(state), all = restore_bytes(state, profile, HistoryPart::all);
  ReplayReport report;
  Terminal fresh = terminal_like(state, profile);
  report.check_restore("fresh", fresh, all, expected);

  Terminal dirtied = terminal_like(state, profile);
  dirty(dirtied);
  report.check_restore("dirtied", dirtied, all, expected);

  dirty(dirtied);
  report.check_update(dirtied, restore_bytes(state, profile, HistoryPart::none), expected);
  return std::move(report).text();
}

// What the binary snapshot does not bring back, as text; "" if nothing.
inline std::string snapshot_faults(State& state) {
  const std::string snapshot = encode_snapshot(state);
  auto decoded = decode_snapshot(snapshot);
  if (!decoded) return decoded.error().message() + "\n";
  const std::string difference = first_difference(everything(state), everything(*decoded));
  std::string report = difference.empty() ? "" : "decoded snapshot:\n" + difference;
  if (encode_snapshot(*decoded) != snapshot) report += "decoded snapshot: encodes differently\n";
  return report;
}

}  // namespace holdfast::vt
