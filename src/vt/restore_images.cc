// Images of a restore: sent again, and placed where they stand (docs/vt.md, "Images").
#include <algorithm>

#include "base/text.h"
#include "vt/cell_text.h"
#include "vt/restore_rule.h"
#include "vt/restorer.h"

namespace holdfast::vt {
namespace {

// Of one piece of data: 4096 characters of base64, the most that the protocol allows.
constexpr std::size_t kPieceBytes = 3072;

// The keys of a command, "key=value,": what is 0 is left out, as that is what it means.
class Keys {
 public:
  Keys& add(char key, std::uint64_t value) {
    if (value == 0) return *this;
    start(key);
    append_number(text_, value);
    return *this;
  }
  Keys& add_signed(char key, std::int32_t value) {
    if (value >= 0) return add(key, static_cast<std::uint64_t>(value));
    start(key);
    text_ += '-';
    append_number(text_, static_cast<std::uint64_t>(-std::int64_t{value}));
    return *this;
  }
  Keys& add_letter(char key, char letter) {
    start(key);
    text_ += letter;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  void start(char key) {
    text_ += ',';
    text_ += key;
    text_ += '=';
  }
  std::string text_;
};

void add_placement(Keys& keys, const Placement& p) {
  keys.add('p', p.id).add('X', p.cell_x).add('Y', p.cell_y);
  keys.add('x', p.left).add('y', p.top).add('w', p.width).add('h', p.height);
  keys.add('c', p.columns).add('r', p.rows).add_signed('z', p.z);
  keys.add_signed('H', p.parent_x).add_signed('V', p.parent_y);
  if (p.anchor == Placement::Anchor::virtual_) keys.add('U', 1);
}

bool takes_id(const Graphics& graphics, const Image& image) { return graphics.reachable_number(image) == 0; }

}  // namespace

// On the active screen. What a person had there before stays known, but is out of sight like their text.
void Restorer::neutral_images() {
  if (options_.client != Profile::ghostty) return;
  if (options_.onto == Onto::person) return void(put("\x1b_Ga=d,d=a,q=2\x1b\\"));
  put("\x1b_Ga=d,d=A,q=2\x1b\\\x1b_Ga=d,d=R,x=1,y=4294967295,q=2\x1b\\");
}

// `keys`: action, ids and placement.
void Restorer::transmit(const Image& image, std::string_view keys, Pieces pieces, unsigned quiet) {
  Keys what;
  if (image.format != ImageFormat::rgba) what.add('f', static_cast<std::uint64_t>(image.format));
  if (image.source == ImageSource::file) what.add_letter('t', 'f');
  if (image.is_compressed) what.add_letter('o', 'z');
  what.add('s', image.given.width).add('v', image.given.height).add('S', image.bytes).add('O', image.offset);
  std::string_view data = image.data;
  put("\x1b_Gq=").put(quiet).put(keys).put(what.text());
  do {
    const std::string_view piece = data.substr(0, kPieceBytes);
    data.remove_prefix(piece.size());
    if (piece.data() != image.data.data()) put("\x1b_Gq=").put(quiet);
    if (!data.empty() || pieces == Pieces::first) put(",m=1");
    put(";").put(base64(piece)).put("\x1b\\");
  } while (!data.empty());
}

// Those with a number first: a terminal gives each the lowest id that is free, so all below the one that it has are taken
// meanwhile.
void Restorer::images(const ScreenState& screen) {
  const Graphics& graphics = screen.graphics;
  if (options_.client != Profile::ghostty || graphics.empty()) return;
  std::vector<const Image*> numbered, others;
  for (const Image& image : graphics.images) {
    if (!is_image_restored(image) || image.id == 0) continue;
    (takes_id(graphics, image) ? others : numbered).push_back(&image);
  }
  std::ranges::sort(numbered, {}, &Image::id);
  std::vector<std::uint32_t> fillers;
  std::uint32_t next = 1;
  for (const Image* image : numbered) {
    for (; next < image->id; ++next) {
      put("\x1b_Ga=t,q=2,f=24,s=1,v=1,i=").put(next).put(";AAAA\x1b\\");
      fillers.push_back(next);
    }
    transmit(*image, Keys().add('I', image->number).text());
    ++next;
  }
  for (const std::uint32_t id : fillers) put("\x1b_Ga=d,d=I,q=2,i=").put(id).put("\x1b\\");
  for (const Image* image : others) transmit(*image, Keys().add('i', image->id).text());
  for (const Placement& p : restored_placements(screen)) {
    const Image& image = *graphics.find_serial(p.image);
    Keys keys;
    keys.add_letter('a', image.id == 0 ? 'T' : 'p').add('C', 1).add('i', image.id);
    add_placement(keys, p);
    if (const Placement* parent = graphics.find_placement(p.parent); p.anchor == Placement::Anchor::parent) {
      keys.add('P', graphics.find_serial(parent->image)->id).add('Q', parent->id);
    }
    if (p.anchor == Placement::Anchor::cell) move_to(p.x, p.y);
    if (image.id == 0) {
      transmit(image, keys.text());
    } else {
      put("\x1b_Gq=2").put(keys.text()).put("\x1b\\");
    }
  }
  if (graphics.upload) unfinished_upload(*graphics.upload);
}

// Last of all: whatever comes next on this screen is taken for its next piece.
void Restorer::unfinished_upload(const Upload& upload) {
  if (!is_upload_restored(upload)) return;
  Keys keys;
  if (upload.placement) {
    keys.add_letter('a', 'T').add('P', upload.parent_image).add('Q', upload.parent_id);
    if (!upload.moves_cursor) keys.add('C', 1);
    add_placement(keys, *upload.placement);
  }
  keys.add('i', upload.image.id).add('I', upload.image.number);
  transmit(upload.image, keys.text(), Pieces::first, upload.quiet);
}

}  // namespace holdfast::vt
