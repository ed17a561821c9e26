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
  const auto lines = vt::lines_of(text);
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
  for (const std::string_view line : vt::lines_of(text)) {
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

void feed(vt::Terminal& terminal, std::string_view bytes) { vt::feed_silently(terminal, bytes); }

void play_rest(vt::Terminal& terminal, const Script& script, Position from) {
  vt::Silence silence;
  feed(terminal, std::string_view(script.steps[from.step].bytes).substr(from.byte));
  for (std::size_t s = from.step + 1; s < script.steps.size(); ++s) {
    const Step& step = script.steps[s];
    if (step.cols != 0)
      terminal.resize({step.cols, step.rows}, silence);
    else
      feed(terminal, step.bytes);
  }
}

void make_dirty(vt::Terminal& terminal, std::mt19937_64& random, const std::vector<Script>& others) {
  const Script& other = others[random() % others.size()];
  for (const Step& step : other.steps) feed(terminal, std::string_view(step.bytes).substr(0, random() % 4096));
  vt::make_dirty(terminal, static_cast<unsigned>(random()));
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

std::string check_cut(vt::Terminal& terminal, std::mt19937_64& random, const std::vector<Script>& others) {
  vt::State& state = terminal.mutable_state();
  const auto dirty = [&](vt::Terminal& other) { make_dirty(other, random, others); };
  return vt::replay_faults(state, terminal.profile(), dirty) + vt::snapshot_faults(state);
}

Future future_of(const Script& script) {
  vt::Terminal terminal = make_terminal(script.cols, script.rows);
  vt::Silence silence;
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
  const std::string bytes = vt::restore_bytes(state, vt::Profile::ghostty, vt::HistoryPart::all);
  vt::ReplayReport report;
  // What REP repeats before anything was printed is what was printed on the terminal before the restore.
  const bool was_anything_printed = vt::expressible(state).find(vt::kLastPrinted) != std::string::npos;
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
