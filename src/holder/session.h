// Session: one program, its terminal line, its clients and its shadow terminal, wired together (docs/flow.md).
//
// Handlers read and set flags; pump(), run after every batch of events, writes: input to the program, output to the
// clients, then ranges to VTD. Everything it asks of the machine beyond its descriptors goes through Host, so a test
// runs it on a script. It parses nothing the program prints but what Scanner finds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/roles.h"
#include "holder/client.h"
#include "holder/kill_rule.h"
#include "holder/line.h"
#include "holder/query_rule.h"
#include "holder/record.h"
#include "holder/vtd_link.h"

namespace holdfast::holder {

class Session final : private VtdListener {
 public:
  // Descriptors are the caller's and outlive the session; -1 = there is none.
  struct Setup {
    int master = -1;    // non-blocking
    int listener = -1;  // non-blocking
    int keeper = -1;    // SEQPACKET socket
    int program = -1;   // pidfd
    pid_t program_pid = 0, own_pid = 0;
    std::uint32_t uid = 0;  // whose clients are let in
  };
  // `checkpoint`: what the ring says of it is kept there; none if there is none.
  Session(loop::Loop& loop, const Clock& clock, Host& host, RingWriter ring, store::Manifest manifest, Setup setup,
          Fd checkpoint = {});
  ~Session();

  Result<> begin();
  // Somebody cannot find the session: its socket and its record are made anew if they were removed.
  void take_summons();
  // Removed from disk and every client told: the process may end.
  bool is_over() const { return over_; }

 private:
  // recording: all output is there; nobody is told the end before the manifest says it, too.
  enum class Life : std::uint8_t { running, draining, recording, ended };
  // What an answer of VTD is for.
  enum class Purpose : std::uint8_t { restore, view, undo, read };
  struct Asked {
    std::uint64_t id = 0;
    ClientId client = 0;
    Purpose purpose = Purpose::restore;
    std::int64_t request = 0;  // of read
  };
  struct Waiter {  // for the end of a kill
    ClientId client = 0;
    std::int64_t request = 0;
    bool remove = false;
  };

  // session.cc: the turn
  void pump();
  std::uint64_t allowance() const;
  void on_line(unsigned events);
  void read_program(std::size_t budget);
  void answer_status_queries();
  void push_answers();
  void pump_clients();
  void pump_client(Client& client);
  void follow_leader(const Client& client);
  void apply_flow();
  void update_interests();
  bool is_watched() const;
  void stir() { stirred_ = loop_.now(); }
  void watch_quiet();
  void sweep();
  bool awaits_answer(const Client& client) const;
  std::uint64_t safe() const { return line_.safe(); }
  bool has_all_output() const { return life_ == Life::recording || life_ == Life::ended; }

  // session_clients.cc: connections, frames, input
  void renew_places();
  void on_listener();
  bool accept_next();
  void accept_client(Fd socket);
  void on_client(ClientId id, unsigned events);
  void read_client(Client& client);
  void take_frames(Client& client);
  void take_frame(Client& client, const wire::Frame& frame);
  void take_hello(Client& client, std::string_view payload);
  void take_control(Client& client, wire::Type type, const Json& message);
  void take_input(Client& client, std::string_view bytes);
  bool is_cut(Client& client);
  void take_token(Client& client, const wire::InputToken& token);
  void arm_escape_timer(Client& client);
  void expect_leave(Client& client);
  void drop_client(Client& client);
  void close_after(Client& client, std::string frame);
  void queue(Client& client, std::string frame, std::uint64_t after = 0);
  void refuse(Client& client, std::int64_t request, const Error& error);
  void reply(Client& client, const Json& message);
  void deny(Client& client, std::int64_t request, const Error& error);
  Client* find(ClientId id);

  // session_attach.cc: pictures, leader, sizes
  void attach(Client& client, const wire::Attach& message);
  void show(Client& client, wire::vtd::Want want);
  void ask_restore(Client& client, wire::vtd::Want want);
  void ask_view(Client& client);
  void ask_undo(Client& client, int kitty_flags);
  void forget_picture(Client& client);
  void refresh(Client& client);
  void resync(Client& client);
  void drop_backlog(Client& client);
  void promote(Client& client);
  void lead(Client* client, wire::vtd::Want want);
  void leader_left();
  void tell_of_new_leader(const Client* client);
  void take_size(Client& client, std::int64_t request);
  void take_resize(Client& client, const wire::TermSize& size);
  void take_terminal(Client& client, const wire::TerminalFacts& facts);
  void set_profile(Client& client, wire::TerminalFacts facts);
  void apply_leader_size();
  enum class Winch : std::uint8_t { if_changed, always };
  void set_size(const wire::TermSize& size, Winch winch);
  void refit_observers();
  void tell_roles();
  bool fits(const Client& client) const;
  void leave(Client& client, int kitty_flags, std::string farewell);
  void finish_leaving(Client& client);
  Client* leader() { return leader_ ? find(*leader_) : nullptr; }
  void shadow_parsed(std::uint64_t offset) override;
  void shadow_replied(std::uint64_t offset, std::string_view bytes) override;
  void shadow_event(const wire::vtd::Event& event) override;
  void shadow_answered(const wire::vtd::Answer& answer, Fd file, bool rebuilt) override;
  void shadow_restarted(std::string_view why) override;
  void shadow_inexact(std::string_view why) override;
  void shadow_sleeps(std::uint64_t offset, int checkpoint, bool exact) override;

  // session_life.cc: requests about the whole session, and its end
  void answer_info(Client& client, std::int64_t request);
  void detach(Client& client, const wire::Detach& message);
  void read_rows(Client& client, const wire::ReadRows& message);
  void signal(Client& client, const wire::Signal& message);
  void kill(Client& client, const wire::Kill& message);
  void remove(Client& client, std::int64_t request);
  void step_kill();
  void answer_waiters();
  Result<> remove_from_disk();
  void say_goodbye();
  void on_keeper();
  void on_keeper_note(const roles::KeeperNote& note);
  void program_ended(const Ending& ending, std::int64_t wall_ms);
  void wait_for_drain();
  void check_drained();
  void output_ended();
  void check_recorded();
  void announce_end();
  void tell_end(Client& client);

  loop::Loop& loop_;
  const Clock& clock_;
  Host& host_;
  const Setup setup_;
  Line line_;
  Record record_;
  VtdLink vtd_;

  std::vector<std::unique_ptr<Client>> clients_;
  ClientId next_client_ = 1;
  std::optional<ClientId> leader_;
  std::optional<ClientId> profile_of_;  // whose terminal the shadow terminal was told of
  bool clusters_begin_off_ = false;     // the session began on a terminal with mode 2027 off
  bool leader_live_ = false;  // the query rule knows of the leader's live stream
  std::vector<Asked> asked_;
  QueryRule queries_;
  QueryBudget query_budget_;

  wire::TermSize size_;  // of the program's terminal
  pty::Size terminal_size_;   // as it was set last, with the pixel that makes a signal
  Instant resized_at_;
  bool paused_ = false;  // reading waits for the leader
  bool queued_ = false;  // something was queued for a client since it was pumped
  std::optional<loop::TimerId> resize_timer_, view_timer_, flow_timer_, again_timer_, answers_timer_, drain_timer_,
      record_timer_, reopen_timer_, kill_timer_, over_timer_, renew_timer_, quiet_timer_;
  Instant stirred_;  // last output, input, read, or somebody attached
  int renew_tries_ = 0;  // since the last summons

  Life life_ = Life::running;
  std::optional<Ending> ending_;
  std::int64_t ended_ms_ = 0;
  std::optional<KillRule> kill_;
  std::vector<Waiter> waiters_;
  bool removed_ = false, over_ = false;
};

}  // namespace holdfast::holder
