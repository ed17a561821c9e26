#include "vt/terminal.h"

#include <algorithm>

#include "base/limits.h"
#include "vt/parser.h"

namespace holdfast::vt {
namespace {

Size clamped(Size size) {
  size.cols = std::clamp(size.cols, limits::kColsMin, limits::kColsMax);
  size.rows = std::clamp(size.rows, limits::kRowsMin, limits::kRowsMax);
  return size;
}

// For bytes that were answered long ago.
class Silence : public Sink {
 public:
  void reply(std::uint64_t, std::string_view) override {}
  void event(std::uint64_t, const Event&) override {}
};

}  // namespace

struct Terminal::Impl {
  Impl(State& state, Profile profile_) : interpreter(state, profile_), parser(interpreter), profile(profile_) {}
  Interpreter interpreter;
  Parser parser;
  Profile profile;
};

Terminal::Terminal(const Options& options)
    : state_(std::make_unique<State>(clamped(options.size), options.history)),
      impl_(std::make_unique<Impl>(*state_, options.profile)) {
  impl_->interpreter.editor().set_default_modes();
}

Terminal::Terminal(State state, Profile profile)
    : state_(std::make_unique<State>(std::move(state))), impl_(std::make_unique<Impl>(*state_, profile)) {
  Silence silence;
  impl_->interpreter.begin(silence);
  impl_->parser.resume();
}

Terminal::Terminal(Terminal&&) noexcept = default;
Terminal& Terminal::operator=(Terminal&&) noexcept = default;
Terminal::~Terminal() = default;

void Terminal::feed(std::string_view bytes, Sink& sink) {
  impl_->interpreter.begin(sink);
  impl_->parser.feed(bytes);
}

void Terminal::resize(const Size& size, Sink& sink) {
  const Size wanted = clamped(size);
  if (wanted == state_->size) return;
  impl_->interpreter.begin(sink);
  impl_->interpreter.set_offset(state_->offset);
  impl_->interpreter.editor().resize(wanted);
  impl_->interpreter.measure_images();
  if (state_->modes.get(Mode::in_band_resize)) impl_->interpreter.report_size();
}

void Terminal::set_client_profile(const ClientProfile& profile) { impl_->interpreter.set_client(profile); }

Profile Terminal::profile() const { return impl_->profile; }

}  // namespace holdfast::vt
