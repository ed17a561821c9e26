// Storms of resizes between any bytes, from one cell to a thousand by a thousand, with histories of every limit.
//
// The input is a size, a profile and limits, and a list of steps (Storm). What must hold after each of them, and at the
// end:
//   - the promises of the grid and every bound of the state;
//   - memory: the two screens, the history's limit and a multiple of what was fed (kBytesHeldPerByteFed);
//   - no line is lost while the history has room.
// Feeding the same bytes one at a time gives the same snapshot.
#include <array>
#include <optional>

#include "fuzz/check.h"
#include "fuzz/memory.h"
#include "vt/cell_text.h"
#include "vt/invariants_fixture.h"

namespace {

using namespace holdfast;
using namespace holdfast::fuzz;

constexpr char kStep = '\xff';  // never part of UTF-8: three bytes follow that say which step, and how
constexpr std::size_t kHeadBytes = 4;
// What one input may cost, so that a unit takes milliseconds: cells of all screens it asks for, bytes fed, resizes.
constexpr std::size_t kCellsMax = 1'200'000, kFedBytesMax = 40u << 10, kResizesMax = 300;
// Cells that what is fed may paint: three bytes can fill a screen.
constexpr std::size_t kPaintedMax = 15'000'000, kBytesToFill = 3;
// Cells looked at between the steps; at the end everything is.
constexpr std::size_t kCellsLookedAtMax = 60'000;
// Above so many cells nobody looks at each line.
constexpr std::size_t kCellsReadMax = 4'000;

// Where something begins or ends, and what people have.
constexpr std::array<std::uint16_t, 16> kSides = {1, 2, 3, 7, 8, 9, 24, 50, 80, 100, 132, 200, 255, 400, 999, 1000};
constexpr std::array<vt::HistoryLimits, 4> kLimits = {{{0, 0}, {50, 64u << 10}, {3000, 4096}, {100'000, 8u << 20}}};
constexpr std::size_t kRoomy = 3;  // of kLimits: nothing an input can feed fills it

// Bytes that a terminal may hold for each byte it was fed: a line of history, the style, cluster or link it came with,
// and the room that vectors keep to grow into.
constexpr std::size_t kBytesHeldPerByteFed = 192;
// Held by a terminal that was fed nothing: tables, blocks of a history, caches.
constexpr std::size_t kBytesHeldByNothing = 1u << 20;

unsigned char at(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }
vt::Size size_of(std::uint16_t cols, std::uint16_t rows) { return {cols, rows, 0, 0}; }
std::size_t cells_of(vt::Size size) { return std::size_t{size.cols} * size.rows; }

std::size_t bytes_max(const vt::State& state, std::size_t fed) {
  constexpr std::size_t kPadding = 8;
  const std::size_t row = sizeof(vt::Row) + (state.size.cols + kPadding) * sizeof(vt::Cell);
  return 2 * state.size.rows * row + 2 * state.history.limits().bytes + fed * kBytesHeldPerByteFed +
         kBytesHeldByNothing;
}

// The primary screen and its history as logical lines, without what is blank at the end of each and of all.
std::string lines_of(vt::State& state) {
  std::string text;
  const std::size_t cols = state.size.cols;
  const auto trim = [&](char c) { text.erase(text.find_last_not_of(c) + 1); };
  const auto add = [&](const vt::RowView& row) {
    for (const vt::Cell cell : row.cells) {
      if (cell.kind() == vt::CellKind::wide_tail || cell.kind() == vt::CellKind::wrap_spacer) continue;
      if (cell.is_written())
        vt::append_cell_text(text, cell, state.tables);
      else
        text += ' ';
    }
    if (row.flags.wrapped) return void(text.append(cols - row.cells.size(), ' '));  // columns of a line that goes on
    trim(' ');
    text += '\n';
  };
  state.history.each_row(state.size.cols, SIZE_MAX, state.tables, add);
  const vt::Grid& grid = state.primary.grid;
  for (int y = 0; y < grid.rows(); ++y) add(grid.row(y).view());
  trim(' ');
  trim('\n');
  return text;
}

enum class Feeding { whole, bytewise };

// Carries an input out.
class Storm {
 public:
  Storm(std::string_view input, Feeding feeding)
      : input_(input.substr(kHeadBytes)),
        feeding_(feeding),
        limits_(at(input, 2) % kLimits.size()),
        terminal_({.size = budgeted(size_of(1 + at(input, 0) % 100, 1 + at(input, 1) % 50)),
                   .history = kLimits[limits_],
                   .profile = at(input, 3) & 1 ? vt::Profile::xterm : vt::Profile::ghostty}) {}

  void run(const Memory* memory) {
    while (!input_.empty()) {
      const std::size_t end = std::min(input_.find(kStep), input_.size());
      if (end > 0) feed(last_ = input_.substr(0, end));
      input_.remove_prefix(end);
      if (input_.size() < 4) break;
      step(at(input_, 1), at(input_, 2), at(input_, 3));
      input_.remove_prefix(4);
      if (memory && looked_ + cells_of(state().size) <= kCellsLookedAtMax) check(*memory);
    }
    if (memory) check(*memory);
  }

  vt::State& state() { return terminal_.mutable_state(); }

 private:
  void step(unsigned what, unsigned a, unsigned b) {
    switch (what % 4) {
      case 0:
        return resize(size_of(static_cast<std::uint16_t>(1 + a % 100), static_cast<std::uint16_t>(1 + b % 50)));
      case 1:
        return resize(size_of(kSides[a % kSides.size()], kSides[b % kSides.size()]));
      case 2:
        return drag(a, b);
      default:
        for (unsigned n = (1 + a) * (1 + b % 16); n > 0; --n) feed(last_);
    }
  }

  // A person drags a corner of the window: many sizes, each near the last.
  void drag(unsigned times, unsigned seed) {
    for (std::uint32_t dice = seed + 1; times > 0; --times) {
      dice = dice * 1'664'525 + 1'013'904'223;
      const auto near = [](int side, unsigned by) {
        return static_cast<std::uint16_t>(std::clamp(side + static_cast<int>(by % 9) - 4, 1, 200));
      };
      const vt::Size now = state().size;
      resize(size_of(near(now.cols, dice >> 16), near(now.rows, dice >> 24)));
    }
  }

  vt::Size budgeted(vt::Size size) {
    cells_ += cells_of(size) + fed_;  // a line that goes on is cut anew, from its beginning
    return size;
  }

  void resize(vt::Size size) {
    if (resizes_ >= kResizesMax || cells_ + cells_of(size) > kCellsMax) return;
    ++resizes_;
    const bool looks = limits_ == kRoomy && feeding_ == Feeding::whole && std::min(size.cols, state().size.cols) > 1 &&
                       std::max(cells_of(size), cells_of(state().size)) <= kCellsReadMax && fed_ <= kCellsReadMax;
    const std::string before = looks ? lines_of(state()) : "";
    terminal_.resize(budgeted(size), silence_);
    if (looks) require_equal("a resize has lost text", lines_of(state()), before);
  }

  void feed(std::string_view bytes) {
    const std::size_t room = (kPaintedMax - painted_) / cells_of(state().size) * kBytesToFill;
    bytes = bytes.substr(0, std::min(room, kFedBytesMax - fed_));
    fed_ += bytes.size();
    painted_ += bytes.size() / kBytesToFill * cells_of(state().size);
    if (feeding_ == Feeding::whole) return terminal_.feed(bytes, silence_);
    for (std::size_t i = 0; i < bytes.size(); ++i) terminal_.feed(bytes.substr(i, 1), silence_);
  }

  void check(const Memory& memory) {
    looked_ += cells_of(state().size);
    require_none("a promise is broken", vt::broken_invariants(state()));
    require_none("a bound is broken", vt::broken_bounds(state()));
    if (memory.held() > bytes_max(state(), fed_))
      fail("more memory is held than it may",
           std::to_string(memory.held()) + " of " + std::to_string(bytes_max(state(), fed_)));
  }

  std::string_view input_, last_;
  Feeding feeding_;
  std::size_t limits_, cells_ = 0, looked_ = 0, fed_ = 0, painted_ = 0, resizes_ = 0;
  vt::Silence silence_;
  vt::Terminal terminal_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kHeadBytes) return 0;
  const std::string_view input = bytes_of(data, size);
  std::optional<Memory> memory(std::in_place);
  Storm storm(input, Feeding::whole);
  storm.run(&*memory);
  memory.reset();
  Storm bytewise(input, Feeding::bytewise);
  bytewise.run(nullptr);
  if (vt::encode_snapshot(bytewise.state()) == vt::encode_snapshot(storm.state())) return 0;
  require_equal("the terminal depends on where the bytes were cut", vt::everything(bytewise.state()),
                vt::everything(storm.state()));
  fail("the snapshot depends on where the bytes were cut");
}
