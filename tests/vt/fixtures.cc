#include "fixtures.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/json.h"
#include "base/sys.h"
#include "base/text.h"
#include "vt/restore.h"
#include "vt/snapshot.h"

namespace holdfast::vt_test {
namespace {

namespace fs = std::filesystem;

fs::path fixture_path(std::string_view name) {
  const char* root = std::getenv("HOLDFAST_SOURCE_DIR");
  return fs::path(root ? root : ".") / "tests/fixtures" / name;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string must_read(const fs::path& path) {
  auto text = sys::read_file(path.string(), 64u << 20);
  CHECK(text.has_value());
  return *std::move(text);
}

Json must_parse(std::string_view text) {
  auto json = Json::parse(text);
  CHECK(json.has_value());
  return *std::move(json);
}

void append_bytes(Script& script, std::string bytes) {
  if (script.steps.empty() || script.steps.back().cols != 0) script.steps.emplace_back();
  script.steps.back().bytes += bytes;
}

void append_resize(Script& script, std::int64_t cols, std::int64_t rows) {
  script.steps.push_back({"", static_cast<std::uint16_t>(cols), static_cast<std::uint16_t>(rows)});
}

// Header line, then [seconds, kind, value]: "o" is output, "r" a resize.
Script read_recording(const fs::path& path) {
  const std::string text = must_read(path);
  const auto lines = lines_of(text);
  const Json header = must_parse(lines.at(0));
  Script script;
  script.name = path.parent_path().filename().string() + "/" + path.stem().string();
  script.cols = static_cast<std::uint16_t>(header.get("width").as_int());
  script.rows = static_cast<std::uint16_t>(header.get("height").as_int());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Json event = must_parse(lines[i]);
    const std::string kind = event.items().at(1).as_string(), value = event.items().at(2).as_string();
    if (kind == "o") append_bytes(script, base64_decode(value).value());
    if (kind == "r") append_resize(script, std::atoi(value.c_str()), std::atoi(value.c_str() + value.find('x') + 1));
  }
  return script;
}

constexpr std::string_view kDirt =
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
    "\x1b"
    "7\x1b[2;2H";
constexpr std::string_view kOtherScreens[] = {"", "\x1b[?47h", "\x1b[?1047h", "\x1b[?1049h"};
constexpr std::string_view kUnfinished[] = {"",         "\x1b]2;never", "\x1b[3;", "\x1bP$q",
                                            "\xe4\xb8", "\x1b",         "\x1bN",   "\x1b]0;t\x1b",
                                            "\x1b_Ga=T,f=24,s=1,v=200,i=9",
                                            "\x1b_Ga=T,f=24,s=1,v=2,i=9,r=200;AAEC"};

constexpr std::string_view kLastPrinted = "\nlast_printed ";

// Without the character that REP repeats, where a restore cannot set it: nothing was printed so far, and that nothing
// says so.
std::string comparable(const std::string& projection, const std::string& expected) {
  const std::size_t at = projection.find(kLastPrinted);
  if (expected.find(kLastPrinted) != std::string::npos || at == std::string::npos) return projection;
  return projection.substr(0, at) + projection.substr(projection.find('\n', at + 1));
}

std::string without_history(std::string_view projection) {
  std::string kept;
  for (const std::string_view line : lines_of(projection)) {
    if (line.starts_with("history")) continue;
    kept.append(line).append("\n");
  }
  return kept;
}

std::string restored(vt::State& state, vt::HistoryPart history) {
  vt::RestoreOptions options;
  options.history = history;
  options.onto = vt::Onto::anything;
  std::string bytes;
  vt::write_restore(state, options, bytes);
  return bytes;
}

}  // namespace

std::size_t Script::bytes() const {
  std::size_t sum = 0;
  for (const Step& step : steps) sum += step.bytes.size();
  return sum;
}

std::vector<Script> recordings() {
  std::vector<Script> all;
  for (const auto& entry : fs::recursive_directory_iterator(fixture_path("agents"))) {
    if (entry.path().extension() == ".jsonl") all.push_back(read_recording(entry.path()));
  }
  std::ranges::sort(all, {}, &Script::name);
  return all;
}

std::vector<Script> cases() {
  const std::string text = must_read(fixture_path("vt/cases.jsonl"));
  std::vector<Script> all;
  for (const std::string_view line : lines_of(text)) {
    const Json json = must_parse(line);
    Script script{json.get("name").as_string(),
                  static_cast<std::uint16_t>(json.get("cols").as_int()),
                  static_cast<std::uint16_t>(json.get("rows").as_int()),
                  {}};
    for (const Json& step : json.get("steps").items()) {
      const auto& size = step.get("resize").items();
      if (size.empty())
        append_bytes(script, base64_decode(step.get("bytes").as_string()).value());
      else
        append_resize(script, size.at(0).as_int(), size.at(1).as_int());
    }
    all.push_back(std::move(script));
  }
  return all;
}

std::uint64_t seed() {
  const char* given = std::getenv("HOLDFAST_SEED");
  return given ? std::strtoull(given, nullptr, 0) : 20'260'822;
}

vt::Terminal make_terminal(std::uint16_t cols, std::uint16_t rows) {
  return vt::Terminal({.size = {cols, rows}, .history = {}, .profile = vt::Profile::ghostty});
}

void feed(vt::Terminal& terminal, std::string_view bytes) {
  Silence silence;
  terminal.feed(bytes, silence);
}

void play_rest(vt::Terminal& terminal, const Script& script, Position from) {
  Silence silence;
  feed(terminal, std::string_view(script.steps[from.step].bytes).substr(from.byte));
  for (std::size_t s = from.step + 1; s < script.steps.size(); ++s) {
    const Step& step = script.steps[s];
    if (step.cols != 0)
      terminal.resize({step.cols, step.rows}, silence);
    else
      feed(terminal, step.bytes);
  }
}

// The scrollback is the client's own and no part of the mess.
void make_dirty(vt::Terminal& terminal, std::mt19937_64& random, const std::vector<Script>& others) {
  const Script& other = others[random() % others.size()];
  for (const Step& step : other.steps) feed(terminal, std::string_view(step.bytes).substr(0, random() % 4096));
  feed(terminal, "\x1b\\");
  feed(terminal, kDirt);
  feed(terminal, kOtherScreens[random() % std::size(kOtherScreens)]);
  if (random() % 2) feed(terminal, kDirt);
  feed(terminal, kUnfinished[random() % std::size(kUnfinished)]);
  terminal.mutable_state().history.clear();
}

std::string shown(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f)
      text += c;
    else
      text.append("\\0").append(1, static_cast<char>('0' + byte / 8)).append(1, static_cast<char>('0' + byte % 8));
  }
  return text;
}

std::string first_difference(std::string_view expected, std::string_view actual) {
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

namespace {

// What differs between projections, one after the other.
class Report {
 public:
  void compare(std::string_view what, const std::string& want, const std::string& got) {
    const std::string difference = first_difference(want, comparable(got, want));
    if (!difference.empty()) add(std::string(what) + ":\n" + difference);
  }
  void add(const std::string& text) { text_ += text; }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

// What was cut in a character, or in the terminator of a string, is carried out by whatever comes next: U+FFFD may wrap
// and an image may scroll. What that scrolls out is not the next restore's doing.
void finish_what_was_cut(vt::Terminal& terminal) {
  const std::string& cut = terminal.state().continuation;
  if (cut.empty() || (static_cast<unsigned char>(cut.front()) < 0x80 && cut.back() != '\x1b')) return;
  feed(terminal, "\x1b\\");
  terminal.mutable_state().history.clear();
}

// A terminal takes a restore with its history, and then once more: what stands there is the same. The scrollback is the
// client's own, and has the history twice then: it is emptied in between.
void check_restore(Report& report, const std::string& onto, vt::Terminal& terminal, const std::string& bytes,
                   const std::string& expected) {
  feed(terminal, bytes);
  report.compare("restored into a " + onto + " terminal", expected, vt::expressible(terminal.mutable_state()));
  terminal.mutable_state().history.clear();
  finish_what_was_cut(terminal);
  feed(terminal, bytes);
  report.compare("restored into a " + onto + " terminal twice", expected,
                 vt::expressible(terminal.mutable_state()));
}

// The same without history, onto what another restore and other programs have left: nothing is scrolled out.
void check_update(Report& report, vt::Terminal& terminal, const std::string& bytes, const std::string& expected) {
  const std::string want = without_history(expected);
  for (const char* what : {"brought up to date without history", "brought up to date twice"}) {
    finish_what_was_cut(terminal);
    feed(terminal, bytes);
    report.compare(what, want, without_history(vt::expressible(terminal.mutable_state())));
    if (terminal.state().history.lines() != 0) report.add(std::string(what) + ": rows were scrolled out\n");
  }
}

void check_snapshot(Report& report, vt::State& state, const std::string& exact) {
  const std::string snapshot = vt::encode_snapshot(state);
  auto decoded = vt::decode_snapshot(snapshot);
  if (!decoded) return report.add(decoded.error().message() + "\n");
  report.compare("decoded snapshot", exact, vt::everything(*decoded));
  if (vt::encode_snapshot(*decoded) != snapshot) report.add("decoded snapshot: encodes differently\n");
}

}  // namespace

std::string check_cut(vt::Terminal& terminal, std::mt19937_64& random, const std::vector<Script>& others) {
  vt::State& state = terminal.mutable_state();
  const std::string expected = vt::expressible(state), exact = vt::everything(state);
  const std::string bytes = restored(state, vt::HistoryPart::all);
  Report report;

  vt::Terminal fresh = make_terminal(state.size.cols, state.size.rows);
  check_restore(report, "fresh", fresh, bytes, expected);

  vt::Terminal dirty = make_terminal(state.size.cols, state.size.rows);
  make_dirty(dirty, random, others);
  check_restore(report, "dirtied", dirty, bytes, expected);

  make_dirty(dirty, random, others);
  check_update(report, dirty, restored(state, vt::HistoryPart::none), expected);

  check_snapshot(report, state, exact);
  return std::move(report).text();
}

Future future_of(const Script& script) {
  vt::Terminal terminal = make_terminal(script.cols, script.rows);
  Silence silence;
  for (const Step& step : script.steps) {
    if (step.cols != 0)
      terminal.resize({step.cols, step.rows}, silence);
    else
      feed(terminal, step.bytes);
  }
  return {vt::expressible(terminal.mutable_state()), vt::everything(terminal.mutable_state())};
}

std::string check_future(vt::Terminal& terminal, std::mt19937_64& random, const std::vector<Script>& others,
                         const Script& script, Position from, const Future& future) {
  vt::State& state = terminal.mutable_state();
  const std::string bytes = restored(state, vt::HistoryPart::all);
  Report report;
  // What REP repeats before anything was printed is what was printed on the terminal before the restore.
  const bool was_anything_printed = vt::expressible(state).find(kLastPrinted) != std::string::npos;
  for (const bool is_dirty : {false, true}) {
    if (is_dirty && !was_anything_printed) continue;
    vt::Terminal restored_terminal = make_terminal(state.size.cols, state.size.rows);
    if (is_dirty) make_dirty(restored_terminal, random, others);
    feed(restored_terminal, bytes);
    play_rest(restored_terminal, script, from);
    report.compare(is_dirty ? "what comes after a restore into a dirtied terminal" : "what comes after a restore",
                   future.expressible, vt::expressible(restored_terminal.mutable_state()));
  }

  auto decoded = vt::decode_snapshot(vt::encode_snapshot(state));
  if (!decoded) return decoded.error().message() + "\n";
  vt::Terminal decoded_terminal(*std::move(decoded), vt::Profile::ghostty);
  play_rest(decoded_terminal, script, from);
  report.compare("what comes after a snapshot", future.exact, vt::everything(decoded_terminal.mutable_state()));
  return std::move(report).text();
}

}  // namespace holdfast::vt_test
