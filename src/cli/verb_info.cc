#include <ctime>

#include "base/paths.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/roster_text.h"
#include "cli/session_access.h"
#include "cli/verbs.h"
#include "client/roster.h"

namespace holdfast::cli {

namespace {

// What the holder says; where none answers, what the files say.
Result<client::RosterEntry> look_up(const std::string& handle) {
  const auto store = TRY(open_store());
  const auto session = TRY(find_session(store, handle));
  return client::read_session(session, system_clock());
}

std::string time_text(std::int64_t ms) {
  const std::time_t seconds = static_cast<std::time_t>(ms / 1000);
  std::tm parts{};
  char text[64];
  if (::localtime_r(&seconds, &parts) == nullptr || std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts) == 0)
    return "?";
  return age_text(system_clock().wall_ms() - ms) + " ago, " + text;
}

std::string record_text(const client::RosterEntry& entry, const Console& console) {
  const wire::Info& info = entry.info;
  std::string out;
  const auto line = [&out](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    constexpr std::size_t kKeyColumns = 12;
    out += std::string(key) + ":" + std::string(kKeyColumns - key.size(), ' ') + printable(value) + "\n";
  };
  const auto when = [&line](std::string_view key, std::int64_t ms) {
    if (ms > 0) line(key, time_text(ms));
  };
  line("name", info.name);
  line("id", info.id);
  out += "state:       " + painted(console, state_colour(entry), state_text(entry)) + "\n";
  line("reason", info.reason);
  line("command", command_text(info.argv));
  line("foreground", info.foreground);
  line("directory", directory_of(info));
  line("title", info.title);
  line("size", std::to_string(info.size.cols) + "x" + std::to_string(info.size.rows));
  line("attached", std::to_string(info.clients));
  line("leader", info.leader);
  if (info.pid > 0) line("pid", std::to_string(info.pid));
  when("started", info.created_ms);
  when("active", info.last_activity_ms);
  when("attached at", info.last_attached_ms);
  when("ended", info.ended_ms);
  // The record counts no bytes: only a holder knows them.
  if (entry.answered) line("output", std::to_string(info.offset) + " bytes");
  for (const auto& [key, value] : info.labels) line("label", key + "=" + value);
  line("socket", entry.socket);
  line("version", info.version);
  return out;
}

}  // namespace

int run_info(const Arguments& arguments) {
  const auto entry = look_up(arguments.operand(0));
  if (!entry) return report(entry.error(), arguments.json());
  if (arguments.json()) {
    print_json(wire::to_json(entry->info));
  } else {
    print(record_text(*entry, output_console()));
  }
  return 0;
}

}  // namespace holdfast::cli
