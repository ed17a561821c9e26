// VtdLink: the holder's side of its shadow terminal (docs/vtd.md). Feeds it, times it, starts it again when it dies.
//
// What VTD must see beside the bytes (sizes, requests) stands in a script in the order of the offsets, so that a new
// VTD can be brought to where the old one was: last checkpoint, then bytes and script. The holder never waits for it.
// In a quiet session it is let go behind a checkpoint, and started again by the next work.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/ring.h"
#include "holder/flow_rule.h"
#include "holder/host.h"
#include "loop/loop.h"
#include "wire/vtd.h"

namespace holdfast::holder {

class VtdListener {
 public:
  virtual ~VtdListener() = default;
  virtual void shadow_parsed(std::uint64_t offset) = 0;
  virtual void shadow_replied(std::uint64_t offset, std::string_view bytes) = 0;
  virtual void shadow_event(const wire::vtd::Event& event) = 0;
  // `file` is empty if `answer.error` is not. `rebuilt`: the screen may differ from what the bytes made.
  virtual void shadow_answered(const wire::vtd::Answer& answer, Fd file, bool rebuilt) = 0;
  // A new one begins to repeat what the old one had done.
  virtual void shadow_restarted(std::string_view why) = 0;
  // From now on the screen may differ from what the bytes made.
  virtual void shadow_inexact(std::string_view why) = 0;
  // It was let go. `checkpoint` is a memfd of the state after byte offset - 1 and all resizes: the bytes before are not
  // needed any more. `exact`: as in shadow_inexact.
  virtual void shadow_sleeps(std::uint64_t offset, int checkpoint, bool exact) = 0;
};

class VtdLink {
 public:
  struct Settings {
    std::uint32_t history_rows = 0;
    std::uint64_t history_bytes = 0;
  };
  // The references outlive the link. Sizes logged in the ring so far are taken from there; `checkpoint`, if there is one,
  // is what the ring says of it.
  VtdLink(loop::Loop& loop, Host& host, const RingView& ring, VtdListener& listener, Settings settings, Fd checkpoint);
  ~VtdLink();

  void resized(std::uint64_t offset, const wire::vtd::Resize& size);
  void set_profile(std::string json);
  // What VTD shall write out after byte offset - 1; the answer carries the id. Offsets never go down.
  std::uint64_t request(std::uint64_t offset, wire::vtd::Request request);
  // Nobody waits for the answer any more.
  void cancel(std::uint64_t id);

  enum class Wake : std::uint8_t {
    now,    // nobody watches: parse as it comes
    later,  // a terminal is being fed: VTD may wait kBatchDelay, so that it does not compete for the processor
  };
  // Run by the pump: everything below `safe` may be parsed.
  void advance(std::uint64_t safe, Wake wake);
  // The program has ended at `offset`: a last checkpoint is taken, and VTD goes once it has no work and nobody may have
  // some for it soon. Later requests start it for a while.
  void finish(std::uint64_t offset);
  void expect_work(bool expected) { work_expected_ = expected; }
  // The session is quiet: VTD goes once it has no work, behind a checkpoint. Taken back, it stays if it is still there.
  void let_sleep(bool may_sleep) { may_sleep_ = may_sleep; }

  bool is_running() const { return shadow_.has_value(); }
  // Runs, is started with the next output, or has died and will soon run again: what it has not seen must stay in the
  // ring. One that gets nowhere for kHungAfter is not waited for any more.
  bool is_awaited() const;
  std::uint64_t parsed() const { return acked_; }
  std::uint64_t bytes_a_second() const { return meter_.bytes_a_second(); }
  // The program must not run further ahead of this than the ring holds, or a rebuild would not be exact.
  std::uint64_t rebuild_offset() const;
  pid_t pid() const { return shadow_ ? shadow_->pid : -1; }

 private:
  struct Op {
    std::uint64_t seq = 0, offset = 0;
    bool is_resize = false;
    wire::vtd::Resize size{};
    wire::vtd::Request request{};
  };
  struct Checkpoint {
    std::uint64_t seq = 0, offset = 0;  // state after byte offset - 1 and every operation up to seq
    Fd file;
    bool exact = true;
    bool packed = false;
  };
  struct SkipRange {
    std::uint64_t from, to;
  };
  struct Packet {
    std::string bytes;
    int file = -1;
  };
  // Where and how the last one died.
  struct Death {
    std::uint64_t checkpoint = 0, acked = 0;
    int times = 0, crashes = 0;
    Instant since{};
  };

  void start();
  void begin_at(const Checkpoint* checkpoint);
  const Checkpoint* usable_checkpoint() const;
  // gone: by itself, why tells its wait status; killed: by a signal that somebody sent.
  enum class Cause : std::uint8_t { gone, crashed, hung, killed };
  void ended(Cause cause);
  void avoid_poison(Cause cause);
  void expect_start();
  void skip_or_step_back();
  void on_readable();
  void on_message(wire::vtd::FromVtd message, Fd file);
  void on_answer(wire::vtd::Answer answer, Fd file);
  void keep_checkpoint(const wire::vtd::Answer& answer, Fd file, std::uint64_t seq, bool packed);
  void want_checkpoint(std::uint64_t offset, wire::vtd::Want want);
  void take_over(Fd checkpoint);
  bool is_kept(std::uint64_t offset) const;
  void become_inexact(std::string_view why);
  bool has_work() const;
  void send_script();
  void send_range(std::uint64_t end);
  void send(std::string bytes, int file = -1);
  void flush();
  bool is_busy() const;
  void watch_progress();
  void check_progress();
  void rest_if_idle();
  void let_go();
  void close();
  void add_op(Op op);
  void remove_op(std::size_t index);
  void prune_script();

  loop::Loop& loop_;
  Host& host_;
  const RingView& ring_;
  VtdListener& listener_;
  Settings settings_;

  std::deque<Op> script_;
  std::size_t next_op_ = 0;  // of the script: the first that was not sent
  std::uint64_t next_seq_ = 1, next_id_ = 1;
  wire::vtd::Resize first_size_;      // before the first operation of the script
  bool script_is_whole_ = true;       // it begins where the session began
  std::string profile_;

  std::vector<Checkpoint> checkpoints_;  // oldest first
  std::uint64_t checkpoint_id_ = 0;      // the request for one that is under way; 0 = none
  bool checkpoint_failed_ = false;       // the last request: the ring need not wait for one
  std::size_t resizes_since_checkpoint_ = 0;
  std::vector<SkipRange> skips_;
  Death death_;

  std::optional<Host::Shadow> shadow_;
  std::deque<Packet> outbox_;
  bool exact_ = true;         // what this VTD shows is what the bytes made
  std::uint64_t start_ = 0;   // offset this VTD began at
  std::uint64_t sent_ = 0, acked_ = 0, safe_ = 0;
  ParseMeter meter_;
  bool was_tried_ = false;  // to start it
  std::size_t asked_ = 0;     // requests sent and not answered

  Instant heard_;             // of the last word, or of when it got work
  Duration time_before_{};    // that VTD had had then, or somewhat before
  Instant started_, next_start_;
  Instant awaited_until_;     // one that died is waited for
  Duration start_pause_{0};
  std::optional<Instant> batch_since_;
  std::optional<loop::TimerId> batch_timer_, progress_timer_, start_timer_, await_timer_;
  bool finished_ = false, work_expected_ = false, may_sleep_ = false;
  bool asleep_ = false;
  bool unheard_ = false;  // a checkpoint of another holder's: what it says of the session is not known here
};

}  // namespace holdfast::holder
