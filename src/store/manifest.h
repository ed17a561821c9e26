// The record of one session: manifest.json (fields: docs/files.md). Unknown fields are kept as they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/sys.h"

namespace holdfast::store {

inline constexpr int kManifestSchema = 1;
inline constexpr const char* kManifestName = "manifest.json";

// Typed sight on the JSON; what is not named here stays in `json` untouched.
struct Manifest {
  Json json = Json::object();

  std::string id() const { return json.get("id").as_string(); }
  std::string name() const { return json.get("name").as_string(); }
  std::string life() const { return json.get("status").get("life").as_string(); }
  std::string socket() const { return json.get("runtime").get("socket").as_string(); }
  std::string machine_id() const { return json.get("runtime").get("machine_id").as_string(); }

  // Error: not a JSON object that has an id.
  static Result<Manifest> parse(std::string_view text);
  static Result<Manifest> read_from(int session_directory);
  Result<> write_to(int session_directory, sys::Durable durable) const;
  std::string text() const;  // as it stands in the file
};

// What a start knows.
struct NewSession {
  std::string id, name;
  std::vector<std::string> argv;
  std::string cwd;
  std::string term;
  std::uint16_t cols = 80, rows = 24;
  std::uint32_t history_rows = 0;
  std::uint64_t history_bytes = 0;
  std::int64_t sleep_after_s = limits::kSleepAfterSecondsDefault;
  std::string flow;  // auto | lossless | latest
  std::string socket;
  std::vector<std::pair<std::string, std::string>> labels;
  std::int64_t wall_ms = 0;
};
// A manifest with every field of docs/files.md in place, life "starting".
Manifest new_manifest(const NewSession& session);

std::string this_machine_id();  // /etc/machine-id, or "" where there is none
std::string this_boot_id();     // /proc/sys/kernel/random/boot_id

}  // namespace holdfast::store
