#include "holder/vtd_link.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "base/sys.h"

namespace holdfast::holder {
namespace {

using namespace wire::vtd;

// While a terminal is fed, VTD waits this long for more: it and the terminal compete for a processor, and each time it
// wakes it gets in the way of the four processes that a byte passes. Nobody sees the delay: who asks for the screen gets
// what was parsed up to the question.
constexpr Duration kBatchDelay = 30ms;
// So many bytes are worth waking it for at once: half of what it may be behind (limits::kVtdLagBytes).
constexpr std::uint64_t kBatchBytes = limits::kVtdLagBytes / 2;
// What a poisonous range is cut to: VTD acknowledges as often.
constexpr std::uint64_t kSkipBytes = 256u << 10;
// A VTD that has work and says nothing for so long hangs: the slowest step, packing the largest history, takes half of it.
constexpr Duration kHungAfter = 2s;
// Where others want the processors, too, silence alone says little: it must have had most of that time on one. But who has not
// got it in so long is of no use either.
constexpr Duration kHungTime = 1500ms, kStarvedMax = 30s;
// Pauses before a VTD that dies without getting anywhere is started again.
constexpr Duration kStartPauseFirst = 10ms, kStartPauseMax = 10s;
// Resizes after which a checkpoint is taken, so that the script stays short; and where it is cut if none comes.
constexpr std::size_t kResizesPerCheckpoint = 100;
constexpr std::size_t kScriptMax = 4096;
constexpr std::size_t kCheckpointsKept = 2;
// Crashes and hangs at one place before it counts as poison.
constexpr int kCrashesMax = 2;
// SIGKILL comes from outside, and however often it comes says nothing of the bytes. But the system also sends it to who
// takes too much memory, and writing out a history may need more than there is: a place where nothing but that has
// happened for so long is given up too, or who asked would wait for ever.
constexpr Duration kKilledFor = 30s;
// One that lived for so long did not die of what it was given at its beginning: what brought the one before it down at
// the same place is another story. Longer than any step takes (kHungAfter).
constexpr Duration kSoundAfter = 10s;

}  // namespace

VtdLink::VtdLink(loop::Loop& loop, Host& host, const RingView& ring, VtdListener& listener, Settings settings,
                 Fd checkpoint)
    : loop_(loop), host_(host), ring_(ring), listener_(listener), settings_(settings) {
  bool first = true;
  ring.each_resize([&](const RingResize& logged) {
    const Resize size{logged.offset, logged.cols, logged.rows, logged.xpixel, logged.ypixel};
    if (first) {
      first_size_ = size;
      script_is_whole_ = logged.offset == 0;
    } else {
      add_op({.offset = logged.offset, .is_resize = true, .size = size});
    }
    first = false;
  });
  acked_ = sent_ = start_ = ring.oldest();
  if (checkpoint) take_over(std::move(checkpoint));
}

VtdLink::~VtdLink() { close(); }

// Of a holder that died after its session had gone to sleep.
void VtdLink::take_over(Fd checkpoint) {
  const RingCheckpoint& said = ring_.checkpoint();
  if (said.resizes == 0 || said.offset < ring_.oldest() || said.offset > ring_.head()) return;
  // The oldest logged size is no operation, so the n-th one has number n - 1.
  const std::uint64_t logged = ring_.resizes_logged();
  const std::uint64_t forgotten = logged - std::min<std::uint64_t>(logged, RingHeader::kResizesMax);
  const std::uint64_t covered = said.resizes - std::min<std::uint64_t>(said.resizes, forgotten);
  checkpoints_.push_back({.seq = covered - std::min<std::uint64_t>(covered, 1),
                          .offset = said.offset,
                          .file = std::move(checkpoint),
                          .exact = said.exact != 0,
                          .packed = true});
  prune_script();
  acked_ = sent_ = start_ = said.offset;
  unheard_ = true;
}

void VtdLink::resized(std::uint64_t offset, const Resize& size) {
  ++resizes_since_checkpoint_;
  add_op({.offset = offset, .is_resize = true, .size = size});
  script_.back().size.offset = script_.back().offset;
}

void VtdLink::set_profile(std::string json) {
  if (json == profile_) return;
  profile_ = std::move(json);
  if (shadow_) send(encode(ToVtd{Profile{profile_}}));
}

std::uint64_t VtdLink::request(std::uint64_t offset, Request request) {
  request.id = next_id_++;
  add_op({.offset = offset, .request = std::move(request)});
  return next_id_ - 1;
}

void VtdLink::cancel(std::uint64_t id) {
  const auto op = std::ranges::find_if(script_, [&](const Op& o) { return !o.is_resize && o.request.id == id; });
  if (op != script_.end()) remove_op(static_cast<std::size_t>(op - script_.begin()));
}

void VtdLink::add_op(Op op) {
  op.seq = next_seq_++;
  if (!script_.empty()) op.offset = std::max(op.offset, script_.back().offset);
  script_.push_back(std::move(op));
  prune_script();
}

void VtdLink::remove_op(std::size_t index) {
  script_.erase(script_.begin() + static_cast<std::ptrdiff_t>(index));
  if (index < next_op_) --next_op_;
}

// Resizes from before the older checkpoint are not needed to rebuild anything.
void VtdLink::prune_script() {
  const std::uint64_t covered = checkpoints_.empty() ? 0 : checkpoints_.front().seq;
  while (!script_.empty() && script_.front().is_resize && (script_.front().seq <= covered || script_.size() > kScriptMax)) {
    first_size_ = script_.front().size;
    script_is_whole_ = false;
    remove_op(0);
  }
}

const VtdLink::Checkpoint* VtdLink::usable_checkpoint() const {
  for (auto it = checkpoints_.rbegin(); it != checkpoints_.rend(); ++it) {
    if (it->offset >= ring_.oldest()) return &*it;
  }
  return nullptr;
}

std::uint64_t VtdLink::rebuild_offset() const {
  if (checkpoint_failed_ || (checkpoints_.empty() && start_ != 0)) return acked_;
  return checkpoints_.empty() ? 0 : checkpoints_.back().offset;
}

bool VtdLink::is_awaited() const {
  return is_running() || !was_tried_ || asleep_ || loop_.now() < awaited_until_;
}

bool VtdLink::has_work() const {
  if (safe_ > acked_ || unheard_) return true;
  return std::ranges::any_of(script_, [](const Op& op) { return !op.is_resize; });
}

void VtdLink::advance(std::uint64_t safe, Wake wake) {
  safe_ = safe;
  if (!shadow_) {
    if (!has_work() || loop_.now() < next_start_) return;
    start();
    if (!shadow_) return;
  }
  send_script();
  const std::uint64_t unsent = safe_ - sent_;
  if (unsent > 0 && acked_ == sent_) {
    const bool waited = batch_since_ && loop_.now() - *batch_since_ >= kBatchDelay;
    if (wake == Wake::now || unsent >= kBatchBytes || waited || finished_) {
      send_range(safe_);
    } else if (!batch_since_) {
      batch_since_ = loop_.now();
      batch_timer_ = loop_.after(kBatchDelay, [this] { batch_timer_.reset(); });
    }
  }
  flush();
  watch_progress();
  rest_if_idle();
}

void VtdLink::finish(std::uint64_t offset) {
  finished_ = true;
  if (!is_kept(offset)) want_checkpoint(offset, Want::packed_checkpoint);
}

// ---- starting and dying

void VtdLink::start() {
  was_tried_ = true;
  unheard_ = false;
  const bool was_asleep = std::exchange(asleep_, false);
  auto shadow = host_.start_shadow();
  if (!shadow) {
    log::error(shadow.error().message());
    start_pause_ = std::clamp(2 * start_pause_, kStartPauseFirst, kStartPauseMax);
    // What wakes it must not overrun the ring before it can be started: waited for once, as for one that died.
    if (was_asleep) return expect_start();
    next_start_ = loop_.now() + start_pause_;
    start_timer_ = loop_.at(next_start_, [this] { start_timer_.reset(); });
    return;
  }
  shadow_ = std::move(*shadow);
  started_ = loop_.now();
  const int socket = shadow_->socket.get();
  if (const auto watched = loop_.watch(socket, loop::kRead, [this](unsigned) { on_readable(); }); !watched) {
    log::error(watched.error().message());
    ended(Cause::crashed);
    return;
  }
  if (await_timer_) loop_.cancel(*await_timer_);
  await_timer_.reset();
  begin_at(usable_checkpoint());
}

void VtdLink::begin_at(const Checkpoint* checkpoint) {
  Start start{0, first_size_.cols, first_size_.rows, first_size_.xpixel, first_size_.ypixel, settings_.history_rows,
              settings_.history_bytes};
  next_op_ = 0;
  if (checkpoint != nullptr) {
    start.offset = checkpoint->offset;
    exact_ = checkpoint->exact;
    // Requests that were made before the checkpoint and are still unanswered are sent too.
    while (next_op_ < script_.size() && script_[next_op_].is_resize && script_[next_op_].seq <= checkpoint->seq) {
      ++next_op_;
    }
  } else {
    start.offset = ring_.oldest();
    exact_ = start.offset == 0 && script_is_whole_;
    for (; start.offset != 0 && next_op_ < script_.size(); ++next_op_) {
      const Op& op = script_[next_op_];
      if (!op.is_resize || op.offset > start.offset) break;
      start.cols = op.size.cols, start.rows = op.size.rows;
      start.xpixel = op.size.xpixel, start.ypixel = op.size.ypixel;
    }
  }
  if (!exact_) become_inexact("its last bytes alone are known");
  start_ = sent_ = acked_ = start.offset;
  asked_ = 0;
  send(encode(ToVtd{start}), checkpoint != nullptr ? checkpoint->file.get() : -1);
  if (!profile_.empty()) send(encode(ToVtd{Profile{profile_}}));
}

void VtdLink::ended(Cause cause) {
  const int status = host_.end_shadow(shadow_->pid);
  if (cause == Cause::gone) {
    cause = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? Cause::killed : Cause::crashed;
  }
  log::warning("the shadow terminal " + std::string(cause == Cause::hung ? "hung" : "ended") + " (status " +
               std::to_string(status) + ") behind byte " + std::to_string(acked_) + "; it is started again");
  close();
  listener_.shadow_restarted(cause == Cause::hung ? "the shadow terminal hung" : "the shadow terminal crashed");
  avoid_poison(cause);
  const Checkpoint* checkpoint = usable_checkpoint();
  acked_ = sent_ = start_ = checkpoint != nullptr ? checkpoint->offset : ring_.oldest();
  next_op_ = 0;
  expect_start();
}

void VtdLink::expect_start() {
  if (start_pause_ > Duration::zero()) {
    next_start_ = loop_.now() + start_pause_;
    start_timer_ = loop_.at(next_start_, [this] { start_timer_.reset(); });
  }
  awaited_until_ = (death_.times > 0 ? death_.since : loop_.now()) + kHungAfter;
  // The program goes on then, though nothing else may happen.
  if (is_awaited()) await_timer_ = loop_.at(awaited_until_, [this] { await_timer_.reset(); });
}

void VtdLink::close() {
  for (auto* timer : {&batch_timer_, &progress_timer_, &start_timer_, &await_timer_}) {
    if (*timer) loop_.cancel(**timer);
    timer->reset();
  }
  batch_since_.reset();
  outbox_.clear();
  if (!shadow_) return;
  loop_.forget(shadow_->socket.get());
  shadow_.reset();
}

void VtdLink::avoid_poison(Cause cause) {
  const Checkpoint* checkpoint = usable_checkpoint();
  const std::uint64_t from = checkpoint != nullptr ? checkpoint->offset : 0;
  if (loop_.now() - started_ >= kSoundAfter) death_ = {};
  const bool same_place = death_.times > 0 && death_.checkpoint == from && death_.acked == acked_;
  if (!same_place) death_ = {.checkpoint = from, .acked = acked_, .since = loop_.now()};
  ++death_.times;
  if (cause != Cause::killed) ++death_.crashes;
  // The first time it is started again at once.
  start_pause_ = same_place ? std::clamp(2 * start_pause_, kStartPauseFirst, kStartPauseMax) : Duration::zero();
  if (death_.crashes < kCrashesMax && loop_.now() - death_.since < kKilledFor) return;
  death_ = {};
  skip_or_step_back();
}

void VtdLink::skip_or_step_back() {
  const bool skipped = std::ranges::any_of(skips_, [&](const SkipRange& skip) { return skip.from == acked_; });
  if (sent_ > acked_ && !skipped) {
    skips_.push_back({acked_, std::min(sent_, acked_ + kSkipBytes)});
    log::warning("bytes " + std::to_string(skips_.back().from) + " to " + std::to_string(skips_.back().to) +
                 " crash the shadow terminal and are skipped");
    return;
  }
  const auto request = std::ranges::find_if(script_, [](const Op& op) { return !op.is_resize; });
  if (request != script_.end() && static_cast<std::size_t>(request - script_.begin()) < next_op_) {
    Answer answer{.id = request->request.id, .error = "the shadow terminal crashes when it writes this out"};
    remove_op(static_cast<std::size_t>(request - script_.begin()));
    if (answer.id == checkpoint_id_) {
      checkpoint_id_ = 0;
      checkpoint_failed_ = true;
    } else {
      listener_.shadow_answered(answer, {}, true);
    }
    return;
  }
  if (!checkpoints_.empty()) checkpoints_.pop_back();
}

// ---- talking

void VtdLink::send_script() {
  while (next_op_ < script_.size() && script_[next_op_].offset <= safe_) {
    const Op& op = script_[next_op_];
    send_range(op.offset);
    if (op.is_resize) {
      send(encode(ToVtd{op.size}));
    } else {
      ++asked_;
      send(encode(ToVtd{op.request}));
    }
    ++next_op_;
  }
}

void VtdLink::send_range(std::uint64_t end) {
  batch_since_.reset();
  if (batch_timer_) loop_.cancel(*batch_timer_);
  batch_timer_.reset();
  if (acked_ == sent_) meter_.began(loop_.now());
  while (sent_ < end) {
    std::uint64_t to = end;
    bool skip = false;
    // Behind a death the way there is cut where the dead one had got to: so the next death is seen at the same place.
    if (death_.times > 0 && sent_ < death_.acked) to = std::min(to, death_.acked);
    for (const SkipRange& range : skips_) {
      if (range.from > sent_) {
        to = std::min(to, range.from);
      } else if (range.to > sent_) {
        to = std::min(end, range.to);
        skip = true;
        break;
      }
    }
    if (skip) become_inexact("bytes that crash the shadow terminal were left out");
    send(skip ? encode(ToVtd{Skip{to}}) : encode(ToVtd{Range{to}}));
    sent_ = to;
  }
}

void VtdLink::become_inexact(std::string_view why) {
  exact_ = false;
  listener_.shadow_inexact(why);
}

void VtdLink::send(std::string bytes, int file) {
  outbox_.push_back({std::move(bytes), file});
  if (outbox_.size() == 1) flush();
}

void VtdLink::flush() {
  while (shadow_ && !outbox_.empty()) {
    const auto sent = sys::send_with_fd(shadow_->socket.get(), outbox_.front().bytes, outbox_.front().file);
    // A peer that is gone is noticed when its end is read, once.
    if (!sent) {
      outbox_.clear();
      break;
    }
    if (!*sent) break;
    outbox_.pop_front();
  }
  if (shadow_) {
    const auto changed = loop_.change(shadow_->socket.get(), outbox_.empty() ? unsigned{loop::kRead} : loop::kRead | loop::kWrite);
    if (!changed) log::error(changed.error().message());
  }
}

void VtdLink::on_readable() {
  flush();
  std::array<char, kPacketBytesMax> buffer;
  while (shadow_) {
    auto received = sys::receive_with_fd(shadow_->socket.get(), buffer);
    if (received && !*received) return;
    if (!received || (*received)->bytes == 0) return ended(Cause::gone);
    auto message = decode_from_vtd(std::string_view(buffer.data(), (*received)->bytes));
    if (!message) return ended(Cause::crashed);
    heard_ = loop_.now();
    on_message(std::move(*message), std::move((*received)->fd));
  }
}

void VtdLink::on_message(FromVtd message, Fd file) {
  if (const auto* ack = std::get_if<Ack>(&message)) {
    if (ack->offset < acked_ || ack->offset > sent_) return;
    meter_.acknowledged(loop_.now(), ack->offset - acked_);
    acked_ = ack->offset;
    if (death_.times > 0 && acked_ > death_.acked) {
      death_ = {};
      start_pause_ = Duration::zero();
    }
    listener_.shadow_parsed(acked_);
    const std::uint64_t last = checkpoints_.empty() ? start_ : checkpoints_.back().offset;
    if (acked_ - std::min(acked_, last) >= limits::kCheckpointEveryBytes ||
        resizes_since_checkpoint_ >= kResizesPerCheckpoint) {
      want_checkpoint(sent_, Want::checkpoint);
    }
  } else if (auto* reply = std::get_if<Reply>(&message)) {
    listener_.shadow_replied(reply->offset, reply->bytes);
  } else if (auto* event = std::get_if<Event>(&message)) {
    listener_.shadow_event(*event);
  } else if (auto* answer = std::get_if<Answer>(&message)) {
    on_answer(std::move(*answer), std::move(file));
  }
}

void VtdLink::on_answer(Answer answer, Fd file) {
  if (asked_ > 0) --asked_;
  const auto op =
      std::ranges::find_if(script_, [&](const Op& o) { return !o.is_resize && o.request.id == answer.id; });
  if (op == script_.end()) return;
  const std::uint64_t seq = op->seq;
  const bool packed = op->request.want == Want::packed_checkpoint;
  remove_op(static_cast<std::size_t>(op - script_.begin()));
  if (!file && answer.error.empty()) answer.error = "the shadow terminal gave no answer";
  if (answer.id == checkpoint_id_) keep_checkpoint(answer, std::move(file), seq, packed);
  else listener_.shadow_answered(answer, std::move(file), !exact_);
}

void VtdLink::want_checkpoint(std::uint64_t offset, Want want) {
  if (checkpoint_id_ != 0 && !finished_) return;
  resizes_since_checkpoint_ = 0;
  checkpoint_id_ = request(offset, {.want = want});
}

// Whether a VTD that sleeps can wake from the newest checkpoint and be where it was.
bool VtdLink::is_kept(std::uint64_t offset) const {
  if (checkpoints_.empty()) return false;
  const Checkpoint& newest = checkpoints_.back();
  return newest.packed && newest.offset == offset &&
         std::ranges::none_of(script_, [&](const Op& op) { return op.is_resize && op.seq > newest.seq; });
}

void VtdLink::keep_checkpoint(const Answer& answer, Fd file, std::uint64_t seq, bool packed) {
  checkpoint_id_ = 0;
  checkpoint_failed_ = !answer.error.empty();
  if (checkpoint_failed_) return log::warning("no checkpoint: " + answer.error);
  if (checkpoints_.size() == kCheckpointsKept) checkpoints_.erase(checkpoints_.begin());
  checkpoints_.push_back({seq, answer.offset, std::move(file), exact_, packed});
  // The end needs one only: there is no later one it could be the spare of.
  if (finished_) checkpoints_.erase(checkpoints_.begin(), checkpoints_.end() - 1);
  prune_script();
}

// ---- time

bool VtdLink::is_busy() const { return shadow_ && (sent_ > acked_ || asked_ > 0 || !outbox_.empty()); }

void VtdLink::watch_progress() {
  if (!is_busy()) {
    if (progress_timer_) loop_.cancel(*progress_timer_);
    progress_timer_.reset();
  } else if (!progress_timer_) {
    heard_ = loop_.now();
    time_before_ = host_.shadow_time(shadow_->pid);
    progress_timer_ = loop_.after(kHungAfter, [this] { check_progress(); });
  }
}

void VtdLink::check_progress() {
  progress_timer_.reset();
  if (!is_busy()) return;
  const Duration silence = loop_.now() - heard_, time = host_.shadow_time(shadow_->pid);
  if (silence < kHungAfter) {
    time_before_ = time;
    progress_timer_ = loop_.at(heard_ + kHungAfter, [this] { check_progress(); });
    return;
  }
  const bool has_had_its_time = time - time_before_ >= kHungTime || silence >= kStarvedMax;
  if (has_had_its_time || !host_.is_shadow_at_work(shadow_->pid)) return ended(Cause::hung);
  progress_timer_ = loop_.after(kHungAfter, [this] { check_progress(); });
}

void VtdLink::rest_if_idle() {
  if (!shadow_ || !(finished_ || may_sleep_) || work_expected_ || is_busy() || has_work()) return;
  if (finished_ || is_kept(safe_)) return let_go();
  // Without a checkpoint it has to stay.
  if (checkpoint_failed_) return;
  want_checkpoint(safe_, Want::packed_checkpoint);
  send_script();
  flush();
  watch_progress();
}

void VtdLink::let_go() {
  const pid_t pid = shadow_->pid;
  close();
  host_.end_shadow(pid);
  awaited_until_ = {};
  asleep_ = true;
  if (!is_kept(safe_)) return;
  // An older one would need bytes that may be given up now.
  checkpoints_.erase(checkpoints_.begin(), checkpoints_.end() - 1);
  prune_script();
  listener_.shadow_sleeps(checkpoints_.back().offset, checkpoints_.back().file.get(), checkpoints_.back().exact);
}

}  // namespace holdfast::holder
