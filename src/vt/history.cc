#include "vt/history.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "vt/line_reader.h"
#include "vt/packed_line.h"
#include "vt/row_cut.h"

namespace holdfast::vt {
namespace {

// A block, bytes: what is dropped at once, and what one read of a snapshot record brings. The first one grows, so that
// a session with little history costs little.
constexpr std::size_t kBlockBytes = 64u << 10;
constexpr std::size_t kFirstBlockBytes = 4u << 10;
// Blocks that the byte limit holds at least, so that dropping one does not drop everything; the least size of one.
constexpr std::size_t kBlocksMin = 8, kSmallestBlockBytes = 512;
// An open line is cut, between two rows, when it reaches one of these: a program that never ends its line must not
// make it unbounded, and reading one line must stay cheap.
constexpr std::size_t kPieceBytes = 48u << 10;
constexpr std::uint32_t kPieceCells = 64u << 10, kPieceRows = 64u << 10;
// A block from outside, bytes: one row of the widest screen with a link in each cell fits.
constexpr std::size_t kRestoredBlockBytesMax = 8u << 20;

struct Block {
  std::unique_ptr<char[]> data;
  std::size_t capacity = 0, size = 0;
  std::uint32_t lines = 0, rows = 0;  // rows as pushed
  std::vector<std::uint32_t>
      starts;  // of its lines; made when lines are taken back, stale when its size is not `lines`

  std::string_view bytes() const { return {data.get(), size}; }
};

Block make_block(std::size_t capacity) {
  Block block;
  block.data = std::make_unique_for_overwrite<char[]>(capacity);
  block.capacity = capacity;
  return block;
}

// Whether an open line is cut here. It looks at nothing but the line, so that a line from a snapshot is cut where it
// would have been cut anyhow.
bool is_piece(const PackedLine& line) {
  return line.text.size() + line.pens.size() >= kPieceBytes || line.cells >= kPieceCells || line.rows >= kPieceRows;
}

std::string bytes_of(const PackedLine& line) {
  std::string bytes(line_bytes_max(line), '\0');
  bytes.resize(static_cast<std::size_t>(write_line(line, bytes.data()) - bytes.data()));
  return bytes;
}

// A line that is to be taken up again comes out as LinePacker writes it: it must have come in so.
bool is_packed_as_ours(const PackedLine& line, std::string_view bytes) {
  LinePacker packer;
  packer.load(line);
  return bytes_of(packer.line(true)) == bytes;
}

template <typename F>
void each_line(const Block& block, F&& f) {
  PackedLine line;
  for (std::size_t at = 0, start = 0; read_line(block.bytes(), at, line); start = at) f(line, start);
}

std::size_t rows_of(const Block& block, int cols) {
  std::size_t rows = 0;
  each_line(block, [&](const PackedLine& line, std::size_t) { rows += count_rows(line, cols); });
  return rows;
}

// Cuts lines into rows, leaves out the first `skip` rows, and hands on the others.
class RowWriter {
 public:
  RowWriter(int cols, std::size_t skip, Tables& tables, const std::function<void(const RowView&)>& f)
      : cols_(static_cast<std::size_t>(cols)), skip_(skip), tables_(tables), f_(f) {}

  void write(const PackedLine& line) {
    if (skip_ > 0) {
      const std::size_t rows = count_rows(line, static_cast<int>(cols_));
      if (rows <= skip_) {
        skip_ -= rows;
        return;
      }
    }
    unpack_line(line, tables_, cells_);
    RowMark mark = line.mark();
    std::size_t from = 0;
    do {
      const RowCut cut = next_cut(cells_, from, cols_);
      const bool wrapped = cut.end < cells_.size() || line.is_unfinished();
      if (skip_ > 0)
        --skip_;
      else
        f_({row(from, cut, wrapped), {wrapped, mark}});
      mark = RowMark::none;
      from = cut.end;
    } while (from < cells_.size());
  }

 private:
  std::span<const Cell> row(std::size_t from, const RowCut& cut, bool wrapped) {
    const std::span<const Cell> line(cells_), part = line.subspan(from, cut.end - from);
    // The wide character that did not fit at the end of an open line is on the screen.
    const bool lacks_spacer = wrapped && cut.end == line.size() && part.size() + 1 == cols_;
    if (!cut.spacer && !cut.lost_wide && !lacks_spacer) return part;
    row_.assign(part.begin(), cut.lost_wide ? part.begin() : part.end());
    row_.push_back(cut.lost_wide ? Cell{}
                   : cut.spacer  ? spacer_before(line, cut.end)
                                 : Cell{Cell::kind_bits(CellKind::wrap_spacer)});
    return row_;
  }

  std::size_t cols_, skip_;
  Tables& tables_;
  const std::function<void(const RowView&)>& f_;
  std::vector<Cell> cells_, row_;
};

}  // namespace

struct History::Impl {
  HistoryLimits limits;
  std::vector<Block> blocks;        // oldest first; none is without lines
  LinePacker open;                  // the newest line while it goes on
  bool is_tail_unfinished = false;  // of the newest line in blocks: `open`, or the screen, continues it
  std::size_t lines = 0, rows = 0, packed_bytes = 0;  // of blocks
  std::unique_ptr<char[]> spare;                      // of kBlockBytes, from the block dropped last

  bool keeps_nothing() const { return limits.rows == 0 || limits.bytes == 0; }
  std::size_t block_bytes() const { return std::clamp(limits.bytes / kBlocksMin, kSmallestBlockBytes, kBlockBytes); }

  Block& block_for(std::size_t bytes);
  Block& add_block(Block block);
  void take_over(Block block);
  bool push_plain(const RowView& row);
  void flush(bool unfinished);
  void add_line(const PackedLine& line);
  void line_added(Block& block, const char* end, std::uint32_t its_rows);
  void drop_block(std::vector<Block>::iterator block);
  void enforce_limits();
  void index(Block& block);
  void cut_last_line();
  void look_at_tail();
  void keep_tail_open();
  void put_tail_back();
};

// A block with room for `bytes` more.
Block& History::Impl::block_for(std::size_t bytes) {
  if (!blocks.empty()) {
    Block& last = blocks.back();
    const std::size_t needed = last.size + bytes;
    if (needed <= last.capacity) return last;
    // The first block, and one from a snapshot, which has no room to spare.
    if (needed <= block_bytes()) {
      Block larger = make_block(std::min(block_bytes(), std::max(needed, last.capacity * 4)));
      std::memcpy(larger.data.get(), last.data.get(), last.size);
      last.data = std::move(larger.data);
      last.capacity = larger.capacity;
      return last;
    }
  }
  const std::size_t usual = blocks.empty() ? std::min(kFirstBlockBytes, block_bytes()) : block_bytes();
  if (spare && bytes <= kBlockBytes && usual == kBlockBytes) {
    Block block;
    block.data = std::move(spare);
    block.capacity = kBlockBytes;
    return add_block(std::move(block));
  }
  return add_block(make_block(std::max(usual, bytes)));
}

Block& History::Impl::add_block(Block block) {
  if (!blocks.empty()) blocks.back().starts = {};
  return blocks.emplace_back(std::move(block));
}

void History::Impl::flush(bool unfinished) {
  add_line(open.line(unfinished));
  is_tail_unfinished = unfinished;
  open.clear();
  enforce_limits();
}

void History::Impl::add_line(const PackedLine& line) {
  Block& block = block_for(line_bytes_max(line));
  line_added(block, write_line(line, block.data.get() + block.size), line.rows);
}

// Most rows of most programs; worth a path of its own. False: not such a row, and nothing is changed.
bool History::Impl::push_plain(const RowView& row) {
  const std::size_t cells = line_cells(row);
  Block& block = block_for(kLineHeadBytesMax + cells);
  char* const end = write_plain_row(row, cells, block.data.get() + block.size);
  if (!end) {
    if (block.lines == 0) drop_block(blocks.end() - 1);
    return false;
  }
  line_added(block, end, 1);
  enforce_limits();
  return true;
}

void History::Impl::line_added(Block& block, const char* end, std::uint32_t its_rows) {
  const auto size = static_cast<std::size_t>(end - block.data.get());
  packed_bytes += size - block.size;
  block.size = size;
  ++block.lines;
  block.rows += its_rows;
  ++lines;
  rows += its_rows;
}

void History::Impl::drop_block(std::vector<Block>::iterator block) {
  lines -= block->lines;
  rows -= block->rows;
  packed_bytes -= block->size;
  if (block->capacity == kBlockBytes) spare = std::move(block->data);
  blocks.erase(block);
}

// The open line counts when it goes into a block, and not before: a snapshot taken while it is open comes back with the
// same blocks.
void History::Impl::enforce_limits() {
  while (!blocks.empty() && (rows - blocks.front().rows >= limits.rows || packed_bytes > limits.bytes)) {
    drop_block(blocks.begin());
  }
  if (blocks.empty()) is_tail_unfinished = false;
}

void History::Impl::index(Block& block) {
  if (block.starts.size() == block.lines) return;
  block.starts.clear();
  each_line(block,
            [&](const PackedLine&, std::size_t start) { block.starts.push_back(static_cast<std::uint32_t>(start)); });
}

// Takes the newest line out of its block, which is indexed.
void History::Impl::cut_last_line() {
  Block& block = blocks.back();
  std::size_t at = block.starts.back();
  PackedLine line;
  read_line(block.bytes(), at, line);
  --block.lines;
  block.rows -= line.rows;
  --lines;
  rows -= line.rows;
  packed_bytes -= block.size - block.starts.back();
  block.size = block.starts.back();
  block.starts.pop_back();
  if (block.lines == 0) drop_block(blocks.end() - 1);
  look_at_tail();
}

void History::Impl::look_at_tail() {
  is_tail_unfinished = false;
  if (blocks.empty()) return;
  Block& block = blocks.back();
  index(block);
  is_tail_unfinished = static_cast<std::uint8_t>(block.data[block.starts.back()]) & kLineUnfinished;
}

// After a restore: a line that was open goes on being collected, unless it has a piece's length.
void History::Impl::keep_tail_open() {
  look_at_tail();
  if (!is_tail_unfinished) return;
  std::size_t at = blocks.back().starts.back();
  PackedLine line;
  read_line(blocks.back().bytes(), at, line);
  if (is_piece(line)) return;
  open.load(line);
  cut_last_line();
}

// The line that keep_tail_open took out of its block goes on in the next block: back to where it was, byte by byte.
void History::Impl::put_tail_back() {
  if (open.empty()) return;
  const PackedLine line = open.line(true);
  const std::string bytes = bytes_of(line);
  const bool fits = !blocks.empty() && bytes.size() <= blocks.back().capacity - blocks.back().size;
  Block& block = fits ? blocks.back() : add_block(make_block(bytes.size()));
  std::memcpy(block.data.get() + block.size, bytes.data(), bytes.size());
  line_added(block, block.data.get() + block.size + bytes.size(), line.rows);
  is_tail_unfinished = true;
  open.clear();
}

void History::Impl::take_over(Block block) {
  lines += block.lines;
  rows += block.rows;
  packed_bytes += block.size;
  add_block(std::move(block));
  keep_tail_open();
  enforce_limits();
}

History::History(HistoryLimits limits) : impl_(std::make_unique<Impl>()) { impl_->limits = limits; }
History::History(History&&) noexcept = default;
History& History::operator=(History&&) noexcept = default;
History::~History() = default;

void History::push(const RowView& row, const Tables& tables) {
  Impl& impl = *impl_;
  if (impl.keeps_nothing()) return;
  if (!row.flags.wrapped && !is_open() && impl.push_plain(row)) return;
  RowView view = row;
  if (impl.open.empty() && impl.is_tail_unfinished) view.flags.mark = RowMark::none;  // a piece has no mark of its own
  impl.open.append(view, tables);
  if (!row.flags.wrapped) {
    impl.flush(false);
  } else if (is_piece(impl.open.line(true))) {
    impl.flush(true);
  }
}

void History::push_line(const PackedLine& line) {
  if (impl_->keeps_nothing()) return;
  impl_->add_line(line);
  impl_->enforce_limits();
}

bool History::is_open() const { return !impl_->open.empty() || impl_->is_tail_unfinished; }

void History::close_line() {
  if (!impl_->open.empty()) return impl_->flush(false);
  if (!impl_->is_tail_unfinished) return;
  Block& block = impl_->blocks.back();
  impl_->index(block);
  block.data[block.starts.back()] &= static_cast<char>(~kLineUnfinished);
  impl_->is_tail_unfinished = false;
}

bool History::pop_line(std::vector<Cell>& cells, RowMark& mark, Tables& tables) {
  Impl& impl = *impl_;
  if (!impl.open.empty()) {
    const PackedLine line = impl.open.line(true);
    unpack_line(line, tables, cells);
    mark = line.mark();
    impl.open.clear();
    return true;
  }
  if (impl.blocks.empty()) return false;
  Block& block = impl.blocks.back();
  impl.index(block);
  std::size_t at = block.starts.back();
  PackedLine line;
  read_line(block.bytes(), at, line);
  unpack_line(line, tables, cells);
  mark = line.mark();
  impl.cut_last_line();
  return true;
}

void History::clear() {
  const HistoryLimits limits = impl_->limits;
  *impl_ = Impl{};
  impl_->limits = limits;
}

const HistoryLimits& History::limits() const { return impl_->limits; }
bool History::empty() const { return lines() == 0; }
std::size_t History::lines() const { return impl_->lines + (impl_->open.empty() ? 0 : 1); }

std::size_t History::bytes() const {
  std::size_t bytes = (impl_->spare ? kBlockBytes : 0) + impl_->open.memory_bytes();
  for (const Block& block : impl_->blocks) bytes += block.capacity + block.starts.capacity() * sizeof block.starts[0];
  return bytes;
}

std::size_t History::rows_at(int cols) const {
  const std::size_t most = impl_->limits.rows;
  std::size_t rows = impl_->open.empty() ? 0 : count_rows(impl_->open.line(true), cols);
  for (std::size_t i = impl_->blocks.size(); i > 0 && rows < most; --i) rows += rows_of(impl_->blocks[i - 1], cols);
  return std::min(rows, most);
}

void History::each_row(int cols, std::size_t rows, Tables& tables, const std::function<void(const RowView&)>& f) const {
  const std::size_t wanted = std::min<std::size_t>(rows, impl_->limits.rows);
  std::size_t held = impl_->open.empty() ? 0 : count_rows(impl_->open.line(true), cols);
  std::size_t first = impl_->blocks.size();
  while (first > 0 && held < wanted) held += rows_of(impl_->blocks[--first], cols);
  RowWriter writer(cols, held - std::min(held, wanted), tables, f);
  for (; first < impl_->blocks.size(); ++first) {
    each_line(impl_->blocks[first], [&](const PackedLine& line, std::size_t) { writer.write(line); });
  }
  if (!impl_->open.empty()) writer.write(impl_->open.line(true));
}

void History::each_block(const std::function<void(std::string_view)>& f) const {
  for (const Block& block : impl_->blocks) f(block.bytes());
  if (impl_->open.empty()) return;
  f(bytes_of(impl_->open.line(true)));
}

Result<> History::restore_block(std::string_view bytes) {
  constexpr const char* kAttempted = "take a block of history";
  if (bytes.empty() || bytes.size() > kRestoredBlockBytesMax) {
    return fail(ErrorKind::failed, kAttempted, "its size is " + std::to_string(bytes.size()) + " bytes");
  }
  Block block = make_block(bytes.size());
  PackedLine line;
  for (std::size_t at = 0; at < bytes.size(); ++block.lines, block.rows += line.rows) {
    const std::size_t start = at;
    if (!read_line(bytes, at, line) || !is_well_formed(line)) {
      return fail(ErrorKind::failed, kAttempted, "the line at byte " + std::to_string(start) + " is damaged");
    }
    const bool goes_on = line.is_unfinished() && !is_piece(line);
    if (goes_on && !is_packed_as_ours(line, bytes.substr(start, at - start))) {
      return fail(ErrorKind::failed, kAttempted, "the open line at byte " + std::to_string(start) + " is packed otherwise");
    }
  }
  if (impl_->keeps_nothing()) return {};
  impl_->put_tail_back();
  std::memcpy(block.data.get(), bytes.data(), bytes.size());
  block.size = bytes.size();
  impl_->take_over(std::move(block));
  return {};
}

}  // namespace holdfast::vt
