#include "client/attach_terminal.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <memory>

#include "base/limits.h"
#include "client/connection.h"
#include "client/reply_filter_rule.h"
#include "client/screen_bytes.h"
#include "client/terminal_guard.h"
#include "loop/loop.h"

namespace holdfast::client {

namespace {

// What one read of the terminal takes: a large paste in few steps.
constexpr std::size_t kKeyReadBytes = 64u << 10;
// Output moved before the loop looks at keys and signals again.
constexpr std::size_t kTurnBytes = 256u << 10;
// Unsent input at which no more is read from the terminal: the program does not read, the holder is full.
constexpr std::size_t kUnsentInputBytes = limits::kInputFrameBytesMax;

// Ids of the two requests of a connection.
constexpr std::int64_t kAttachId = 1, kDetachId = 2;

// A holder that does not answer an attach within this time will not.
constexpr Duration kAttachWait = 5s;
// From asking to leave until the undo has been drawn; then the client undoes by itself.
constexpr Duration kUndoWait = 500ms;
// How long late answers are waited for, so that they do not end up at the shell's prompt.
constexpr Duration kLateReplyWait = 150ms;
// A terminal that takes no bytes for this long while the client leaves is left as it is.
constexpr Duration kLastWriteWait = 1s;
// How long an ESC may be the start of a sequence. While answers are under way they may be cut by a network.
constexpr Duration kEscapeWait = 10ms, kEscapeWaitReplies = 50ms;

enum class Phase {
  asking,    // attach sent, no answer yet
  attached,  // drawing
  leaving,   // detach sent, drawing until the undo is complete
  over,
};

// Why the terminal is entered: decides what is written before the session's picture.
enum class Entry {
  first,      // the person's lines move to the scrollback, the history is wanted
  continued,  // after a stop: the shell has written lines; the history is in the scrollback already
  redraw,     // continued without our knowing of the stop
};

enum class Shown {
  nothing,
  session,  // its restore and its live output
  view,     // what fits of it, on the alternate screen
};

// From the terminal's answer to DECRQM of mode 2027 (client/reply_filter_rule).
wire::Clusters clusters_of(ModeReport answer, bool fresh) {
  switch (answer) {
    case ModeReport::set:
      return wire::Clusters::told;
    case ModeReport::reset:
      return fresh ? wire::Clusters::off : wire::Clusters::told;
    case ModeReport::always_set:
      return wire::Clusters::always;
    case ModeReport::always_reset:
      return wire::Clusters::never;
    case ModeReport::not_known:
      break;
  }
  return wire::Clusters::unknown;
}

class AttachTerminal {
 public:
  AttachTerminal(const AttachOptions& options, const Clock& clock, loop::Loop& loop, Tty tty)
      : options_(options),
        clock_(clock),
        loop_(loop),
        tty_(std::move(tty)),
        detach_(options.detach_key),
        facts_(options.terminal) {}

  Result<AttachEnd> run();

 private:
  Result<> watch_everything();
  Result<> enter(Entry entry);
  wire::Attach attach_message(Entry entry) const;
  void unwatch_link();
  void start_phase_timer(Duration wait, loop::Loop::Action action);
  void stop_phase_timer();
  void on_signal_leave(int number);
  void on_stop();
  void on_continue();
  void on_resize();

  void pump();
  void update_interests();
  void read_keys();
  void take(const wire::InputToken& token);
  void flush_keys();
  void arm_timers();
  bool pump_output();  // false: the terminal or the holder must be waited for

  void handle(const wire::Frame& frame);
  void handle_ok(std::string_view payload);
  void handle_snapshot(std::string_view payload);
  std::string change_shown(Shown next);
  void handle_event(std::string_view payload);
  void handle_error(std::string_view payload);
  void draw(std::string_view bytes);
  bool drain_drawing();
  void after_drawn();
  void lost(std::string reason);
  void terminal_told();
  std::string put_back() const { return put_back_bytes(filter_.keyboard_flags(), filter_.clusters()); }

  void begin_leave(AttachEnd end);
  void finish();
  void swallow_late_replies();

  const AttachOptions& options_;
  const Clock& clock_;
  loop::Loop& loop_;
  Tty tty_;
  std::optional<Connection> link_;
  bool link_watched_ = false;
  bool link_ready_ = false, keys_ready_ = false;  // bytes wait to be read
  wire::InputScanner scanner_;
  DetachRule detach_;
  ReplyFilter filter_;

  Phase phase_ = Phase::asking;
  Entry entry_ = Entry::first;
  AttachEnd end_;
  bool rebuilt_ = false;
  std::optional<Error> refused_;
  std::string holder_error_;

  std::string drawing_;  // of one frame: what the terminal has not taken yet
  std::size_t drawn_ = 0;
  bool restore_ends_ = false;  // the restore's last byte is in drawing_
  bool undo_ends_ = false;     // the undo's last byte is in drawing_
  bool undone_ = false;
  bool restored_ = false;  // the terminal has been told every mode of the session
  bool entered_ = false;   // there is something to undo
  Shown shown_ = Shown::nothing;
  bool has_main_screen_ = false;  // a restore was drawn: the main screen is the session's
  bool stopping_ = false;  // leaving because of SIGTSTP
  bool again_ = false;     // the turn's budget is used up, there is more to move
  wire::TermSize size_;
  wire::TerminalFacts facts_;  // as the holder was told them
  std::string guard_bytes_;    // what the guard would write
  std::optional<loop::TimerId> phase_timer_, escape_timer_, detach_timer_;
  std::array<char, kKeyReadBytes> keys_;
  std::string forward_;
};

Result<> AttachTerminal::watch_everything() {
  TRY(loop_.watch(tty_.fd(), loop::kRead, [this](unsigned events) {
    if ((events & loop::kReadable) != 0) keys_ready_ = true;
    if ((events & loop::kHangup) != 0) begin_leave({AttachEnd::Why::terminal_gone});
  }));
  for (const int number : terminal_guard::sent_signals()) {
    TRY(loop_.on_signal(number, [this, number] { on_signal_leave(number); }));
  }
  TRY(loop_.on_signal(SIGWINCH, [this] { on_resize(); }));
  TRY(loop_.on_signal(SIGTSTP, [this] { on_stop(); }));
  TRY(loop_.on_signal(SIGCONT, [this] { on_continue(); }));
  loop_.set_pump([this] { pump(); });
  return {};
}

Result<AttachEnd> AttachTerminal::run() {
  TRY(watch_everything());
  TRY(tty_.make_raw());
  TRY(enter(Entry::first));
  while (phase_ != Phase::over) loop_.run_once(again_ ? Duration::zero() : Duration(-1));
  if (refused_) return std::unexpected(std::move(*refused_));
  end_.rebuilt = rebuilt_;
  return std::move(end_);
}

// Connects and asks to be attached. What comes next, handle_ok() does.
Result<> AttachTerminal::enter(Entry entry) {
  auto link = TRY(Connection::open(options_.socket));
  unwatch_link();
  link_ = std::move(link);
  link_ready_ = false;
  TRY(loop_.watch(link_->fd(), loop::kRead, [this](unsigned events) {
    if ((events & loop::kReadable) != 0) link_ready_ = true;
    // A hangup is reported until the descriptor is forgotten, also while a slow terminal keeps us from reading.
    if ((events & loop::kHangup) != 0) unwatch_link();
  }));
  link_watched_ = true;
  size_ = tty_.size();
  link_->queue(wire::Type::attach, wire::to_json(attach_message(entry)));
  phase_ = Phase::asking;
  entry_ = entry;
  drawing_.clear();
  drawn_ = 0;
  restore_ends_ = undo_ends_ = undone_ = restored_ = false;
  start_phase_timer(kAttachWait, [this] {
    if (phase_ == Phase::asking) lost("its holder does not answer");
  });
  return {};
}

wire::Attach AttachTerminal::attach_message(Entry entry) const {
  wire::Attach attach;
  attach.id = kAttachId;
  attach.size = size_;
  attach.observe = options_.observe;
  attach.history = entry == Entry::first;
  attach.terminal = facts_;
  attach.environment = options_.environment;
  const std::string name = tty_.path().starts_with("/dev/") ? tty_.path().substr(5) : tty_.path();
  attach.client_id = options_.user.empty() ? name : name + " of " + options_.user;
  return attach;
}

void AttachTerminal::start_phase_timer(Duration wait, loop::Loop::Action action) {
  stop_phase_timer();
  phase_timer_ = loop_.after(wait, [this, action = std::move(action)]() mutable {
    phase_timer_.reset();
    action();
  });
}

void AttachTerminal::stop_phase_timer() {
  if (phase_timer_) loop_.cancel(*phase_timer_);
  phase_timer_.reset();
}

void AttachTerminal::unwatch_link() {
  if (link_watched_) loop_.forget(link_->fd());
  link_watched_ = false;
}

void AttachTerminal::on_signal_leave(int number) {
  if (phase_ == Phase::leaving) return finish();  // asked twice: no more waiting
  begin_leave({.why = AttachEnd::Why::signal, .signal = number});
}

void AttachTerminal::on_stop() {
  if (phase_ != Phase::attached) return;
  stopping_ = true;
  begin_leave({});
}

void AttachTerminal::on_continue() {
  if (phase_ != Phase::attached) return;
  // Somebody stopped us with SIGSTOP: the shell may have taken the terminal meanwhile.
  if (!tty_.make_raw() || !enter(Entry::redraw)) lost("its holder is gone");
}

void AttachTerminal::on_resize() {
  const wire::TermSize size = tty_.size();
  if (!link_ || phase_ == Phase::leaving || size == size_) return;
  size_ = size;
  link_->queue(wire::Type::resize, wire::to_json(size));
}

void AttachTerminal::pump() {
  if (phase_ == Phase::over) return;
  if (keys_ready_) read_keys();
  again_ = false;
  if (link_ && phase_ != Phase::over) again_ = pump_output();
  if (phase_ == Phase::over) return;
  // An error here is seen as the end of what can be read: what the holder said before it went is drawn first.
  if (link_) (void)link_->flush();
  arm_timers();
  update_interests();
}

void AttachTerminal::update_interests() {
  const bool drawing = drawn_ < drawing_.size();
  const bool full = link_ && link_->unsent() > kUnsentInputBytes;
  (void)loop_.change(tty_.fd(), (full ? loop::kNone : loop::kRead) | (drawing ? loop::kWrite : loop::kNone));
  if (!link_watched_) return;
  (void)loop_.change(link_->fd(),
                     (drawing ? loop::kNone : loop::kRead) | (link_->unsent() > 0 ? loop::kWrite : loop::kNone));
}

void AttachTerminal::read_keys() {
  while (phase_ != Phase::over && (!link_ || link_->unsent() <= kUnsentInputBytes)) {
    const auto n = tty_.read(keys_);
    if (!n) return begin_leave({AttachEnd::Why::terminal_gone});
    if (*n < keys_.size()) keys_ready_ = false;
    if (*n == 0) return;
    scanner_.feed(std::string_view(keys_.data(), *n), [this](const wire::InputToken& token) { take(token); });
    flush_keys();
    if (!keys_ready_) return;
  }
}

void AttachTerminal::take(const wire::InputToken& token) {
  const Instant now = clock_.now();
  if (!filter_.pass(token, now) || phase_ == Phase::leaving || phase_ == Phase::over) return;
  detach_.feed(token, now, forward_);
}

void AttachTerminal::flush_keys() {
  if (link_ && !forward_.empty() && phase_ != Phase::leaving && phase_ != Phase::over) link_->queue_input(forward_);
  forward_.clear();
  terminal_told();
  if (detach_.leaving() && (phase_ == Phase::attached || phase_ == Phase::asking)) {
    begin_leave({AttachEnd::Why::detached});
  }
}

void AttachTerminal::arm_timers() {
  if (escape_timer_) loop_.cancel(*escape_timer_);
  escape_timer_.reset();
  if (scanner_.pending()) {
    escape_timer_ = loop_.after(filter_.quiet() ? kEscapeWait : kEscapeWaitReplies, [this] {
      escape_timer_.reset();
      scanner_.flush([this](const wire::InputToken& token) { take(token); });
      flush_keys();
    });
  }
  const auto deadline = detach_.deadline();
  if (deadline && !detach_timer_) {
    detach_timer_ = loop_.at(*deadline, [this] {
      detach_timer_.reset();
      detach_.expire(clock_.now());
      flush_keys();
    });
  } else if (!deadline && detach_timer_) {
    loop_.cancel(*detach_timer_);
    detach_timer_.reset();
  }
}

bool AttachTerminal::pump_output() {
  std::size_t moved = 0;
  while (phase_ != Phase::over && link_) {
    if (!drain_drawing()) return false;
    if (phase_ == Phase::over) return false;
    if (moved >= kTurnBytes) return true;
    auto frame = link_->next();
    if (!frame) {
      lost(frame.error().problem);
      return false;
    }
    if (*frame) {
      moved += (*frame)->payload.size();
      handle(**frame);
      continue;
    }
    (void)link_->flush();
    // One that hung up is watched no more and read to its end.
    if (!link_ready_ && link_watched_) return false;
    const auto read = link_->fill();
    link_ready_ = read && *read == Connection::Read::some;
    if (!read || *read == Connection::Read::nothing) return false;
    if (*read == Connection::Read::end) {
      lost(holder_error_.empty() ? "its holder went away" : holder_error_);
      return false;
    }
  }
  return false;
}

void AttachTerminal::handle(const wire::Frame& frame) {
  switch (frame.type) {
    case wire::Type::output:
      if (const auto output = wire::decode_output(frame.payload)) draw(output->bytes);
      return;
    case wire::Type::snapshot:
      return handle_snapshot(frame.payload);
    case wire::Type::event:
      return handle_event(frame.payload);
    case wire::Type::ok:
      return handle_ok(frame.payload);
    case wire::Type::error:
      return handle_error(frame.payload);
    default:
      return;  // of a newer holder
  }
}

void AttachTerminal::handle_ok(std::string_view payload) {
  if (phase_ != Phase::asking) return;
  const auto json = Json::parse(payload);
  const auto attached = json ? wire::parse_attached(*json) : Result<wire::Attached>(std::unexpected(json.error()));
  phase_ = Phase::attached;
  stop_phase_timer();
  entered_ = true;
  terminal_told();
  if (entry_ == Entry::redraw) return;
  std::string notice = options_.notice;
  if (attached && !attached->leader && !(attached->size == size_) && !notice.empty()) {
    notice += "; its screen is " + std::to_string(attached->size.cols) + "x" + std::to_string(attached->size.rows) +
              " for the terminal that leads";
  }
  filter_.asked_own_questions();
  draw(arrival(entry_ == Entry::first ? notice : std::string()));
}

// What goes before a picture of this kind.
std::string AttachTerminal::change_shown(Shown next) {
  std::string bytes;
  if (shown_ == Shown::view && next != Shown::view) bytes = kEndViews;
  if (shown_ != Shown::view && next == Shown::view) bytes = kBeginViews;
  if (next == Shown::session && !has_main_screen_) {
    bytes += room(size_.rows);
    has_main_screen_ = true;
  }
  shown_ = next;
  return bytes;
}

void AttachTerminal::handle_snapshot(std::string_view payload) {
  const auto snapshot = wire::decode_snapshot(payload);
  if (!snapshot) return;
  const wire::Phase phase = snapshot->phase;
  const bool last = (snapshot->flags & wire::kLast) != 0;
  rebuilt_ |= (snapshot->flags & wire::kRebuilt) != 0;
  if (phase == wire::Phase::undo) undo_ends_ = last;
  if (phase == wire::Phase::history || phase == wire::Phase::screen) filter_.restore_begins();
  if (phase == wire::Phase::screen) restore_ends_ = last;
  std::string bytes;
  if (phase == wire::Phase::undo) {
    bytes = change_shown(Shown::nothing);
    // Of a session that was only looked at nothing else is to undo.
    if (!has_main_screen_) return draw(bytes);
  } else {
    bytes = change_shown(phase == wire::Phase::view ? Shown::view : Shown::session);
  }
  if (bytes.empty()) return draw(snapshot->bytes);
  draw(bytes.append(snapshot->bytes));
}

void AttachTerminal::handle_event(std::string_view payload) {
  const auto json = Json::parse(payload);
  if (!json) return;
  const std::string event = json->get("event").as_string();
  if (event == "exited") {
    AttachEnd end{AttachEnd::Why::ended};
    if (auto exit = wire::parse_exit_event(*json)) end.exit = std::move(*exit);
    if (phase_ == Phase::leaving && !stopping_) end_ = end;  // it ended while we were about to leave
    begin_leave(std::move(end));
  } else if (event == "detached") {
    if (phase_ == Phase::leaving) return;
    end_ = {AttachEnd::Why::sent_away, json->get("reason").as_string()};
    finish();
  }
}

void AttachTerminal::handle_error(std::string_view payload) {
  const auto json = Json::parse(payload);
  Error error = json ? wire::parse_error(*json) : json.error();
  if (phase_ == Phase::asking && entry_ == Entry::first) {
    refused_ = std::move(error);
    finish();
    return;
  }
  holder_error_ = error.problem;
}

// Writes what the terminal takes at once; the rest waits, and no other frame is looked at until it is through.
void AttachTerminal::draw(std::string_view bytes) {
  const auto written = tty_.write(bytes);
  if (!written) return begin_leave({AttachEnd::Why::terminal_gone});
  if (*written == bytes.size()) return after_drawn();
  drawing_.assign(bytes.substr(*written));
  drawn_ = 0;
}

// False: the terminal is full.
bool AttachTerminal::drain_drawing() {
  if (drawn_ == drawing_.size()) return true;
  const auto written = tty_.write(std::string_view(drawing_).substr(drawn_));
  if (!written) {
    begin_leave({AttachEnd::Why::terminal_gone});
    return false;
  }
  drawn_ += *written;
  if (drawn_ < drawing_.size()) return false;
  if (drawing_.capacity() > kTurnBytes) std::string().swap(drawing_);
  drawing_.clear();
  drawn_ = 0;
  after_drawn();
  return true;
}

void AttachTerminal::after_drawn() {
  if (restore_ends_) {
    restore_ends_ = false;
    filter_.restore_written(clock_.now());
    restored_ = true;
    terminal_told();
  }
  if (!undo_ends_) return;
  undo_ends_ = false;
  undone_ = true;
  if (phase_ == Phase::leaving) finish();
}

void AttachTerminal::lost(std::string reason) {
  if (phase_ == Phase::leaving) return finish();
  if (phase_ == Phase::asking && entry_ == Entry::first) {
    refused_ = Error{ErrorKind::timeout, "attach", std::move(reason), "look at it with: hold ls"};
    return finish();
  }
  end_ = {AttachEnd::Why::lost, std::move(reason)};
  finish();
}

// What it has told of itself so far: the guard is given it, in case a fault of our own ends us, and the holder, once
// its picture is through. Before, the change could come between the pieces of that picture.
void AttachTerminal::terminal_told() {
  if (!entered_) return;
  if (std::string bytes = undo_everything() + put_back(); bytes != guard_bytes_) {
    guard_bytes_ = std::move(bytes);
    tty_.set_undo(guard_bytes_);
  }
  const wire::Clusters clusters = clusters_of(filter_.clusters(), options_.fresh);
  if (clusters == wire::Clusters::unknown || clusters == facts_.clusters) return;
  if (!restored_ || phase_ != Phase::attached) return;
  facts_.clusters = clusters;
  link_->queue(wire::Type::terminal, wire::to_json(facts_));
}

void AttachTerminal::begin_leave(AttachEnd end) {
  if (phase_ == Phase::over) return;
  const bool terminal_gone = end.why == AttachEnd::Why::terminal_gone;
  if (phase_ == Phase::leaving) {
    if (terminal_gone) finish();
    return;
  }
  end_ = std::move(end);
  const bool asked_too_early = phase_ == Phase::asking && !entered_;
  if (terminal_gone || asked_too_early || !link_) return finish();
  phase_ = Phase::leaving;
  if (undone_) return finish();
  wire::Detach detach;
  detach.id = kDetachId;
  detach.kitty_flags = filter_.keyboard_flags();
  link_->queue(wire::Type::detach, wire::to_json(detach));
  (void)link_->flush();
  start_phase_timer(kUndoWait, [this] {
    if (phase_ == Phase::leaving) finish();
  });
}

// The terminal goes back to what it was, and the attachment (or, on a stop, this part of it) is over.
void AttachTerminal::finish() {
  const bool terminal_gone = end_.why == AttachEnd::Why::terminal_gone && !stopping_;
  phase_ = Phase::over;
  stop_phase_timer();
  if (entered_ && !terminal_gone) {
    std::string bytes = undone_ ? std::string() : change_shown(Shown::nothing);
    if (!undone_ && has_main_screen_) bytes += undo_everything();
    bytes += put_back();
    bytes += kFence;
    if (tty_.write_until(bytes, clock_.now() + kLastWriteWait, clock_)) {
      filter_.fence_written();
      swallow_late_replies();
    }
  }
  tty_.restore(entered_ ? Tty::Unread::discard : Tty::Unread::keep);
  guard_bytes_.clear();
  unwatch_link();
  link_.reset();
  if (!stopping_) return;

  stopping_ = entered_ = has_main_screen_ = false;
  ::raise(SIGSTOP);
  // Continued. The loop sees the SIGCONT, too: on_continue() does nothing until we are attached again.
  if (!tty_.make_raw() || !enter(Entry::continued)) {
    tty_.restore(Tty::Unread::keep);
    end_ = {AttachEnd::Why::lost, "its holder is gone"};
  }
}

void AttachTerminal::swallow_late_replies() {
  const Instant deadline = clock_.now() + kLateReplyWait;
  while (!filter_.quiet() && wait_ready(tty_.fd(), Until::readable, deadline, clock_)) {
    const auto n = tty_.read(keys_);
    if (!n) return;
    scanner_.feed(std::string_view(keys_.data(), *n),
                  [this](const wire::InputToken& token) { (void)filter_.pass(token, clock_.now()); });
  }
}

}  // namespace

Result<AttachEnd> attach_terminal(const AttachOptions& options, Tty tty, const Clock& clock) {
  const auto poller = TRY(loop::make_epoll_poller());
  loop::Loop loop(*poller, clock);
  // On the heap: it carries a read buffer.
  const auto terminal = std::make_unique<AttachTerminal>(options, clock, loop, std::move(tty));
  return terminal->run();
}

}  // namespace holdfast::client
