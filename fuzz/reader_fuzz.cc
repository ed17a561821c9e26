// What lies packed, under any bytes: lines and blocks of history, compressed frames, checkpoints.
//
// The first byte says what the rest is (Kind). Hostile bytes are refused, or read as something harmless, within stated
// memory; what is well-formed survives packing again.
#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "base/fd.h"
#include "base/limits.h"
#include "fuzz/check.h"
#include "fuzz/memory.h"
#include "vt/line_reader.h"
#include "vt/row_cut.h"
#include "vt/row_fixture.h"
#include "vtd/checkpoint.h"
#include "vtd/compression.h"

namespace {

using namespace holdfast;
using namespace holdfast::fuzz;

enum class Kind : unsigned { line, block, rows, frame, checkpoint_file, checkpoint_of_a_terminal, count };

constexpr std::array kWidths = {1, 2, 40, 4096};

// Memory of a block that was taken: its bytes, those of its open line collected anew with the room to grow, its index
// of lines (one may take two bytes, its number four).
constexpr std::size_t kHeldPerBlockByte = 16, kHeldByHistory = 64u << 10;
// What decompression may hold beside its answer, which doubles as it grows: the window (8 MiB) and the library's
// tables.
constexpr std::size_t kFrameBytesMax = 1u << 20, kHeldByDecompression = 10u << 20;
// A decoded terminal may say that it is as large as one may be, cells twice of 8 bytes; 64 MiB for all else.
constexpr std::size_t kHeldByTerminal =
    std::size_t{2} * limits::kColsMax * limits::kRowsMax * sizeof(vt::Cell) + (64u << 20);
// Four bytes of a frame stand for 128 KiB at most (RFC 8878, a block of one repeated byte).
constexpr std::size_t kExpansionMax = 32u << 10;

void require_harmless(std::span<const vt::Cell> cells, const vt::Tables& tables) {
  const auto check = [](char32_t cp) { require(vt::is_printable(cp), "history holds what would steer a terminal"); };
  for (const vt::Cell cell : cells) {
    if (cell.is_cluster()) {
      for (const char32_t cp : tables.clusters[cell.text()]) check(cp);
    } else if (cell.is_written()) {
      check(cell.text());
    }
    const vt::Link& link = tables.links[cell.link()];
    require(vt::fits_into_osc(link.id) && vt::fits_into_osc(link.uri), "history holds a link that ends its string");
  }
}

std::string packed(std::span<const vt::Cell> cells, const vt::PackedLine& line, const vt::Tables& tables) {
  vt::LinePacker packer;
  packer.append({cells, {line.is_unfinished(), line.mark()}}, tables);
  const vt::PackedLine again = packer.line(line.is_unfinished());
  std::string bytes(vt::line_bytes_max(again), '\0');
  bytes.resize(static_cast<std::size_t>(vt::write_line(again, bytes.data()) - bytes.data()));
  return bytes;
}

// Bytes as one line: unpack, pack, unpack, pack.
void read_line(std::string_view bytes) {
  std::size_t at = 0;
  vt::PackedLine line;
  if (!vt::read_line(bytes, at, line)) return;
  require(at > 0 && at <= bytes.size(), "a line ends beyond its bytes");
  vt::Tables tables;  // one for all: cells of one meaning are equal
  std::vector<vt::Cell> cells, again;
  if (!vt::is_well_formed(line)) return;
  vt::unpack_line(line, tables, cells);
  require(cells.size() == line.cells, "a line has other cells than it says");
  require_harmless(cells, tables);
  for (const int cols : kWidths) require(vt::count_rows(line, cols) >= 1, "a line without rows");

  const std::string first = packed(cells, line, tables);
  vt::PackedLine other;
  at = 0;
  require(vt::read_line(first, at, other) && at == first.size() && vt::is_well_formed(other),
          "what was packed is not well-formed");
  vt::unpack_line(other, tables, again);
  // Trailing cells that say nothing are not packed where a line ends.
  if (!line.is_unfinished()) cells.resize(vt::line_cells({cells, {}}));
  require(again == cells, "a line says something else when it is packed again");
  require(packed(again, other, tables) == first, "a line that was packed is packed otherwise");
}

std::string blocks_of(const vt::History& history) {
  std::string bytes;
  history.each_block([&](std::string_view block) { bytes += block; });
  return bytes;
}

// Reads all of a history in all ways.
void read_history(vt::History& history) {
  vt::Tables tables;
  for (const int cols : kWidths) {
    std::size_t rows = 0;
    history.each_row(cols, SIZE_MAX, tables, [&](const vt::RowView& row) {
      ++rows;
      require(row.cells.size() <= static_cast<std::size_t>(cols), "a row of history is too long");
      require_harmless(row.cells, tables);
    });
    require(rows == history.rows_at(cols), "rows of history are counted otherwise than read");
    require(rows <= history.limits().rows, "more rows of history than the limit");
  }
  std::vector<vt::Cell> cells;
  vt::RowMark mark{};
  std::size_t lines = history.lines();
  for (; history.pop_line(cells, mark, tables); --lines) require(lines > 0, "more lines than there are");
  require(lines == 0 && history.empty(), "fewer lines than there are");
}

// Bytes as a block: 0xff 0xff between blocks that come one after the other.
void read_blocks(std::string_view bytes) {
  constexpr std::string_view kNext = "\xff\xff";
  Memory memory;
  vt::History history({1000, 1u << 20});
  const std::size_t all = bytes.size();
  while (!bytes.empty()) {
    const std::string_view block = bytes.substr(0, bytes.find(kNext));
    const std::string before = blocks_of(history);
    if (!history.restore_block(block))
      require(blocks_of(history) == before, "a block that was refused has changed something");
    bytes.remove_prefix(std::min(bytes.size(), block.size() + kNext.size()));
  }
  require(memory.held() <= kHeldByHistory + kHeldPerBlockByte * all, "a history holds more than it may");

  vt::History copy(history.limits());
  history.each_block(
      [&](std::string_view block) { require(copy.restore_block(block).has_value(), "own block is refused"); });
  require(
      blocks_of(copy) == blocks_of(history) && copy.lines() == history.lines() && copy.is_open() == history.is_open(),
      "a copied history is another one");
  read_history(history);
}

// Bytes as seed and shape of rows with everything a cell can hold: they come back from blocks as they were pushed.
void write_rows(std::string_view bytes) {
  constexpr std::size_t kShapesMax = 10;
  if (bytes.size() < 2) return;
  vt::RandomLines random(static_cast<unsigned char>(bytes[0]));
  const std::size_t cols = 1 + static_cast<unsigned char>(bytes[1]) % 80;
  vt::Tables tables;
  vt::History history({1000, 1u << 20}), copy(history.limits());
  vt::RowMark mark{};
  for (const char shape : bytes.substr(2, kShapesMax)) {
    const auto how = static_cast<unsigned char>(shape);
    vt::Cells cells = random.line(how % 4 == 0 ? 3 * cols : cols, tables);
    for (auto& row : vt::cut_by_printing(cells, cols)) {
      row.flags.mark = static_cast<vt::RowMark>(how >> 2 & 3);
      if (how & 0x10) row.flags.wrapped = true, row.cells.resize(cols);
      history.push(row.view(), tables);
    }
    if (how & 0x20) history.close_line();
    if ((how & 0xc0) == 0xc0) history.pop_line(cells, mark, tables);
  }
  history.each_block(
      [&](std::string_view block) { require(copy.restore_block(block).has_value(), "own block is refused"); });
  for (const int width : kWidths) {
    const auto cells_at = [&](const vt::History& from) {
      vt::Cells cells;
      from.each_row(width, SIZE_MAX, tables, [&](const vt::RowView& row) {
        cells.insert(cells.end(), row.cells.begin(), row.cells.end());
        cells.push_back(vt::Cell{std::uint64_t{row.flags.wrapped} << 8 | static_cast<std::uint64_t>(row.flags.mark)});
      });
      return cells;
    };
    require(cells_at(history) == cells_at(copy), "rows do not come back from blocks");
  }
  require(blocks_of(copy) == blocks_of(history), "a copied history is another one");
  read_history(copy);
}

std::string compressed(std::string_view bytes) {
  std::string out;
  vtd::Compressor compressor([&](std::string_view piece) -> Result<> {
    out += piece;
    return {};
  });
  require(compressor.add(bytes).has_value() && compressor.finish().has_value(), "bytes cannot be compressed");
  return out;
}

void read_frame(std::string_view bytes) {
  Memory memory;
  const auto content = vtd::decompress(bytes, kFrameBytesMax);
  if (content) require(content->size() <= kFrameBytesMax, "a frame held more than it may");
  require(memory.most() <= 3 * kFrameBytesMax + kHeldByDecompression, "decompression holds more than it may");
  if (content)
    require(vtd::decompress(compressed(*content), kFrameBytesMax).value() == *content,
            "bytes do not survive compression");
}

Fd file_of(std::string_view bytes) {
  Fd file(::memfd_create("fuzz", MFD_CLOEXEC));
  require(file.get() >= 0 && ::write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
          "no memfd");
  return file;
}

std::string content_of(const Fd& file) {
  std::string bytes(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
  require(::pread(file.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()), "no bytes");
  return bytes;
}

void read_checkpoint(std::string_view bytes) {
  const Fd file = file_of(bytes);
  Memory memory;
  const auto checkpoint = vtd::read_checkpoint(file.get());
  const std::size_t content_max = std::min(bytes.size() * kExpansionMax, limits::kCheckpointBytesMax);
  require(memory.most() <= 3 * content_max + kHeldByTerminal, "reading a checkpoint holds more than it may");
}

// A terminal's checkpoint comes back, in both forms; then some of its bytes are others.
// Input: form and wish, how many changes, the changes (two bytes where, one byte what), what the terminal was fed.
void keep_terminal(std::string_view bytes) {
  constexpr std::size_t kChangeBytes = 3;
  if (bytes.size() < 2) return;
  const auto how = static_cast<unsigned char>(bytes[0]);
  const auto form = how & 1 ? vtd::Form::compressed : vtd::Form::plain;
  const vtd::ClusterWish wish{(how & 2) != 0, (how & 4) != 0};
  const std::size_t changes =
      std::min<std::size_t>(static_cast<unsigned char>(bytes[1]) % 4, (bytes.size() - 2) / kChangeBytes);
  vt::Terminal terminal({.size = {20, 6, 0, 0}, .history = {100, 64u << 10}, .profile = vt::Profile::ghostty});
  vt::feed_silently(terminal, bytes.substr(2 + changes * kChangeBytes));

  const Fd file(::memfd_create("fuzz", MFD_CLOEXEC));
  require(vtd::write_checkpoint(terminal.state(), wish, form, file.get()).has_value(),
          "a checkpoint cannot be written");
  auto back = vtd::read_checkpoint(file.get());
  require(back.has_value(), "own checkpoint cannot be read");
  require(back->clusters.wanted == wish.wanted && back->clusters.has_begun == wish.has_begun,
          "the wish is another one");
  require_equal("a checkpoint lost something", vt::everything(back->state), vt::everything(terminal.mutable_state()));

  std::string damaged = content_of(file);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::string_view change = bytes.substr(2 + i * kChangeBytes, kChangeBytes);
    const std::size_t where =
        (static_cast<unsigned char>(change[0]) << 8 | static_cast<unsigned char>(change[1])) % damaged.size();
    if (change[2] == 0)
      damaged.resize(std::max<std::size_t>(where, 1));
    else
      damaged[where] = static_cast<char>(damaged[where] ^ change[2]);
  }
  read_checkpoint(damaged);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes = bytes_of(data, size).substr(1);
  switch (static_cast<Kind>(data[0] % static_cast<unsigned>(Kind::count))) {
    case Kind::line:
      read_line(bytes);
      break;
    case Kind::block:
      read_blocks(bytes);
      break;
    case Kind::rows:
      write_rows(bytes);
      break;
    case Kind::frame:
      read_frame(bytes);
      break;
    case Kind::checkpoint_file:
      read_checkpoint(bytes);
      break;
    case Kind::checkpoint_of_a_terminal:
    case Kind::count:
      keep_terminal(bytes);
      break;
  }
  return 0;
}
