#include "vtd/shadow.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/json.h"
#include "base/limits.h"
#include "base/sys.h"
#include "vt/restore.h"
#include "vt/text.h"
#include "vtd/checkpoint.h"
#include "wire/messages.h"

namespace holdfast::vtd {
namespace {

using namespace wire::vtd;

// Parsed at once; events are joined within it. On large screens less: three bytes can write each cell, and the holder must
// hear of progress in between.
constexpr std::uint64_t kSliceBytes = 64u << 10, kSliceBytesMin = 128;
constexpr std::uint64_t kSliceCells = 16u << 10;
// Parsed between two acknowledgements, bytes and time: the holder's measure of progress and of speed.
constexpr std::uint64_t kAckBytes = 256u << 10;
constexpr Duration kAckTime = 50ms;
// Events of one slice that stand for themselves (notifications, clipboard writes); the rest of a flood is dropped.
constexpr std::size_t kEventsMax = 32;
// Text of one event, bytes: it must fit a packet.
constexpr std::size_t kEventBytesMax = 32u << 10;
// A reply longer than a packet goes in pieces of this many bytes.
constexpr std::size_t kReplyBytesMax = 32u << 10;

std::unexpected<Error> out_of_step(std::string_view what) {
  return fail(ErrorKind::failed, "follow the holder", std::string(what));
}

// Whether only the last one of its kind matters.
bool is_state(vt::EventKind kind) {
  switch (kind) {
    case vt::EventKind::bell:
    case vt::EventKind::title:
    case vt::EventKind::working_directory:
    case vt::EventKind::progress: return true;
    case vt::EventKind::notification:
    case vt::EventKind::status_7501:
    case vt::EventKind::clipboard: return false;
  }
  return false;
}

// What to write a restore for. Terminals that cannot show kitty's images are not sent megabytes of them; one that is not
// known is: it reads over what it does not know.
vt::Profile restored_as(std::string_view term) {
  constexpr std::string_view kWithoutImages[] = {"linux", "screen", "tmux", "vt", "rxvt", "alacritty", "foot", "dumb", "eterm", "putty"};
  const auto is_of = [term](std::string_view family) { return term.starts_with(family); };
  return std::ranges::any_of(kWithoutImages, is_of) ? vt::Profile::xterm : vt::Profile::ghostty;
}

Result<vt::ReadOptions> read_options(const std::string& json) {
  const auto message = TRY(wire::parse_read_rows(TRY(Json::parse(json))));
  vt::ReadOptions options;
  options.all = message.all;
  options.unwrap = message.unwrap;
  options.wraps = message.wraps;
  options.written = message.written;
  options.rows = message.rows > 0 ? static_cast<std::size_t>(message.rows) : 0;
  if (message.format == "vt") options.format = vt::TextFormat::vt;
  if (message.format == "html") options.format = vt::TextFormat::html;
  if (message.format == "json") options.format = vt::TextFormat::json;
  return options;
}

}  // namespace

Shadow::Shadow(RingView ring, Channel& channel, const Clock& clock)
    : ring_(std::move(ring)), channel_(channel), clock_(clock) {}
Shadow::~Shadow() = default;

Result<> Shadow::take(const ToVtd& message, Fd file) {
  if (const auto* m = std::get_if<Start>(&message)) return start(*m, std::move(file));
  if (!terminal_) return out_of_step("its first word is not a start");
  if (const auto* m = std::get_if<Range>(&message)) return parse_to(m->end);
  if (const auto* m = std::get_if<Skip>(&message)) return skip_to(m->to);
  if (const auto* m = std::get_if<Resize>(&message)) return resize(*m);
  if (const auto* m = std::get_if<Request>(&message)) return answer(*m);
  if (const auto* m = std::get_if<Profile>(&message)) set_profile(m->json);
  return {};
}

Result<> Shadow::start(const Start& start, Fd file) {
  if (terminal_) return out_of_step("a second start");
  if (file) return go_on_from(start, file.get());
  vt::Options options;
  options.size = {start.cols, start.rows, start.xpixel, start.ypixel};
  options.history = {start.history_rows, static_cast<std::size_t>(start.history_bytes)};
  terminal_ = std::make_unique<vt::Terminal>(options);
  terminal_->mutable_state().offset = start.offset;
  return {};
}

Result<> Shadow::go_on_from(const Start& start, int file) {
  Checkpoint checkpoint = TRY(read_checkpoint(file));
  if (checkpoint.state.offset != start.offset) return out_of_step("a checkpoint of another place");
  terminal_ = std::make_unique<vt::Terminal>(std::move(checkpoint.state), vt::Profile::ghostty);
  const vt::State& state = terminal_->state();
  clusters_.has_begun = checkpoint.clusters.has_begun;
  clusters_.wanted = checkpoint.clusters.wanted;
  clusters_.shown = state.modes.get(vt::Mode::grapheme_clusters);
  // Until a terminal is known that does not obey, what the program wants is in force.
  settle_clusters();
  // A holder that is new, too, knows them from nowhere else.
  if (!state.titles.window.empty()) event(start.offset, {vt::EventKind::title, state.titles.window});
  if (!state.working_directory.empty()) event(start.offset, {vt::EventKind::working_directory, state.working_directory});
  return say_events();
}

Result<> Shadow::parse_to(std::uint64_t end) {
  std::uint64_t at = terminal_->state().offset, acknowledged = at;
  if (end < at || end > ring_.head()) return out_of_step("a range that is not there");
  const vt::Size& size = terminal_->state().size;
  const std::uint64_t cells = std::uint64_t{size.cols} * size.rows;
  const std::uint64_t slice_bytes = std::clamp(kSliceBytes * kSliceCells / cells, kSliceBytesMin, kSliceBytes);
  Instant said = clock_.now();
  while (at < end) {
    const std::uint64_t to = std::min(end, at + slice_bytes);
    if (at < ring_.oldest()) return out_of_step("a range that was overwritten");
    const RingSlice slice = ring_.slice(at, to);
    for (const auto& part : {slice.first, slice.second}) {
      if (part.empty()) continue;
      terminal_->feed({part.data(), part.size()}, *this);
      settle_clusters();
    }
    at = to;
    TRY(say_events());
    const Instant now = clock_.now();
    if (at - acknowledged < kAckBytes && now - said < kAckTime && at != end) continue;
    acknowledged = at;
    said = now;
    TRY(channel_.send(Ack{at}, -1));
  }
  return {};
}

Result<> Shadow::skip_to(std::uint64_t to) {
  if (to < terminal_->state().offset) return out_of_step("a skip backwards");
  terminal_->mutable_state().offset = to;
  return channel_.send(Ack{to}, -1);
}

Result<> Shadow::resize(const Resize& resize) {
  if (resize.offset != terminal_->state().offset) return out_of_step("a resize at another place");
  terminal_->resize({resize.cols, resize.rows, resize.xpixel, resize.ypixel}, *this);
  return say_events();
}

void Shadow::set_profile(const std::string& json_text) {
  const auto json = Json::parse(json_text);
  if (!json) return;
  vt::ClientProfile profile;
  const std::string term = json->get("term").as_string(), name = json->get("term_program").as_string();
  if (!term.empty()) profile.term = term;
  client_ = restored_as(term);
  if (!name.empty()) {
    profile.name = name;
    profile.version = json->get("term_program_version").as_string();
  }
  terminal_->set_client_profile(profile);
  const std::string clusters = json->get("clusters").as_string();
  clusters_.fixed.reset();
  if (clusters == "always" || clusters == "never") clusters_.fixed = clusters == "always";
  if (json->get("clusters_begin_off").as_bool() && !std::exchange(clusters_.has_begun, true)) clusters_.wanted = false;
  settle_clusters();
}

// The mode is the program's to set, and every terminal that obeys it is told it by the restore. With one that does not
// obey, the shadow must do as it does, or a restore puts the rest of a line elsewhere.
void Shadow::settle_clusters() {
  vt::ModeSet& modes = terminal_->mutable_state().modes;
  const bool now = modes.get(vt::Mode::grapheme_clusters);
  if (now != clusters_.shown) clusters_.wanted = now;
  clusters_.shown = clusters_.fixed.value_or(clusters_.wanted);
  if (now != clusters_.shown) modes.set(vt::Mode::grapheme_clusters, clusters_.shown);
}

Result<> Shadow::write_out(const Request& request, int file, Answer& answer) {
  std::string out;
  vt::State& state = terminal_->mutable_state();
  switch (request.want) {
    case Want::restore:
    case Want::restore_screen: {
      vt::RestoreOptions options;
      options.history = request.want == Want::restore ? vt::HistoryPart::all : vt::HistoryPart::none;
      options.client = client_;
      options.onto = request.want == Want::restore ? vt::Onto::person : vt::Onto::session;
      std::size_t at = 0;
      vt::write_restore(state, options, out, &at);
      answer.phase_two_at = at;
      break;
    }
    case Want::view: vt::write_view(state, request.cols, request.rows, out); break;
    case Want::undo: vt::write_undo(state, request.outer_kitty_flags, out); break;
    case Want::checkpoint:
    case Want::packed_checkpoint: {
      const Form form = request.want == Want::checkpoint ? Form::plain : Form::compressed;
      answer.bytes = TRY(write_checkpoint(state, {clusters_.wanted, clusters_.has_begun}, form, file));
      return {};
    }
    case Want::read: out = TRY(vt::read_text(state, TRY(read_options(request.json)))); break;
  }
  answer.bytes = out.size();
  return sys::write_all(file, out);
}

Result<> Shadow::answer(const Request& request) {
  Answer answer;
  answer.id = request.id;
  answer.offset = terminal_->state().offset;
  const auto file = [&]() -> Result<Fd> {
    Fd memory = TRY(sys::memory_file("holdfast-answer"));
    TRY(write_out(request, memory.get(), answer));
    return memory;
  }();
  if (!file) {
    answer.bytes = 0;
    answer.error = file.error().message();
    return channel_.send(answer, -1);
  }
  return channel_.send(answer, file->get());
}

void Shadow::reply(std::uint64_t offset, std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size() && sent_; at += kReplyBytesMax) {
    sent_ = channel_.send(Reply{offset, std::string(bytes.substr(at, kReplyBytesMax))}, -1);
  }
}

void Shadow::event(std::uint64_t offset, const vt::Event& event) {
  if (event.text.size() > kEventBytesMax) return;
  const auto kind = static_cast<std::uint8_t>(event.kind);
  Event word{offset, kind, event.number, std::string(event.text)};
  if (is_state(event.kind)) {
    const auto known = std::ranges::find(events_, kind, &Event::kind);
    if (known != events_.end()) {
      *known = std::move(word);
      return;
    }
  } else if (events_.size() >= kEventsMax) {
    return;
  }
  events_.push_back(std::move(word));
}

Result<> Shadow::say_events() {
  for (const Event& event : events_) TRY(channel_.send(event, -1));
  events_.clear();
  return sent_;
}

}  // namespace holdfast::vtd
