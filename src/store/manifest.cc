#include "store/manifest.h"

#include <unistd.h>

#include <array>

#include "base/ids.h"

namespace holdfast::store {
namespace {

constexpr std::size_t kManifestBytesMax = 1u << 20;  // bytes; a long command line and many labels stay far below

std::string first_line(const std::string& path) {
  const auto text = sys::read_file(path, 4096);
  return text ? text->substr(0, text->find('\n')) : "";
}

std::string own_binary() {
  std::array<char, 4096> path;
  const ssize_t n = ::readlink("/proc/self/exe", path.data(), path.size());
  return n > 0 ? std::string(path.data(), static_cast<std::size_t>(n)) : "";
}

Json array_of(const std::vector<std::string>& words) {
  Json result = Json::array();
  for (const std::string& word : words) result.push(word);
  return result;
}

Json agent_of(const NewSession& session) {
  Json agent;
  agent.set("kind", "command").set("version", nullptr).set("argv", array_of(session.argv));
  agent.set("resume_argv", nullptr).set("continue_argv", nullptr);
  agent.set("agent_session_id", nullptr).set("id_source", nullptr).set("id_history", Json::array());
  agent.set("transcript_path", nullptr);
  return agent;
}

Json no_git() {
  Json git;
  for (const char* name : {"repo_root", "worktree", "branch", "base_ref", "base_sha"}) git.set(name, nullptr);
  git.set("created_by_holdfast", false).set("locked", false);
  return git;
}

Json term_of(const NewSession& session) {
  Json term;
  term.set("TERM", session.term).set("cols", int{session.cols}).set("rows", int{session.rows});
  term.set("history_rows", session.history_rows).set("history_bytes", session.history_bytes).set("flow", session.flow);
  term.set("sleep_after_s", session.sleep_after_s);
  return term;
}

Json runtime_of(const NewSession& session) {
  Json runtime;
  runtime.set("holder_pid", nullptr).set("agent_pid", nullptr).set("agent_start_time", nullptr).set("unit", nullptr);
  runtime.set("socket", session.socket).set("boot_id", this_boot_id()).set("machine_id", this_machine_id());
  runtime.set("started_at", session.wall_ms).set("respawn_count", 0).set("last_respawn_at", nullptr);
  return runtime;
}

Json status_of(const NewSession& session) {
  Json status;
  status.set("life", "starting").set("state", "unknown").set("since", session.wall_ms).set("source", "process");
  status.set("viewed", false)
      .set("exit_code", nullptr)
      .set("signal", nullptr)
      .set("oom_killed", false)
      .set("reason", "");
  return status;
}

}  // namespace

Result<Manifest> Manifest::parse(std::string_view text) {
  Manifest manifest;
  manifest.json = TRY(Json::parse(text));
  if (!is_ulid(manifest.id())) return fail(ErrorKind::failed, "read the record of a session", "it has no id");
  return manifest;
}

Result<Manifest> Manifest::read_from(int session_directory) {
  return parse(TRY(sys::read_file_at(session_directory, kManifestName, kManifestBytesMax)));
}

Result<> Manifest::write_to(int session_directory, sys::Durable durable) const {
  return sys::replace_file_at(session_directory, kManifestName, text(), durable);
}

std::string Manifest::text() const { return json.dump(2) + "\n"; }

Manifest new_manifest(const NewSession& session) {
  Manifest manifest;
  Json labels = Json::object();
  for (const auto& [key, value] : session.labels) labels.set(key, value);
  Json& json = manifest.json;
  json.set("schema", kManifestSchema).set("id", session.id).set("name", session.name).set("labels", std::move(labels));
  json.set("created_at", session.wall_ms).set("updated_at", session.wall_ms);
  json.set("last_activity_at", session.wall_ms).set("last_attached_at", nullptr);
  json.set("host_version", HOLDFAST_VERSION).set("holder_binary", own_binary());
  json.set("agent", agent_of(session)).set("cwd", session.cwd).set("git", no_git());
  json.set("env",
           Json::object().set("allow", Json::array()).set("set", Json::object()).set("secret_refs", Json::array()));
  json.set("term", term_of(session));
  json.set("limits", Json::object().set("memory_high", nullptr).set("memory_max", nullptr).set("pids_max", 4096));
  json.set("runtime", runtime_of(session)).set("status", status_of(session));
  json.set("restart", Json::object().set("policy", "never").set("max_attempts", 3).set("backoff_s", 10));
  json.set("snapshot_path", nullptr);
  return manifest;
}

std::string this_machine_id() {
  static const std::string id = first_line("/etc/machine-id");  // asked once for each session of a list
  return id;
}

std::string this_boot_id() { return first_line("/proc/sys/kernel/random/boot_id"); }

}  // namespace holdfast::store
