// A session without a machine, for tests: manual clock, fake program, fake VTD, fake clients over socket pairs.
//
// Everything runs on one thread and moves only in settle() and pass(), so a seed gives the same run every time.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/sys.h"
#include "holder/session.h"

namespace holdfast::holder::simulation {

class SimPoller final : public loop::Poller {
 public:
  explicit SimPoller(ManualClock& clock) : clock_(clock) {}
  Result<> set(int fd, unsigned interest) override {
    interests_[fd] = interest;
    return {};
  }
  void remove(int fd) override { interests_.erase(fd); }
  void wait(Duration timeout, std::vector<Ready>& ready) override {
    std::vector<pollfd> fds;
    for (const auto& [fd, interest] : interests_) {
      if (interest == loop::kNone) continue;
      fds.push_back({fd, static_cast<short>(((interest & loop::kRead) != 0 ? POLLIN : 0) |
                                            ((interest & loop::kWrite) != 0 ? POLLOUT : 0)), 0});
    }
    ::poll(fds.data(), fds.size(), 0);
    for (const pollfd& fd : fds) {
      unsigned events = 0;
      if ((fd.revents & POLLIN) != 0) events |= loop::kReadable;
      if ((fd.revents & POLLOUT) != 0) events |= loop::kWritable;
      if ((fd.revents & (POLLHUP | POLLERR)) != 0) {
        events |= loop::kHangup;
        if ((interests_[fd.fd] & loop::kRead) != 0) events |= loop::kReadable;
      }
      if (events != 0) ready.push_back({fd.fd, events});
    }
    any_ready_ = !ready.empty();
    if (!any_ready_ && timeout > Duration::zero()) clock_.advance(timeout);
  }
  bool any_ready() const { return any_ready_; }

 private:
  ManualClock& clock_;
  std::map<int, unsigned> interests_;
  bool any_ready_ = false;
};

inline constexpr std::string_view kQuery = "\033[6n";
inline std::string answer_to(std::uint64_t offset) { return "\033[" + std::to_string(offset) + ";1R"; }

// How often each query was answered in what the program was sent.
inline std::map<std::uint64_t, int> answers_in(std::string_view input) {
  std::map<std::uint64_t, int> answers;
  for (auto at = input.find("\033["); at != std::string_view::npos; at = input.find("\033[", at + 1)) {
    std::uint64_t offset = 0;
    auto end = at + 2;
    while (end < input.size() && input[end] >= '0' && input[end] <= '9') offset = offset * 10 + std::uint64_t(input[end++] - '0');
    if (input.substr(end, 3) == ";1R") ++answers[offset];
  }
  return answers;
}

// Offsets one past each query in what the program wrote.
inline std::vector<std::uint64_t> query_ends(std::string_view bytes) {
  std::vector<std::uint64_t> ends;
  for (auto at = bytes.find(kQuery); at != std::string_view::npos; at = bytes.find(kQuery, at + 1)) {
    ends.push_back(at + kQuery.size());
  }
  return ends;
}

// What a client shall draw of program bytes, worked out the slow way.
inline std::string rewritten(std::string bytes) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (auto at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + to.size())) {
      bytes.replace(at, from.size(), to);
    }
  };
  replace("\033]133;A\a", "\033]133;A;redraw=0\a");
  replace("\033]133;A;", "\033]133;A;redraw=0;");
  replace("\033]133;A;redraw=0;redraw=0\a", "\033]133;A;redraw=0\a");
  replace("\033]7501;?\a", "");
  replace("\033]7501;?\033\\", "");
  return bytes;
}

// A VTD that answers queries and draws "picture of OFFSET".
struct FakeVtd {
  Fd socket;
  std::uint64_t at = 0;
  bool hangs = false;
  std::vector<std::string> words;  // of the holder, in a short form
};

class FakeHost final : public Host {
 public:
  Result<Shadow> start_shadow() override {
    if (starts_refused > 0) {
      --starts_refused;
      return fail(ErrorKind::failed, "start", "there are too many processes");
    }
    auto [ours, theirs] = TRY(sys::socket_pair(SOCK_SEQPACKET | SOCK_NONBLOCK));
    vtd = std::make_unique<FakeVtd>();
    vtd->socket = std::move(theirs);
    return Shadow{std::move(ours), ++shadows};
  }
  int end_shadow(pid_t) override {
    vtd.reset();
    return shadow_status;
  }
  Duration shadow_time(pid_t) override { return shadow_had; }
  bool is_shadow_at_work(pid_t) override { return shadow_at_work; }
  void keep_checkpoint(int file) override { checkpoint.reset(::dup(file)); }
  void give_memory_back() override {}
  Result<> set_terminal_size(const pty::Size& size) override {
    sizes.push_back(size);
    return {};
  }
  std::string foreground_command() override { return "sh"; }
  Result<> signal_foreground(int number) override {
    signals.push_back(number);
    return {};
  }
  void hang_up_program() override { signals.push_back(SIGHUP); }
  void kill_tree(pid_t) override { signals.push_back(SIGKILL); }
  bool is_tree_empty(pid_t) override { return tree_empty; }
  void save_manifest(std::string text, Durable) override { manifest = std::move(text); }
  bool is_manifest_saved() override { return true; }
  int saved_fd() const override { return -1; }
  Result<> renew_places() override {
    ++renewals;
    if (at_renewal) at_renewal();
    if (renewals_refused == 0) return {};
    --renewals_refused;
    return fail(ErrorKind::timeout, "renew", "somebody has the lock");
  }
  Result<> remove_session() override {
    removed = true;
    return {};
  }

  std::unique_ptr<FakeVtd> vtd;
  int shadows = 0;
  int shadow_status = SIGSEGV;
  bool shadow_at_work = false;
  Duration shadow_had{};
  int starts_refused = 0;
  Fd checkpoint;  // what the keeper was given
  std::vector<pty::Size> sizes;
  std::vector<int> signals;
  bool tree_empty = true, removed = false;
  int renewals = 0, renewals_refused = 0;
  std::function<void()> at_renewal;
  std::string manifest;
};

struct Snapshot {
  std::uint64_t offset;
  wire::Phase phase;
  unsigned flags;
  std::string bytes;
};

class FakeClient {
 public:
  enum class Hello : std::uint8_t { no, yes };
  FakeClient(const sockaddr_un& address, socklen_t length, Hello hello) : decoder_(limits::kFrameBytesMax) {
    socket_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    CHECK(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0);
    CHECK(sys::set_blocking(socket_.get(), sys::Blocking::no).has_value());
    if (hello == Hello::yes) say(wire::Type::hello, wire::to_json(wire::Hello{}));
  }

  void send(std::string_view bytes) { unsent_ += bytes; }
  void say(wire::Type type, const Json& json) { send(wire::encode(type, json.dump())); }
  void attach(std::uint16_t cols = 80, std::uint16_t rows = 24, bool observe = false) {
    say(wire::Type::attach, wire::to_json(wire::Attach{.id = 1, .size = {cols, rows, 0, 0}, .client_id = "c", .observe = observe,
                                                       .history = true, .terminal = {}, .environment = {}}));
  }
  void type(std::string_view bytes) {
    send(wire::encode_input(typed_, bytes));
    typed_ += bytes.size();
  }
  void resize(std::uint16_t cols, std::uint16_t rows) {
    say(wire::Type::resize, wire::to_json(wire::TermSize{cols, rows, 0, 0}));
  }
  void hang_up() { socket_.reset(); }
  bool connected() const { return static_cast<bool>(socket_); }

  // Moves bytes both ways, at most `budget` each; true if any moved. `program`: what the program has written so far.
  bool step(std::size_t budget, const std::string& program) {
    if (!socket_) return false;
    bool moved = false;
    const auto sent = ::send(socket_.get(), unsent_.data(), std::min(unsent_.size(), budget), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      unsent_.erase(0, static_cast<std::size_t>(sent));
      moved = true;
    }
    if (!reads) return moved;
    const auto space = decoder_.space();
    const auto got = ::recv(socket_.get(), space.data(), std::min(space.size(), budget), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN)) {
      ended = true;
      socket_.reset();
      return true;
    }
    if (got < 0) return moved;
    decoder_.filled(static_cast<std::size_t>(got));
    for (auto frame = decoder_.next(); frame && *frame; frame = decoder_.next()) take(**frame, program);
    return true;
  }

  bool reads = true;        // false: as if stopped
  bool answers = true;      // its terminal answers queries, whoever leads
  bool ended = false;       // the holder has closed the connection
  bool leader = false;
  bool sound = true;        // every frame was what it had to be
  std::string fault;
  std::string drawn;        // since the last snapshot
  std::uint64_t drawn_to = 0;
  wire::TermSize size;
  std::vector<Snapshot> snapshots;
  std::vector<Json> events, oks, errors, infos;
  std::string data;
  int resyncs = 0, exits = 0;

 private:
  void wrong(std::string what) {
    sound = false;
    if (fault.empty()) fault = std::move(what);
  }

  void take(const wire::Frame& frame, const std::string& program) {
    if (exits > 0 && (frame.type == wire::Type::output)) wrong("output behind the exit");
    switch (frame.type) {
      case wire::Type::output: return take_output(frame.payload, program);
      case wire::Type::snapshot: {
        const auto said = wire::decode_snapshot(frame.payload).value();
        snapshots.push_back({said.offset, said.phase, said.flags, std::string(said.bytes)});
        const Snapshot& last = snapshots.back();
        if (last.phase != wire::Phase::screen) return;
        drawn.clear();
        drawn_to = last.offset;
        return;
      }
      case wire::Type::data: data += wire::decode_data(frame.payload).value().bytes; return;
      case wire::Type::ok: return take_ok(Json::parse(frame.payload).value());
      case wire::Type::event: return take_event(Json::parse(frame.payload).value());
      case wire::Type::error: errors.push_back(Json::parse(frame.payload).value()); return;
      case wire::Type::info: infos.push_back(Json::parse(frame.payload).value()); return;
      default: return;
    }
  }

  void take_ok(Json json) {
    if (!json.get("role").is_null()) {
      leader = json.get("role").as_string() == "leader";
      size = wire::parse_size(json).value();
    }
    oks.push_back(std::move(json));
  }

  void take_event(Json json) {
    const std::string name = json.get("event").as_string();
    if (name == "role") {
      leader = json.get("leader").as_bool();
      size = wire::parse_size(json).value();
    }
    if (name == "resync") ++resyncs;
    if (name == "exited") ++exits;
    events.push_back(std::move(json));
  }

  void take_output(std::string_view payload, const std::string& program) {
    const auto [start, end, bytes] = wire::decode_output(payload).value();
    if (start != drawn_to) wrong("a frame at " + std::to_string(start) + " behind " + std::to_string(drawn_to));
    if (end > program.size() || end <= start) return wrong("a frame of no sane length");
    if (bytes != rewritten(program.substr(start, end - start))) wrong("other bytes at " + std::to_string(start));
    drawn += bytes;
    drawn_to = end;
    if (!answers) return;
    const std::uint64_t from = start - std::min<std::uint64_t>(start, kQuery.size() - 1);
    for (const std::uint64_t query : query_ends(std::string_view(program).substr(from, end - from))) {
      type(answer_to(from + query));
    }
  }

  Fd socket_;
  wire::FrameDecoder decoder_;
  std::string unsent_;
  std::uint64_t typed_ = 0;
};

class World {
 public:
  // `sleep_after_s`: 0 = the session never sleeps.
  explicit World(std::string flow = "auto", std::int64_t sleep_after_s = limits::kSleepAfterSecondsDefault) : poller_(clock), loop(poller_, clock) {
    auto program_line = sys::socket_pair(SOCK_STREAM | SOCK_NONBLOCK).value();
    master_ = std::move(program_line.first);
    program_ = std::move(program_line.second);
    auto keeper_line = sys::socket_pair(SOCK_SEQPACKET | SOCK_NONBLOCK).value();
    keeper_ours_ = std::move(keeper_line.first);
    keeper = std::move(keeper_line.second);
    ring_ = RingWriter::create_memfd(limits::kRingBytes).value();
    listen();
    RingWriter::map(ring_.get())->log_resize({0, 80, 24, 0, 0});
    manifest_.json.set("id", "01h").set("name", "sim");
    manifest_.json.set("term", Json::object().set("flow", flow).set("sleep_after_s", sleep_after_s));
    begin_session();
  }

  // A holder that dies and the next one, which gets what the keeper has. Its clients are gone.
  void restart_holder() {
    clients.clear();
    session.reset();
    host.vtd.reset();
    begin_session();
  }

  void begin_session() {
    auto ring = RingWriter::map(ring_.get()).value();
    store::Manifest manifest = manifest_;
    session = std::make_unique<Session>(loop, clock, host, std::move(ring), std::move(manifest),
                                        Session::Setup{.master = master_.get(),
                                                       .listener = listener_.get(),
                                                       .keeper = keeper_ours_.get(),
                                                       .program = -1,
                                                       .program_pid = 42,
                                                       .own_pid = 43,
                                                       .uid = ::geteuid()},
                                        Fd(::dup(host.checkpoint.get())));
    CHECK(session->begin().has_value());
  }

  FakeClient& connect(FakeClient::Hello hello = FakeClient::Hello::yes) {
    clients.push_back(std::make_unique<FakeClient>(address_, address_length_, hello));
    return *clients.back();
  }
  FakeClient& attach(std::uint16_t cols = 80, std::uint16_t rows = 24, bool observe = false) {
    FakeClient& client = connect();
    client.attach(cols, rows, observe);
    settle();
    return client;
  }

  void write(std::string_view bytes) { to_write_ += bytes; }
  void end_program(int wait_status = 0) {
    program_ends_ = true;
    end_status_ = wait_status;
  }
  void kill_vtd() {
    if (host.vtd) host.vtd->socket.reset();
  }

  // A listener of its own, or a new one at the number of the old.
  void listen() {
    Fd made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un any{};
    any.sun_family = AF_UNIX;
    CHECK(::bind(made.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any.sun_family) == 0);
    CHECK(::listen(made.get(), sys::kListenBacklog) == 0);
    address_length_ = sizeof address_;
    CHECK(::getsockname(made.get(), reinterpret_cast<sockaddr*>(&address_), &address_length_) == 0);
    if (!listener_) listener_ = std::move(made);
    else CHECK(::dup2(made.get(), listener_.get()) >= 0);
  }

  // Runs until nothing moves any more; time stands still.
  void settle() {
    for (int quiet = 0; quiet < 3;) {
      const bool moved = step();
      const bool turned = loop.run_once(Duration::zero()) && poller_.any_ready();
      quiet = moved || turned ? 0 : quiet + 1;
    }
  }
  // Runs for so long on the clock.
  void pass(Duration time) {
    const Instant end = clock.now() + time;
    settle();
    while (clock.now() < end) {
      loop.run_once(std::min<Duration>(end - clock.now(), 1ms));
      settle();
    }
  }

  // The same for hours: from one timer to the next.
  void idle(Duration time) {
    const Instant end = clock.now() + time;
    settle();
    while (clock.now() < end) {
      loop.run_once(end - clock.now());
      settle();
    }
  }

  RingView ring() const { return RingView::map(ring_.get()).value(); }
  std::size_t ring_memory() const {
    struct stat info{};
    CHECK(::fstat(ring_.get(), &info) == 0);
    return static_cast<std::size_t>(info.st_blocks) * 512;
  }

  // Nothing comes from outside: how long it takes until the session wakes by itself, looked at for an hour.
  Duration sleep() {
    settle();
    const Instant from = clock.now();
    loop.run_once(1h);
    return clock.now() - from;
  }

  ManualClock clock;

 private:
  SimPoller poller_;

 public:
  loop::Loop loop;
  FakeHost host;
  std::unique_ptr<Session> session;
  std::vector<std::unique_ptr<FakeClient>> clients;
  Fd keeper;
  std::string program;   // what the program has written so far
  std::string input;     // what it was sent
  bool program_reads = true;
  std::optional<std::uint64_t> poison;  // offset of the byte that crashes VTD
  bool refuses_checkpoints = false;     // VTD cannot write them
  bool poison_babbles = false;          // or makes it talk nonsense instead
  std::size_t budget = 1u << 20;  // bytes that one party moves in a step

 private:
  bool step() {
    bool moved = step_program();
    for (const auto& client : clients) moved = client->step(budget, program) || moved;
    return step_vtd() || moved;
  }

  bool step_program() {
    if (!program_) return false;
    bool moved = false;
    const std::size_t left = to_write_.size() - written_;
    const auto n = ::send(program_.get(), to_write_.data() + written_, std::min(left, budget), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      program.append(to_write_, written_, static_cast<std::size_t>(n));
      written_ += static_cast<std::size_t>(n);
      moved = true;
    }
    if (written_ == to_write_.size()) {
      to_write_.clear();
      written_ = 0;
    }
    char buffer[65536];
    const auto got = program_reads ? ::recv(program_.get(), buffer, std::min(sizeof buffer, budget), MSG_DONTWAIT) : -1;
    if (got > 0) {
      input.append(buffer, static_cast<std::size_t>(got));
      moved = true;
    }
    if (program_ends_ && to_write_.empty()) {
      program_.reset();
      const roles::KeeperNote note{roles::KeeperNote::program_ended, end_status_, clock.wall_ms(), 0, 0};
      CHECK(::send(keeper.get(), &note, sizeof note, 0) == ssize_t{sizeof note});
      moved = true;
    }
    return moved;
  }

  bool step_vtd() {
    bool moved = false;
    while (host.vtd && host.vtd->socket && !host.vtd->hangs) {
      char packet[65536];
      auto received = sys::receive_with_fd(host.vtd->socket.get(), packet);
      if (!received || !*received || (*received)->bytes == 0) break;
      moved = true;
      take_word(*host.vtd, wire::vtd::decode_to_vtd({packet, (*received)->bytes}).value());
    }
    return moved;
  }

  void tell(FakeVtd& vtd, const wire::vtd::FromVtd& word, int file = -1) {
    CHECK(sys::send_with_fd(vtd.socket.get(), wire::vtd::encode(word), file).has_value());
  }

  void take_word(FakeVtd& vtd, const wire::vtd::ToVtd& word) {
    using namespace wire::vtd;
    if (const auto* start = std::get_if<Start>(&word)) {
      vtd.at = start->offset;
      vtd.words.push_back("start " + std::to_string(start->offset) + " " + std::to_string(start->cols));
    } else if (const auto* range = std::get_if<Range>(&word)) {
      if (poison && vtd.at <= *poison && *poison < range->end) {
        if (!poison_babbles) return vtd.socket.reset();
        vtd.hangs = true;
        CHECK(sys::send_with_fd(vtd.socket.get(), "nonsense", -1).has_value());
        return;
      }
      const std::uint64_t from = vtd.at - std::min<std::uint64_t>(vtd.at, kQuery.size() - 1);
      for (const std::uint64_t query : query_ends(std::string_view(program).substr(from, range->end - from))) {
        tell(vtd, Reply{from + query, answer_to(from + query)});
      }
      vtd.at = range->end;
      vtd.words.push_back("range " + std::to_string(range->end));
      tell(vtd, Ack{vtd.at});
    } else if (const auto* skip = std::get_if<Skip>(&word)) {
      vtd.at = skip->to;
      vtd.words.push_back("skip " + std::to_string(skip->to));
      tell(vtd, Ack{vtd.at});
    } else if (const auto* resize = std::get_if<Resize>(&word)) {
      CHECK(resize->offset == vtd.at);
      vtd.words.push_back("resize " + std::to_string(resize->offset) + " " + std::to_string(resize->cols));
    } else if (const auto* request = std::get_if<Request>(&word)) {
      take_request(vtd, *request);
    }
  }

  void take_request(FakeVtd& vtd, const wire::vtd::Request& request) {
    using wire::vtd::Want;
    static const std::map<Want, std::string> kNames{{Want::restore, "restore"}, {Want::restore_screen, "screen"},
                                                    {Want::view, "view"},       {Want::undo, "undo"},
                                                    {Want::checkpoint, "checkpoint"}, {Want::read, "read"},
                                                    {Want::packed_checkpoint, "packed"}};
    vtd.words.push_back(kNames.at(request.want) + " " + std::to_string(vtd.at));
    if (refuses_checkpoints && (request.want == Want::checkpoint || request.want == Want::packed_checkpoint)) {
      return tell(vtd, wire::vtd::Answer{request.id, vtd.at, 0, 0, "no memory"});
    }
    std::string bytes = kNames.at(request.want) + " of " + std::to_string(vtd.at);
    if (request.want == Want::view) bytes += " " + std::to_string(request.cols) + "x" + std::to_string(request.rows);
    const std::uint64_t history = request.want == Want::restore ? 3 : 0;
    const Fd file = sys::memory_file("sim").value();
    CHECK(sys::write_all(file.get(), bytes).has_value());
    tell(vtd, wire::vtd::Answer{request.id, vtd.at, bytes.size(), history, ""}, file.get());
  }

  Fd master_, program_, keeper_ours_, ring_, listener_;
  store::Manifest manifest_;
  sockaddr_un address_{};
  socklen_t address_length_ = 0;
  std::string to_write_;
  std::size_t written_ = 0;
  bool program_ends_ = false;
  int end_status_ = 0;
};

inline std::size_t count_of(std::string_view text, std::string_view word) {
  std::size_t n = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

// What the last restore or view wrote.
inline std::string last_picture(const FakeClient& client) {
  std::string bytes;
  for (const Snapshot& snapshot : client.snapshots) {
    bytes += snapshot.bytes;
    if ((snapshot.flags & wire::kLast) != 0 && &snapshot != &client.snapshots.back()) bytes.clear();
  }
  return bytes;
}

}  // namespace holdfast::holder::simulation
