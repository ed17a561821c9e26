#include "vt/snapshot_images.h"

#include <map>
#include <set>

namespace holdfast::vt::snapshot_format {
namespace {

// Covered cells, at most: what `measure` gives.
constexpr std::uint32_t kCoversMax = 1u << 20;

void put_size(Bytes& b, ImageSize size) { b.u32(size.width).u32(size.height); }

void put_image(Bytes& b, const Image& i) {
  b.varint(i.serial).u32(i.id).u32(i.number).u8(static_cast<std::uint8_t>(i.format)).u8(i.is_compressed);
  put_size(b, i.given);
  b.u32(i.bytes).u32(i.offset).u8(static_cast<std::uint8_t>(i.source)).text(i.data);
  put_size(b, i.size);
}

void put_placement(Bytes& b, const Placement& p) {
  b.varint(p.serial).varint(p.image).u32(p.id).u8(static_cast<std::uint8_t>(p.anchor));
  b.u32(static_cast<std::uint32_t>(p.x)).u32(static_cast<std::uint32_t>(p.y)).u32(p.cell_x).u32(p.cell_y);
  b.u32(p.left).u32(p.top).u32(p.width).u32(p.height).u32(p.columns).u32(p.rows);
  b.u32(static_cast<std::uint32_t>(p.z)).varint(p.parent);
  b.u32(static_cast<std::uint32_t>(p.parent_x)).u32(static_cast<std::uint32_t>(p.parent_y));
  b.u32(p.covers_columns).u32(p.covers_rows);
}

ImageSize get_size(Fields& f) {
  ImageSize size;
  size.width = f.u32();
  size.height = f.u32();
  return size;
}

Image get_image(Fields& f) {
  Image i;
  i.serial = f.varint();
  i.id = f.u32();
  i.number = f.u32();
  const std::uint8_t format = f.u8();
  f.require(format == 24 || format == 32 || format == 100);
  i.format = static_cast<ImageFormat>(format);
  i.is_compressed = f.flag();
  i.given = get_size(f);
  i.bytes = f.u32();
  i.offset = f.u32();
  i.source = f.small(ImageSource::gone);
  constexpr std::size_t kMost[] = {Graphics::kDataBytesMax, Image::kFileNameBytesMax, 0};
  i.data = f.bytes(kMost[static_cast<std::size_t>(i.source)]);
  i.size = get_size(f);
  f.require(std::max(i.size.width, i.size.height) <= Image::kSideMax);
  return i;
}

std::int32_t get_signed(Fields& f) { return static_cast<std::int32_t>(f.u32()); }

Placement get_placement(Fields& f) {
  Placement p;
  p.serial = f.varint();
  p.image = f.varint();
  p.id = f.u32();
  p.anchor = f.small(Placement::Anchor::parent);
  p.x = get_signed(f);
  p.y = get_signed(f);
  p.cell_x = f.u32();
  p.cell_y = f.u32();
  p.left = f.u32();
  p.top = f.u32();
  p.width = f.u32();
  p.height = f.u32();
  p.columns = f.u32();
  p.rows = f.u32();
  p.z = get_signed(f);
  p.parent = f.varint();
  p.parent_x = get_signed(f);
  p.parent_y = get_signed(f);
  p.covers_columns = f.u32();
  p.covers_rows = f.u32();
  f.require(std::max(p.covers_columns, p.covers_rows) <= kCoversMax);
  return p;
}

Upload get_upload(Fields& f) {
  Upload u;
  u.image = get_image(f);
  if (f.flag()) u.placement = get_placement(f);
  u.moves_cursor = f.flag();
  u.is_frame = f.flag();
  u.quiet = f.small<std::uint8_t>(2);
  u.parent_image = f.u32();
  u.parent_id = f.u32();
  u.is_in_pieces = f.flag();
  return u;
}

// Every image has a serial and an id of its own, in order; a number comes with one of the lowest ids.
bool are_images_right(const Graphics& g) {
  std::uint64_t last = 0;
  std::size_t bytes = 0;
  std::set<std::uint32_t> ids;
  for (const Image& i : g.images) {
    if (i.serial <= last || i.serial > g.newest_serial) return false;
    if (i.id != 0 && !ids.insert(i.id).second) return false;
    if (i.number != 0 && (i.id == 0 || i.id > Graphics::kImagesMax)) return false;
    last = i.serial;
    bytes += i.data.size();
  }
  // A single pixel does not count.
  return bytes <= Graphics::kDataBytesMax + Graphics::kImagesMax * sizeof(std::uint32_t);
}

// No placement stands beside itself, by way of others or at once.
bool have_roots(const std::map<std::uint64_t, const Placement*>& placements) {
  std::set<const Placement*> rooted;
  for (const auto& [serial, placement] : placements) {
    std::set<const Placement*> way;
    for (const Placement* p = placement; p->anchor == Placement::Anchor::parent && !rooted.contains(p);) {
      const auto parent = placements.find(p->parent);
      if (parent == placements.end() || !way.insert(p).second) return false;
      p = parent->second;
    }
    rooted.merge(way);
  }
  return true;
}

// Every placement has an image, a place, and where it needs one a parent.
bool are_placements_right(const Graphics& g, int cols, int rows) {
  std::map<std::uint64_t, const Placement*> by_serial;
  for (const Placement& p : g.placements) {
    if (p.serial == 0 || p.serial > g.newest_serial || !by_serial.emplace(p.serial, &p).second) return false;
    if (!g.find_serial(p.image)) return false;
    const bool is_somewhere = p.x >= 0 && p.x < cols && p.y < rows && p.y >= -static_cast<int>(Graphics::kRowsAboveMax);
    if (p.anchor == Placement::Anchor::cell ? !is_somewhere : p.x != 0 || p.y != 0) return false;
  }
  return have_roots(by_serial);
}

}  // namespace

Bytes encode_images(const Graphics& g) {
  Bytes b;
  b.varint(g.newest_serial).varint(g.images.size());
  for (const Image& image : g.images) put_image(b, image);
  b.varint(g.placements.size());
  for (const Placement& placement : g.placements) put_placement(b, placement);
  b.u8(g.upload.has_value());
  if (!g.upload) return b;
  const Upload& u = *g.upload;
  put_image(b, u.image);
  b.u8(u.placement.has_value());
  if (u.placement) put_placement(b, *u.placement);
  b.u8(u.moves_cursor).u8(u.is_frame).u8(u.quiet).u32(u.parent_image).u32(u.parent_id).u8(u.is_in_pieces);
  return b;
}

Graphics decode_images(Fields& f, int cols, int rows) {
  Graphics g;
  g.newest_serial = f.varint();
  const std::uint64_t images = f.varint(Graphics::kImagesMax);
  for (std::uint64_t i = 0; i < images && f.is_good(); ++i) g.images.push_back(get_image(f));
  const std::uint64_t placements = f.varint(Graphics::kPlacementsMax);
  for (std::uint64_t i = 0; i < placements && f.is_good(); ++i) g.placements.push_back(get_placement(f));
  if (f.flag()) g.upload = get_upload(f);
  if (f.is_good()) f.require(are_images_right(g) && are_placements_right(g, cols, rows));
  return f.is_good() ? std::move(g) : Graphics{};
}

}  // namespace holdfast::vt::snapshot_format
