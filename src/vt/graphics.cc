#include "vt/graphics.h"

#include <algorithm>
#include <string_view>

namespace holdfast::vt {
namespace {

// Data of a single pixel do not count: a restore uses them to keep ids apart, and must not push anything out.
constexpr std::size_t kFreeBytes = 4;

std::size_t cost(const Image& image) { return image.data.size() <= kFreeBytes ? 0 : image.data.size(); }

ImageSize shown(const Placement& p, const Image& image) {
  const auto part = [](std::uint32_t from, std::uint32_t length, std::uint32_t whole) {
    const std::uint32_t rest = whole - std::min(from, whole);
    return length == 0 ? rest : std::min(length, rest);
  };
  return {part(p.left, p.width, image.size.width), part(p.top, p.height, image.size.height)};
}

std::uint32_t cells_of(std::uint64_t pixels, std::uint32_t cell) {
  constexpr std::uint64_t kCellsMax = 1u << 20;  // far beyond any screen, and no sum of two overflows
  return cell == 0 ? 0 : static_cast<std::uint32_t>(std::min(kCellsMax, (pixels + cell - 1) / cell));
}

// Takes `count` of its rows off a placement. False if nothing is left of it.
enum class Side { top, bottom };
bool cut_rows(Placement& p, const Image& image, std::uint32_t count, Side side) {
  const ImageSize part = shown(p, image);
  const std::uint32_t rows = p.covers_rows;
  if (count >= rows) return false;
  const auto cut = static_cast<std::uint32_t>(std::uint64_t{part.height} * count / rows);
  if (cut >= part.height) return false;
  if (side == Side::top) {
    p.top += cut;
    p.cell_y = 0;
  }
  p.width = p.width == 0 ? 0 : part.width;
  p.height = part.height - cut;
  p.rows = p.covers_rows = rows - count;
  p.columns = p.covers_columns;
  return true;
}

bool is_within(const Placement& p, const Graphics::Area& area, int screen_columns) {
  const std::int64_t right = std::min<std::int64_t>(std::int64_t{p.x} + p.covers_columns, screen_columns) - 1;
  return p.covers_rows != 0 && p.covers_columns != 0 && p.y >= area.top && p.below() - 1 <= area.bottom &&
         p.x >= area.left && right <= area.right;
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

}  // namespace

const Image* Graphics::find(std::uint32_t id) const {
  if (id == 0) return nullptr;
  const auto at = std::ranges::find(images, id, &Image::id);
  return at == images.end() ? nullptr : &*at;
}

const Image* Graphics::find_newest(std::uint32_t number) const {
  if (number == 0) return nullptr;
  for (auto at = images.rbegin(); at != images.rend(); ++at) {
    if (at->number == number) return &*at;
  }
  return nullptr;
}

const Image* Graphics::find_serial(std::uint64_t serial) const {
  const auto at = std::ranges::find(images, serial, &Image::serial);
  return at == images.end() ? nullptr : &*at;
}

const Placement* Graphics::find_placement(std::uint64_t serial) const {
  const auto at = std::ranges::find(placements, serial, &Placement::serial);
  return at == placements.end() ? nullptr : &*at;
}

const Placement* Graphics::find_placement(std::uint64_t image, std::uint32_t id) const {
  for (auto at = placements.rbegin(); at != placements.rend(); ++at) {
    if (at->image == image && (id == 0 || at->id == id)) return &*at;
  }
  return nullptr;
}

bool Graphics::is_placed(std::uint64_t image) const {
  return std::ranges::find(placements, image, &Placement::image) != placements.end();
}

std::uint32_t Graphics::reachable_number(const Image& image) const {
  for (auto at = images.rbegin(); at != images.rend() && image.number != 0; ++at) {
    if (at->number == image.number) return &*at == &image ? image.number : 0;
  }
  return 0;
}

Image& Graphics::add(Image image) {
  if (const Image* old = find(image.id)) erase_image(old->serial);
  while (images.size() >= kImagesMax) erase_image(images.front().serial);
  if (image.number != 0) {
    image.id = 1;
    while (find(image.id)) ++image.id;
  }
  image.serial = ++newest_serial;
  images.push_back(std::move(image));
  drop_data();
  return images.back();
}

void Graphics::add(Placement placement) {
  const auto same = std::ranges::find_if(placements, [&](const Placement& p) {
    return placement.id != 0 && p.image == placement.image && p.id == placement.id;
  });
  if (same != placements.end()) {
    placement.serial = same->serial;
    *same = placement;
    return;
  }
  if (placements.size() >= kPlacementsMax) {
    const std::uint64_t oldest = placements.front().serial;
    remove_placements(Data::keep, [&](const Placement& p) { return p.serial == oldest; });
  }
  placement.serial = ++newest_serial;
  placements.push_back(placement);
}

void Graphics::erase_image(std::uint64_t serial) {
  std::erase_if(images, [&](const Image& image) { return image.serial == serial; });
  remove_placements(Data::keep, [&](const Placement& p) { return p.image == serial; });
}

void Graphics::remove_image_if_unplaced(std::uint64_t serial) {
  if (!is_placed(serial)) std::erase_if(images, [&](const Image& image) { return image.serial == serial; });
}

// A placement beside one that is gone is gone too.
void Graphics::remove_orphans(Data data) {
  const auto has_parent = [](const Placement& p) { return p.anchor == Placement::Anchor::parent; };
  if (std::ranges::none_of(placements, has_parent)) return;
  std::vector<std::uint64_t> serials;
  for (const Placement& p : placements) serials.push_back(p.serial);
  std::ranges::sort(serials);
  remove_placements(data,
                    [&](const Placement& p) { return has_parent(p) && !std::ranges::binary_search(serials, p.parent); });
}

void Graphics::remove_range(std::uint32_t first, std::uint32_t last, Data data) {
  if (last == 0 || first > last) return;
  // Where terminals number what has no id.
  constexpr std::uint32_t kAnonymous = 0x7fffffff;
  std::vector<std::uint64_t> serials;
  for (const Image& image : images) {
    const std::uint32_t id = image.id == 0 ? kAnonymous : image.id;
    if (id >= first && id <= last) serials.push_back(image.serial);
  }
  remove_placements(data, [&](const Placement& p) { return std::ranges::binary_search(serials, p.image); });
  if (data == Data::keep) return;
  for (const std::uint64_t serial : serials) remove_image_if_unplaced(serial);
}

// The oldest first: those that stand nowhere, then those that do.
void Graphics::drop_data() {
  std::size_t bytes = 0;
  for (const Image& image : images) bytes += cost(image);
  for (const bool placed : {false, true}) {
    for (Image& image : images) {
      if (bytes <= kDataBytesMax) return;
      const bool is_newest = &image == &images.back();
      if (cost(image) == 0 || (is_newest ? !placed : is_placed(image.serial) != placed)) continue;
      bytes -= cost(image);
      image.source = ImageSource::gone;
      std::string().swap(image.data);
    }
  }
}

void Graphics::clear_screen() {
  std::erase_if(placements, [](const Placement& p) {
    return p.anchor == Placement::Anchor::cell && (p.y >= 0 || p.below() > 0);
  });
  remove_orphans(Data::keep);
  std::erase_if(images, [this](const Image& image) { return !is_placed(image.serial); });
}

void Graphics::clear_history() {
  remove_placements(Data::keep, [](const Placement& p) { return p.anchor == Placement::Anchor::cell && p.y < 0; });
}

void Graphics::scroll_screen(int n, int screen_rows, std::uint32_t history_rows) {
  for (Placement& p : placements) {
    if (p.anchor == Placement::Anchor::cell) p.y -= n;
  }
  const std::int64_t top = -std::int64_t{std::min(history_rows, kRowsAboveMax)};
  // One whose size is not known is taken for one row.
  remove_placements(Data::keep, [&](const Placement& p) {
    if (p.anchor != Placement::Anchor::cell) return false;
    return p.y >= screen_rows || std::max(p.below(), std::int64_t{p.y} + 1) <= top;
  });
}

void Graphics::forget_above() {
  for (Placement& p : placements) {
    if (p.anchor == Placement::Anchor::cell && p.y < 0 && p.below() > 0) p = in_sight(p, *find_serial(p.image));
  }
  clear_history();
}

void Graphics::scroll_area(const Area& area, int n, int screen_columns) {
  std::vector<std::uint64_t> gone;
  for (Placement& p : placements) {
    if (p.anchor != Placement::Anchor::cell || !is_within(p, area, screen_columns)) continue;
    const std::int64_t y = std::int64_t{p.y} - n;
    const std::int64_t above = area.top - y, beyond = y + p.covers_rows - 1 - area.bottom;
    if (const std::int64_t cut = std::max(above, beyond); cut > 0) {
      const bool stays = cut < p.covers_rows && cut_rows(p, *find_serial(p.image), static_cast<std::uint32_t>(cut),
                                                         above > 0 ? Side::top : Side::bottom);
      if (!stays) gone.push_back(p.serial);
    }
    p.y = static_cast<int>(std::max<std::int64_t>(y, area.top));
  }
  if (gone.empty()) return;
  remove_placements(Data::keep, [&](const Placement& p) { return std::ranges::find(gone, p.serial) != gone.end(); });
}

std::optional<ImageSize> image_size(const Image& image) {
  const bool is_readable = image.source == ImageSource::data && !image.is_compressed;
  ImageSize size = image.given;
  if (image.format == ImageFormat::png && is_readable) {
    constexpr std::string_view kHead("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    const std::string_view data = image.data;
    if (!data.starts_with(kHead) || data.size() < kHead.size() + 8) return std::nullopt;
    size = {big_endian(data.substr(16)), big_endian(data.substr(20))};
  } else if (image.format == ImageFormat::png) {
    return size;  // unknown, unless the program told
  }
  if (size.width == 0 || size.height == 0) return std::nullopt;
  if (image.format != ImageFormat::png && is_readable) {
    const std::uint64_t depth = image.format == ImageFormat::rgb ? 3 : 4;
    if (image.data.size() != std::uint64_t{size.width} * size.height * depth) return std::nullopt;
  }
  return size;
}

void measure(Placement& p, const Image& image, ImageSize cell) {
  if (p.columns != 0 && p.rows != 0) {
    p.covers_columns = std::min(p.columns, 1u << 20);
    p.covers_rows = std::min(p.rows, 1u << 20);
    return;
  }
  const ImageSize part = shown(p, image);
  if (part.width == 0 || part.height == 0 || cell.width == 0 || cell.height == 0) {
    p.covers_columns = p.covers_rows = 0;
    return;
  }
  std::uint64_t width = part.width, height = part.height;
  const auto less = [](std::uint64_t all, std::uint64_t part_of_it) { return all - std::min(all, part_of_it); };
  if (p.columns != 0) {
    width = less(std::uint64_t{p.columns} * cell.width, p.cell_x);
    height = width * part.height / part.width;
  } else if (p.rows != 0) {
    height = less(std::uint64_t{p.rows} * cell.height, p.cell_y);
    width = height * part.width / part.height;
  }
  p.covers_columns = cells_of(width + p.cell_x, cell.width);
  p.covers_rows = cells_of(height + p.cell_y, cell.height);
}

void Graphics::measure_all(ImageSize cell) {
  for (Placement& p : placements) measure(p, *find_serial(p.image), cell);
}

bool is_in_sight(const Placement& p, int screen_rows) {
  if (p.anchor != Placement::Anchor::cell) return true;
  return p.y < screen_rows && (p.y >= 0 || p.below() > 0);
}

Placement in_sight(const Placement& p, const Image& image) {
  Placement part = p;
  if (p.anchor != Placement::Anchor::cell || p.y >= 0) return part;
  (void)cut_rows(part, image, static_cast<std::uint32_t>(-p.y), Side::top);
  part.y = 0;
  return part;
}

}  // namespace holdfast::vt
