#include "wire/messages.h"

#include <algorithm>
#include <array>

#include "base/ids.h"
#include "base/limits.h"
#include "base/text.h"

namespace holdfast::wire {
namespace {

// Names in JSON of the error kinds; append only.
constexpr std::array<std::pair<ErrorKind, std::string_view>, 8> kErrorNames{{
    {ErrorKind::failed, "failed"},
    {ErrorKind::usage, "usage"},
    {ErrorKind::not_found, "not_found"},
    {ErrorKind::timeout, "timeout"},
    {ErrorKind::ended, "ended"},
    {ErrorKind::refused, "refused"},
    {ErrorKind::partly, "partly"},
    {ErrorKind::unknown, "unknown"},
}};

// In JSON; append only. The first is left out.
constexpr std::array<std::string_view, 5> kClustersNames{"", "told", "off", "always", "never"};

constexpr std::array<std::string_view, 4> kReadFormats{"plain", "vt", "html", "json"};

constexpr std::size_t kFactBytesMax = 256;          // bytes; TERM and the like
constexpr std::size_t kEnvironmentEntriesMax = 16;  // tracked variables; a client sends nine
constexpr std::size_t kClientNameCharsMax = 128;    // code points; a line of a terminal has room for it
constexpr int kProtocolsMax = 1 << 20;              // a number beyond is as unknown as this one
constexpr int kSignalMax = 64;                      // SIGRTMAX

std::unexpected<Error> bad(std::string_view message, std::string_view field, std::string_view problem) {
  return fail(ErrorKind::usage, "understand the message '" + std::string(message) + "'",
              "field '" + std::string(field) + "' " + std::string(problem));
}

Result<> need_object(const Json& json, std::string_view message) {
  if (!json.is_object()) {
    return fail(ErrorKind::usage, "understand the message '" + std::string(message) + "'", "it is not a JSON object");
  }
  return {};
}

std::string bounded(const Json& value, std::size_t max) {
  std::string text = value.as_string();
  if (text.size() > max) text.resize(max);
  return text;
}

Json strings(const std::vector<std::string>& values) {
  Json out = Json::array();
  for (const auto& value : values) out.push(value);
  return out;
}

std::vector<std::string> strings_of(const Json& json) {
  std::vector<std::string> out;
  for (const auto& item : json.items()) {
    if (item.is_string()) out.push_back(item.as_string());
  }
  return out;
}

Json pairs(const std::vector<std::pair<std::string, std::string>>& values) {
  Json out = Json::object();
  for (const auto& [name, value] : values) out.set(name, value);
  return out;
}

std::vector<std::pair<std::string, std::string>> pairs_of(const Json& json) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, value] : json.members()) {
    if (value.is_string()) out.emplace_back(name, value.as_string());
  }
  return out;
}

void set_size(Json& json, const TermSize& size) {
  json.set("cols", unsigned{size.cols}).set("rows", unsigned{size.rows});
  json.set("xpixel", unsigned{size.xpixel}).set("ypixel", unsigned{size.ypixel});
}

Json with_id(std::int64_t id) {
  Json json = Json::object();
  if (id != 0) json.set("id", id);
  return json;
}

}  // namespace

bool is_read_format(std::string_view format) { return std::ranges::find(kReadFormats, format) != kReadFormats.end(); }

Json to_json(const Hello& m) {
  Json json = Json::object();
  json.set("protocol", m.protocol).set("features", strings(m.features)).set("version", m.version);
  if (!m.session.empty()) json.set("session", m.session);
  return json;
}

Json to_json(const TermSize& size) {
  Json json = Json::object();
  set_size(json, size);
  return json;
}

Json to_json(const TerminalFacts& m) {
  Json json = Json::object();
  json.set("term", m.term).set("term_program", m.term_program).set("term_program_version", m.term_program_version);
  if (m.clusters != Clusters::unknown) json.set("clusters", kClustersNames[static_cast<std::size_t>(m.clusters)]);
  return json;
}

Json to_json(const Attach& m) {
  Json json = with_id(m.id);
  set_size(json, m.size);
  json.set("client_id", m.client_id).set("observe", m.observe).set("history", m.history);
  json.set("terminal", to_json(m.terminal)).set("environment", pairs(m.environment));
  return json;
}

Json to_json(const Attached& m) {
  Json json = with_id(m.id);
  json.set("role", m.leader ? "leader" : "observer");
  set_size(json, m.size);
  return json;
}

Json to_json(const Detach& m) {
  Json json = with_id(m.id);
  if (m.kitty_flags >= 0) json.set("kitty_flags", m.kitty_flags);
  return json;
}

Json to_json(const ReadRows& m) {
  Json json = with_id(m.id);
  json.set("rows", m.rows).set("all", m.all).set("unwrap", m.unwrap).set("format", m.format);
  json.set("written", m.written).set("wraps", m.wraps);
  return json;
}

Json to_json(const Kill& m) {
  Json json = with_id(m.id);
  json.set("remove", m.remove).set("grace_ms", m.grace_ms);
  return json;
}

Json to_json(const Signal& m) {
  Json json = with_id(m.id);
  json.set("number", m.number);
  return json;
}

Json to_json(const SetMeta& m) {
  Json json = with_id(m.id);
  json.set("labels", m.labels);
  return json;
}

Json to_json(const Rename& m) {
  Json json = with_id(m.id);
  json.set("name", m.name);
  return json;
}

Json to_json(const Info& m) {
  Json json = Json::object();
  json.set("schema", m.schema).set("id", m.id).set("name", m.name).set("life", m.life).set("state", m.state);
  json.set("marks", strings(m.marks)).set("argv", strings(m.argv)).set("cwd", m.cwd).set("title", m.title);
  json.set("working_directory", m.working_directory);
  set_size(json, m.size);
  json.set("pid", m.pid).set("created_ms", m.created_ms).set("last_activity_ms", m.last_activity_ms);
  json.set("last_attached_ms", m.last_attached_ms).set("ended_ms", m.ended_ms).set("clients", m.clients);
  json.set("leader", m.leader);
  json.set("exit_code", m.has_exit ? Json(m.exit_code) : Json());
  json.set("exit_signal", m.has_exit ? Json(m.exit_signal) : Json());
  json.set("reason", m.reason).set("offset", m.offset).set("version", m.version).set("labels", pairs(m.labels));
  json.set("foreground", m.foreground);
  return json;
}

Json to_json(const RoleEvent& m) {
  Json json = Json::object();
  json.set("event", "role").set("leader", m.leader);
  set_size(json, m.size);
  return json;
}

Json to_json(const ExitEvent& m) {
  Json json = Json::object();
  json.set("event", "exited").set("code", m.code).set("signal", m.signal).set("end", m.end).set("reason", m.reason);
  return json;
}

Result<Hello> parse_hello(const Json& json) {
  TRY(need_object(json, "hello"));
  Hello m;
  if (!json.get("protocol").is_number()) return bad("hello", "protocol", "must be a number");
  m.protocol = static_cast<int>(std::clamp<std::int64_t>(json.get("protocol").as_int(), 0, kProtocolsMax));
  if (m.protocol < 1) return bad("hello", "protocol", "must be at least 1");
  m.features = strings_of(json.get("features"));
  m.version = bounded(json.get("version"), kFactBytesMax);
  m.session = bounded(json.get("session"), kFactBytesMax);
  return m;
}

Result<TermSize> parse_size(const Json& json) {
  TermSize size;
  const auto cells = [&](const char* name, std::int64_t min, std::int64_t max, std::uint16_t& into) -> Result<> {
    const std::int64_t value = json.get(name).as_int(-1);
    if (value < min || value > max) {
      return bad("size", name, "must be a number from " + std::to_string(min) + " to " + std::to_string(max));
    }
    into = static_cast<std::uint16_t>(value);
    return {};
  };
  // Zero is what a terminal without a size reports; whoever decides ignores it.
  TRY(cells("cols", 0, limits::kColsMax, size.cols));
  TRY(cells("rows", 0, limits::kRowsMax, size.rows));
  size.xpixel = static_cast<std::uint16_t>(std::clamp<std::int64_t>(json.get("xpixel").as_int(), 0, 0xffff));
  size.ypixel = static_cast<std::uint16_t>(std::clamp<std::int64_t>(json.get("ypixel").as_int(), 0, 0xffff));
  return size;
}

Result<TerminalFacts> parse_terminal(const Json& json) {
  TRY(need_object(json, "terminal"));
  TerminalFacts m;
  m.term = bounded(json.get("term"), kFactBytesMax);
  m.term_program = bounded(json.get("term_program"), kFactBytesMax);
  m.term_program_version = bounded(json.get("term_program_version"), kFactBytesMax);
  const auto name = std::ranges::find(kClustersNames, json.get("clusters").as_string());
  // A word of a later version says nothing to us.
  if (name != kClustersNames.end()) m.clusters = static_cast<Clusters>(name - kClustersNames.begin());
  return m;
}

Result<Attach> parse_attach(const Json& json) {
  TRY(need_object(json, "attach"));
  Attach m;
  m.id = json.get("id").as_int();
  m.size = TRY(parse_size(json));
  m.client_id = printable(json.get("client_id").as_string(), kClientNameCharsMax);
  m.observe = json.get("observe").as_bool();
  m.history = json.get("history").as_bool(true);
  if (json.get("terminal").is_object()) m.terminal = TRY(parse_terminal(json.get("terminal")));
  m.environment = pairs_of(json.get("environment"));
  if (m.environment.size() > kEnvironmentEntriesMax) return bad("attach", "environment", "has too many entries");
  for (const auto& [name, value] : m.environment) {
    if (value.size() > kEnvironmentBytesMax) return bad("attach", "environment." + name, "is too long");
  }
  return m;
}

Result<Attached> parse_attached(const Json& json) {
  TRY(need_object(json, "attached"));
  Attached m;
  m.id = json.get("id").as_int();
  m.leader = json.get("role").as_string() == "leader";
  m.size = TRY(parse_size(json));
  return m;
}

Result<Detach> parse_detach(const Json& json) {
  TRY(need_object(json, "detach"));
  Detach m;
  m.id = json.get("id").as_int();
  m.kitty_flags = static_cast<int>(std::clamp<std::int64_t>(json.get("kitty_flags").as_int(-1), -1, 31));
  return m;
}

Result<ReadRows> parse_read_rows(const Json& json) {
  TRY(need_object(json, "read_rows"));
  ReadRows m;
  m.id = json.get("id").as_int();
  m.rows = json.get("rows").as_int(-1);
  if (m.rows != -1 && (m.rows < 1 || m.rows > kReadRowsMax)) {
    return bad("read_rows", "rows", "must be from 1 to " + std::to_string(kReadRowsMax));
  }
  m.written = json.get("written").as_bool();
  m.wraps = json.get("wraps").as_bool();
  m.all = json.get("all").as_bool();
  m.unwrap = json.get("unwrap").as_bool();
  m.format = json.get("format").as_string("plain");
  if (!is_read_format(m.format)) return bad("read_rows", "format", "must be plain, vt, html or json");
  return m;
}

Result<Kill> parse_kill(const Json& json) {
  TRY(need_object(json, "kill"));
  Kill m;
  m.id = json.get("id").as_int();
  m.remove = json.get("remove").as_bool();
  m.grace_ms = json.get("grace_ms").as_int(m.grace_ms);
  if (m.grace_ms < 0 || m.grace_ms > kGraceMsMax)
    return bad("kill", "grace_ms", "must be from 0 to " + std::to_string(kGraceMsMax));
  return m;
}

Result<Signal> parse_signal(const Json& json) {
  TRY(need_object(json, "signal"));
  Signal m;
  m.id = json.get("id").as_int();
  const std::int64_t number = json.get("number").as_int(0);
  if (number < 1 || number > kSignalMax)
    return bad("signal", "number", "must be a signal, 1 to " + std::to_string(kSignalMax));
  m.number = static_cast<int>(number);
  return m;
}

Result<SetMeta> parse_set_meta(const Json& json) {
  TRY(need_object(json, "set_meta"));
  SetMeta m;
  m.id = json.get("id").as_int();
  m.labels = json.get("labels");
  if (!m.labels.is_object()) return bad("set_meta", "labels", "must be an object");
  for (const auto& [name, value] : m.labels.members()) {
    if (!value.is_string() && !value.is_null()) return bad("set_meta", "labels." + name, "must be a text or null");
  }
  return m;
}

Result<Rename> parse_rename(const Json& json) {
  TRY(need_object(json, "rename"));
  Rename m;
  m.id = json.get("id").as_int();
  m.name = json.get("name").as_string();
  if (!is_session_name(m.name)) return bad("rename", "name", "must match [a-z][a-z0-9_-]{0,31}");
  return m;
}

Result<Info> parse_info(const Json& json) {
  TRY(need_object(json, "info"));
  Info m;
  m.schema = static_cast<int>(json.get("schema").as_int());
  m.id = json.get("id").as_string();
  m.name = json.get("name").as_string();
  m.life = json.get("life").as_string();
  m.state = json.get("state").as_string();
  m.marks = strings_of(json.get("marks"));
  m.argv = strings_of(json.get("argv"));
  m.cwd = json.get("cwd").as_string();
  m.title = json.get("title").as_string();
  m.working_directory = json.get("working_directory").as_string();
  m.size = TRY(parse_size(json));
  m.pid = json.get("pid").as_int();
  m.created_ms = json.get("created_ms").as_int();
  m.last_activity_ms = json.get("last_activity_ms").as_int();
  m.last_attached_ms = json.get("last_attached_ms").as_int();
  m.ended_ms = json.get("ended_ms").as_int();
  m.clients = json.get("clients").as_int();
  m.leader = json.get("leader").as_string();
  m.has_exit = json.get("exit_code").is_number();
  m.exit_code = static_cast<int>(json.get("exit_code").as_int(-1));
  m.exit_signal = static_cast<int>(json.get("exit_signal").as_int(0));
  m.reason = json.get("reason").as_string();
  m.offset = static_cast<std::uint64_t>(std::max<std::int64_t>(json.get("offset").as_int(), 0));
  m.version = json.get("version").as_string();
  m.labels = pairs_of(json.get("labels"));
  m.foreground = json.get("foreground").as_string();
  return m;
}

Result<ExitEvent> parse_exit_event(const Json& json) {
  TRY(need_object(json, "exited"));
  ExitEvent m;
  m.code = static_cast<int>(json.get("code").as_int(-1));
  m.signal = static_cast<int>(json.get("signal").as_int(0));
  m.end = static_cast<std::uint64_t>(std::max<std::int64_t>(json.get("end").as_int(), 0));
  m.reason = json.get("reason").as_string();
  return m;
}

Json error_json(std::int64_t id, const Error& error) {
  Json json = with_id(id);
  const auto* row = std::ranges::find(kErrorNames, error.kind, &std::pair<ErrorKind, std::string_view>::first);
  json.set("code", row == kErrorNames.end() ? "failed" : row->second).set("message", error.message());
  json.set("attempted", error.attempted).set("problem", error.problem).set("advice", error.advice);
  return json;
}

Error parse_error(const Json& json) {
  Error error;
  const std::string name = json.get("code").as_string();
  const auto* row = std::ranges::find(kErrorNames, name, &std::pair<ErrorKind, std::string_view>::second);
  error.kind = row == kErrorNames.end() ? ErrorKind::failed : row->first;
  error.attempted = json.get("attempted").as_string();
  error.problem = json.get("problem").as_string();
  if (error.problem.empty()) error.problem = json.get("message").as_string("the session gave no reason");
  error.advice = json.get("advice").as_string();
  return error;
}

}  // namespace holdfast::wire
