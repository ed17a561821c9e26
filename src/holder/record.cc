#include "holder/record.h"

#include <sys/wait.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"

namespace holdfast::holder {
namespace {

// The last activity on disk may be this old: it is for people, and a disk should sleep while an agent prints.
constexpr Duration kActivitySaved = 10s;

}  // namespace

Ending ending_of(int wait_status) {
  if (WIFEXITED(wait_status)) {
    const int code = WEXITSTATUS(wait_status);
    return {code, 0, code == 0 ? "it ended" : "it ended with exit code " + std::to_string(code)};
  }
  if (WIFSIGNALED(wait_status)) {
    const int number = WTERMSIG(wait_status);
    return {-1, number, "it was ended by " + signal_name(number)};
  }
  return {-1, 0, "it ended in a way that is not known"};
}

Record::Record(store::Manifest manifest, Host& host, const Clock& clock)
    : manifest_(std::move(manifest)), host_(host), clock_(clock) {
  const Json& json = manifest_.json;
  info_.id = manifest_.id();
  info_.name = manifest_.name();
  info_.life = "running";
  info_.state = "unknown";
  for (const auto& word : json.get("agent").get("argv").items()) info_.argv.push_back(word.as_string());
  info_.cwd = json.get("cwd").as_string();
  info_.created_ms = json.get("created_at").as_int();
  info_.last_activity_ms = json.get("last_activity_at").as_int();
  info_.last_attached_ms = json.get("last_attached_at").as_int();
  info_.version = HOLDFAST_VERSION;
  for (const auto& [name, value] : json.get("labels").members()) info_.labels.emplace_back(name, value.as_string());
}

store::Flow Record::flow() const {
  const std::string word = manifest_.json.get("term").get("flow").as_string();
  if (word == "lossless") return store::Flow::lossless;
  if (word == "latest") return store::Flow::latest;
  return store::Flow::automatic;
}

std::uint32_t Record::history_rows() const {
  const auto rows = manifest_.json.get("term").get("history_rows").as_int(limits::kHistoryRowsDefault);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(rows, 0, UINT32_MAX));
}

std::uint64_t Record::history_bytes() const {
  const auto bytes = manifest_.json.get("term").get("history_bytes").as_int(limits::kHistoryBytesDefault);
  // A version before may have written more than VTD takes.
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(bytes, 0, limits::kHistoryBytesMax));
}

Duration Record::sleep_after() const {
  const auto seconds = manifest_.json.get("term").get("sleep_after_s").as_int(limits::kSleepAfterSecondsDefault);
  return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, limits::kSleepAfterSecondsMax));
}

void Record::save(Host::Durable durable) {
  saved_ = clock_.now();
  manifest_.json.set("updated_at", clock_.wall_ms()).set("last_activity_at", info_.last_activity_ms);
  host_.save_manifest(manifest_.text(), durable);
}

void Record::started(pid_t program, pid_t holder) {
  info_.pid = program;
  Json runtime = manifest_.json.get("runtime");
  runtime.set("holder_pid", std::int64_t{holder}).set("agent_pid", std::int64_t{program});
  manifest_.json.set("runtime", std::move(runtime));
  Json status = manifest_.json.get("status");
  if (!recorded_ending()) status.set("life", "running");
  manifest_.json.set("status", std::move(status));
  save(Host::Durable::no);
}

std::string Record::reason_with(const Ending& ending) const {
  return info_.reason.empty() ? ending.reason : info_.reason + "; " + ending.reason;
}

std::optional<Ending> Record::recorded_ending() const {
  const Json& status = manifest_.json.get("status");
  if (status.get("life").as_string() != "exited") return std::nullopt;
  return Ending{static_cast<int>(status.get("exit_code").as_int(-1)), static_cast<int>(status.get("signal").as_int()),
                status.get("reason").as_string()};
}

std::int64_t Record::recorded_end_ms() const { return manifest_.json.get("status").get("since").as_int(); }

void Record::save_ending(const Ending& ending, std::int64_t wall_ms) {
  if (recorded_ending()) return;
  Json status = manifest_.json.get("status");
  status.set("life", "exited").set("since", wall_ms);
  status.set("exit_code", ending.code >= 0 ? Json(ending.code) : Json());
  status.set("signal", ending.signal > 0 ? Json(ending.signal) : Json()).set("reason", reason_with(ending));
  manifest_.json.set("status", std::move(status));
  save(Host::Durable::yes);
}

void Record::ended(const Ending& ending, std::int64_t wall_ms) {
  info_.life = "exited";
  info_.has_exit = true;
  info_.exit_code = ending.code;
  info_.exit_signal = ending.signal;
  info_.ended_ms = wall_ms;
  info_.reason = manifest_.json.get("status").get("reason").as_string();
}

void Record::resized(const wire::TermSize& size) {
  info_.size = size;
  Json term = manifest_.json.get("term");
  term.set("cols", int{size.cols}).set("rows", int{size.rows});
  manifest_.json.set("term", std::move(term));
}

void Record::attached() {
  info_.last_attached_ms = clock_.wall_ms();
  manifest_.json.set("last_attached_at", info_.last_attached_ms);
  saved_ = {};  // saved with the next activity: an attach waits for nothing
}

void Record::active() {
  info_.last_activity_ms = clock_.wall_ms();
  if (clock_.now() - saved_ >= kActivitySaved) save(Host::Durable::no);
}

void Record::mark(const std::string& mark, const std::string& reason) {
  if (std::ranges::find(info_.marks, mark) == info_.marks.end()) info_.marks.push_back(mark);
  const auto ending = recorded_ending();
  info_.reason = ending ? ending->reason + "; " + reason : reason;
  Json status = manifest_.json.get("status");
  status.set("reason", info_.reason);
  manifest_.json.set("status", std::move(status));
  save(Host::Durable::no);
}

}  // namespace holdfast::holder
