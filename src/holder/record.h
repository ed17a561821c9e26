// Record: what is known of the session, as its manifest keeps it and as `info` tells it.
//
// Writes the manifest through the host, never more often than it says; knows nothing of clients and descriptors.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "holder/host.h"
#include "store/config.h"
#include "store/manifest.h"
#include "wire/messages.h"

namespace holdfast::holder {

// How a program ended.
struct Ending {
  int code = -1, signal = 0;  // as wire::ExitEvent
  std::string reason;
};
// From a status of waitpid(2).
Ending ending_of(int wait_status);

class Record {
 public:
  Record(store::Manifest manifest, Host& host, const Clock& clock);

  void started(pid_t program, pid_t holder);
  // What an earlier holder of this session wrote down, if the program had ended by then.
  std::optional<Ending> recorded_ending() const;
  std::int64_t recorded_end_ms() const;
  // First on disk (unless it is there), then to whoever asks.
  void save_ending(const Ending& ending, std::int64_t wall_ms);
  void ended(const Ending& ending, std::int64_t wall_ms);
  void resized(const wire::TermSize& size);
  void attached();
  // Output or input: saved at most every kActivitySaved.
  void active();
  // The file may be gone.
  void save_again() { save(Host::Durable::yes); }
  void mark(const std::string& mark, const std::string& reason);
  void set_title(std::string title) { info_.title = std::move(title); }
  void set_working_directory(std::string text) { info_.working_directory = std::move(text); }

  const wire::Info& info() const { return info_; }
  store::Flow flow() const;
  std::uint32_t history_rows() const;
  std::uint64_t history_bytes() const;
  Duration sleep_after() const;  // zero: never

 private:
  std::string reason_with(const Ending& ending) const;
  void save(Host::Durable durable);

  store::Manifest manifest_;
  Host& host_;
  const Clock& clock_;
  wire::Info info_;
  Instant saved_;
};

}  // namespace holdfast::holder
