// What commands of kitty's graphics protocol do. Answers are numbers of the program's and words of ours.
#include <algorithm>

#include "base/text.h"
#include "vt/graphics_command.h"
#include "vt/interpreter.h"

namespace holdfast::vt {
namespace {

constexpr std::string_view kInvalidData = "EINVAL: invalid data";

// What the keys say of an image; its data are still to come.
std::optional<std::string_view> describe(const GraphicsCommand& c, Image& image) {
  image.id = c['i'];
  image.number = c['I'];
  switch (c['f']) {
    case 24:
      image.format = ImageFormat::rgb;
      break;
    case 0:
    case 32:
      image.format = ImageFormat::rgba;
      break;
    case 100:
      image.format = ImageFormat::png;
      break;
    default:
      return "EINVAL: unsupported format";
  }
  const char compression = c.letter('o', '-');
  if (compression != '-' && compression != 'z') return kInvalidData;
  image.is_compressed = compression == 'z';
  switch (c.letter('t', 'd')) {
    case 'd':
      image.source = ImageSource::data;
      break;
    case 'f':
      image.source = ImageSource::file;
      break;
    case 't':
    case 's':
      image.source = ImageSource::gone;
      break;
    default:
      return "EINVAL: unsupported medium";
  }
  image.given = {c['s'], c['v']};
  image.bytes = c['S'];
  image.offset = c['O'];
  return std::nullopt;
}

// Adds a piece of data, or a name. What is too large is counted, not kept.
bool append_data(Image& image, std::string_view payload) {
  const auto bytes = base64_decode(payload);
  if (!bytes) return false;
  if (image.source == ImageSource::gone) return true;
  const std::size_t most = image.source == ImageSource::file ? Image::kFileNameBytesMax : Graphics::kDataBytesMax;
  if (image.data.size() + bytes->size() <= most) {
    image.data += *bytes;
    return true;
  }
  if (image.format == ImageFormat::png) image.given = image_size(image).value_or(ImageSize{});
  image.source = ImageSource::gone;
  std::string().swap(image.data);
  return true;
}

// Why the data are no image; nothing if they are.
std::optional<std::string_view> settle(Image& image) {
  const auto size = image_size(image);
  if (!size) return kInvalidData;
  if (std::max(size->width, size->height) > Image::kSideMax) return "EINVAL: dimensions too large";
  image.size = *size;
  return std::nullopt;
}

Placement placement_of(const GraphicsCommand& c) {
  Placement p;
  p.id = c['p'];
  p.anchor = c['U'] == 1   ? Placement::Anchor::virtual_
             : c['P'] != 0 ? Placement::Anchor::parent
                           : Placement::Anchor::cell;
  p.cell_x = c['X'];
  p.cell_y = c['Y'];
  p.left = c['x'];
  p.top = c['y'];
  p.width = c['w'];
  p.height = c['h'];
  p.columns = c['c'];
  p.rows = c['r'];
  p.z = c.as_signed('z');
  p.parent_x = c.as_signed('H');
  p.parent_y = c.as_signed('V');
  return p;
}

bool is_on_screen(const Placement& p) { return p.anchor == Placement::Anchor::cell && (p.y >= 0 || p.below() > 0); }
bool is_over_column(const Placement& p, std::int64_t x) {
  return p.anchor == Placement::Anchor::cell && p.covers_rows != 0 && x >= p.x && x < std::int64_t{p.x} + p.covers_columns;
}
bool is_over_row(const Placement& p, std::int64_t y) {
  return p.anchor == Placement::Anchor::cell && p.covers_columns != 0 && y >= p.y && y < p.below();
}

}  // namespace

void Interpreter::graphics(std::string_view text) {
  if (editor_.profile() != Profile::ghostty) return;
  const auto command = GraphicsCommand::parse(text);
  if (!command) return;
  const GraphicsCommand& c = *command;
  const GraphicsIds ids{c['i'], c['I'], c['p']};
  if (ids.image != 0 && ids.number != 0) {
    return graphics_reply(ids, c['q'], "EINVAL: image ID and number are mutually exclusive");
  }
  switch (c.letter('a', 't')) {
    case 'q':
      return query_image(c);
    case 't':
    case 'T':
    case 'f':
      return transmit_image(c);
    case 'p':
      return place_image(c);
    case 'd':
      return delete_images(c);
    case 'c':  // composes frames, which are not kept
      return graphics_reply(ids, c['q'], "ENOTSUP: animation frames are not kept");
    default:
      return;  // also `a`, which plays them
  }
}

void Interpreter::graphics_reply(const GraphicsIds& ids, std::uint32_t quiet, std::string_view message) {
  if ((ids.image == 0 && ids.number == 0) || quiet >= 2 || (quiet == 1 && message == "OK")) return;
  std::string text = "\x1b_G";
  const auto add = [&text](std::string_view key, std::uint32_t value) {
    if (value == 0) return;
    if (text.back() != 'G') text += ',';
    text += std::string(key) + "=" + std::to_string(value);
  };
  add("i", ids.image);
  add("I", ids.number);
  add("p", ids.placement);
  reply(text + ";" + std::string(message) + "\x1b\\");
}

// Pixels of a cell, as the terminal said, or as those of the client are.
ImageSize Interpreter::cell_pixels() const {
  const Size& size = state_.size;
  return {size.xpixel != 0 ? std::uint32_t{size.xpixel} / size.cols : client_.cell_width,
          size.ypixel != 0 ? std::uint32_t{size.ypixel} / size.rows : client_.cell_height};
}

void Interpreter::measure_images() {
  for (ScreenState* screen : {&state_.primary, &state_.alternate}) screen->graphics.measure_all(cell_pixels());
}

// "Can you show this?": what comes with it is looked at and not kept. While nobody is attached no file can be read for
// the program, so that it sends data, which can be shown later.
void Interpreter::query_image(const GraphicsCommand& c) {
  Image image;
  auto error = describe(c, image);
  if (!error && image.source != ImageSource::data) error = "EINVAL: unsupported medium";
  if (!error && !append_data(image, c.payload())) error = kInvalidData;
  if (!error) error = settle(image);
  graphics_reply({image.id, 0, c['p']}, c['q'], error.value_or("OK"));
}

void Interpreter::transmit_image(const GraphicsCommand& c) {
  std::optional<Upload>& upload = editor_.screen().graphics.upload;
  std::optional<std::string_view> error;
  if (upload) {
    if (c['q'] != 0) upload->quiet = static_cast<std::uint8_t>(std::min(c['q'], 2u));
  } else {
    upload.emplace();
    error = describe(c, upload->image);
    upload->is_frame = c.letter('a', 't') == 'f';
    upload->is_in_pieces = upload->image.source == ImageSource::data;
    upload->quiet = static_cast<std::uint8_t>(std::min(c['q'], 2u));
    upload->moves_cursor = c['C'] != 1;
    upload->parent_image = c['P'];
    upload->parent_id = c['Q'];
    if (c.letter('a', 't') == 'T') upload->placement = placement_of(c);
  }
  // Frames are not kept: an animation is restored as its first picture.
  if (!error && !upload->is_frame && !append_data(upload->image, c.payload())) error = kInvalidData;
  if (!error && c['m'] == 1 && upload->is_in_pieces) return;
  Upload whole = std::move(*upload);
  upload.reset();
  const std::uint32_t placement = whole.placement ? whole.placement->id : c['p'];
  const GraphicsIds ids{whole.image.id, whole.image.number, placement};
  if (!error && whole.is_frame) error = "ENOTSUP: animation frames are not kept";
  if (!error) error = settle(whole.image);
  if (error) return graphics_reply(ids, whole.quiet, *error);
  keep_image(std::move(whole), ids);
}

void Interpreter::keep_image(Upload upload, GraphicsIds ids) {
  Graphics& graphics = editor_.screen().graphics;
  const bool is_anonymous = ids.image == 0 && ids.number == 0;
  if (is_anonymous && !upload.placement) return;  // nothing can ever refer to it
  const Image& image = graphics.add(std::move(upload.image));
  ids.image = image.id;
  std::string_view message = "OK";
  if (upload.placement) message = place(image, *upload.placement, upload);
  if (!is_anonymous) graphics_reply(ids, upload.quiet, message);
}

void Interpreter::place_image(const GraphicsCommand& c) {
  Graphics& graphics = editor_.screen().graphics;
  GraphicsIds ids{c['i'], c['I'], c['p']};
  const Image* image = ids.image != 0 ? graphics.find(ids.image) : graphics.find_newest(ids.number);
  if (!image) return graphics_reply(ids, c['q'], "ENOENT: image not found");
  ids.image = image->id;
  Upload how;
  how.moves_cursor = c['C'] != 1;
  how.parent_image = c['P'];
  how.parent_id = c['Q'];
  graphics_reply(ids, c['q'], place(*image, placement_of(c), how));
}

// Gives the words of the answer.
std::string_view Interpreter::place(const Image& image, Placement p, const Upload& how) {
  Graphics& graphics = editor_.screen().graphics;
  const ImageSize cell = cell_pixels();
  p.image = image.serial;
  if (how.parent_image != 0) {
    if (p.anchor == Placement::Anchor::virtual_) return "EINVAL: virtual placement cannot refer to a parent";
    const Image* parent = graphics.find(how.parent_image);
    if (!parent) return "ENOPARENT: parent image not found";
    const Placement* beside = graphics.find_placement(parent->serial, how.parent_id);
    if (!beside) return "ENOPARENT: parent placement not found";
    p.parent = beside->serial;
    for (int depth = 1; beside; ++depth) {
      if (p.id != 0 && beside->image == p.image && beside->id == p.id) return "ECYCLE: placement is its own parent";
      if (depth > Graphics::kParentsMax) return "ETOODEEP: parent chain too deep";
      beside = beside->anchor == Placement::Anchor::parent ? graphics.find_placement(beside->parent) : nullptr;
    }
  }
  if (cell.width != 0) p.cell_x = std::min(p.cell_x, cell.width - 1);
  if (cell.height != 0) p.cell_y = std::min(p.cell_y, cell.height - 1);
  const Cursor& at = editor_.cursor();
  if (p.anchor == Placement::Anchor::cell) {
    p.x = at.x;
    p.y = at.y;
  }
  measure(p, image, cell);
  graphics.add(p);
  if (p.anchor == Placement::Anchor::cell && how.moves_cursor) editor_.move_past(p.covers_columns, p.covers_rows);
  return "OK";
}

// Capitals also free what then stands nowhere.
void Interpreter::delete_images(const GraphicsCommand& c) {
  Graphics& graphics = editor_.screen().graphics;
  graphics.upload.reset();
  const char what = c.letter('d', 'a');
  const bool is_capital = what >= 'A' && what <= 'Z';
  const auto data = is_capital ? Graphics::Data::free_unused : Graphics::Data::keep;
  const auto remove = [&](auto&& is_gone) { graphics.remove_placements(data, is_gone); };
  const std::int64_t x = std::int64_t{c['x']} - 1, y = std::int64_t{c['y']} - 1;
  const std::int32_t z = c.as_signed('z');
  const Cursor at = editor_.cursor();
  const auto is_over = [](const Placement& p, std::int64_t column, std::int64_t row) {
    return is_over_column(p, column) && is_over_row(p, row);
  };
  switch (is_capital ? static_cast<char>(what + 32) : what) {
    case 'a':
      return remove(is_on_screen);
    case 'i':
    case 'n': {
      const Image* image = what == 'i' || what == 'I' ? graphics.find(c['i']) : graphics.find_newest(c['I']);
      if (!image) return;
      const std::uint64_t serial = image->serial;
      remove([&](const Placement& p) { return p.image == serial && (c['p'] == 0 || p.id == c['p']); });
      if (is_capital && c['p'] == 0) graphics.remove_image_if_unplaced(serial);
      return;
    }
    case 'c':
      return remove([&](const Placement& p) { return is_over(p, at.x, at.y); });
    case 'p':
      return remove([&](const Placement& p) { return is_over(p, x, y); });
    case 'q':
      return remove([&](const Placement& p) { return p.z == z && is_over(p, x, y); });
    case 'x':
      return remove([&](const Placement& p) { return is_over_column(p, x); });
    case 'y':
      return remove([&](const Placement& p) { return is_over_row(p, y); });
    case 'z':
      return remove([&](const Placement& p) { return p.z == z && p.anchor != Placement::Anchor::virtual_; });
    case 'r':
      return graphics.remove_range(c['x'], c['y'], data);
    default:
      return;  // frames
  }
}

}  // namespace holdfast::vt
