// Graphics: the images of one screen and where they stand (kitty's graphics protocol; docs/vt.md, "Images"). Each screen has
// its own, as in kitty and Ghostty.
//
// Storage and geometry only: it parses nothing, answers nothing and never decodes pixels. Data stay as the program sent
// them (compressed, PNG), because all that is ever done with them is to send them again. Files that a program names are
// never opened. Bounded: what a terminal can still show although its data are gone stays here without them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::vt {

enum class ImageFormat : std::uint8_t { rgb = 24, rgba = 32, png = 100 };

// Where the pixels are.
enum class ImageSource : std::uint8_t {
  data,  // here
  file,  // in a file whose name `data` is: the terminal is told that name again
  gone,  // nowhere: a temporary file or shared memory, which the terminal took; or dropped for want of room
};

struct ImageSize {
  std::uint32_t width = 0, height = 0;  // pixels; 0 = unknown
  friend bool operator==(ImageSize, ImageSize) = default;
};

struct Image {
  static constexpr std::uint32_t kSideMax = 10'000;     // pixels; as kitty and Ghostty
  static constexpr std::size_t kFileNameBytesMax = 4096;  // PATH_MAX of Linux

  std::uint64_t serial = 0;  // order of arrival, and what placements refer to
  std::uint32_t id = 0;      // i=, or what the terminal chose for a number; 0 = none was asked for: placed once, for ever
  std::uint32_t number = 0;  // I=
  ImageFormat format = ImageFormat::rgba;
  bool is_compressed = false;           // o=z
  ImageSize given;                      // s= v=
  std::uint32_t bytes = 0, offset = 0;  // S= O=
  ImageSource source = ImageSource::data;
  std::string data;
  ImageSize size;  // what it really is
  friend bool operator==(const Image&, const Image&) = default;
};

// A rectangle of an image on cells of the screen. Keys as the protocol names them.
struct Placement {
  enum class Anchor : std::uint8_t {
    cell,      // x, y
    virtual_,  // U=1: where placeholder characters (U+10EEEE) name it
    parent,    // P=: beside another placement
  };

  std::uint64_t serial = 0;
  std::uint64_t image = 0;  // serial of it
  std::uint32_t id = 0;     // p=; 0 = has none
  Anchor anchor = Anchor::cell;
  int x = 0, y = 0;                                       // upper left cell; y < 0: that many rows above the screen
  std::uint32_t cell_x = 0, cell_y = 0;                   // X= Y=: pixels within that cell
  std::uint32_t left = 0, top = 0, width = 0, height = 0; // x= y= w= h=: the part that is shown, pixels; 0 = to the end
  std::uint32_t columns = 0, rows = 0;                    // c= r=: what it is scaled to; 0 = as it comes
  std::int32_t z = 0;
  std::uint64_t parent = 0;  // serial of a placement
  std::int32_t parent_x = 0, parent_y = 0;  // H= V=: cells
  // What it covers, cells: of `columns` and `rows`, or of the pixels and the size that cells had then; 0 = not known.
  std::uint32_t covers_columns = 0, covers_rows = 0;

  std::int64_t below() const { return std::int64_t{y} + covers_rows; }  // the row under it
  friend bool operator==(const Placement&, const Placement&) = default;
};

// Images that arrive in pieces (m=1).
struct Upload {
  Image image;
  std::optional<Placement> placement;  // a=T: where it goes when all is there; the cursor then decides
  bool moves_cursor = true;            // C=0
  bool is_frame = false;               // of an animation: read over
  std::uint8_t quiet = 0;              // q=
  std::uint32_t parent_image = 0, parent_id = 0;  // P= Q=, looked up at the end
  bool is_in_pieces = false;  // data come in pieces, also those that are not kept
  friend bool operator==(const Upload&, const Upload&) = default;
};

class Graphics {
 public:
  // Bytes of image data of one screen. The raw pixels of a display of 1920 x 1080 fit; a terminal's state is copied into
  // every checkpoint, so this is what it may cost there. Beyond it the data of the oldest are dropped.
  static constexpr std::size_t kDataBytesMax = 8u << 20;
  // Beyond these the oldest are forgotten: each costs a walk over them now and then.
  static constexpr std::size_t kImagesMax = 256, kPlacementsMax = 1024;
  // Placements beside placements beside placements; as kitty and Ghostty.
  static constexpr int kParentsMax = 8;
  // How far above the screen one may stand, rows, whatever the limit of the history: a row number stays an int.
  static constexpr std::uint32_t kRowsAboveMax = 1u << 30;

  bool empty() const { return images.empty() && !upload; }
  const Image* find(std::uint32_t id) const;
  const Image* find_newest(std::uint32_t number) const;
  const Image* find_serial(std::uint64_t serial) const;
  const Placement* find_placement(std::uint64_t serial) const;
  // Newest first if there are several of one image (`id` 0).
  const Placement* find_placement(std::uint64_t image, std::uint32_t id) const;
  bool is_placed(std::uint64_t image) const;
  // The number if an I= finds this image; of several with one number it finds the newest.
  std::uint32_t reachable_number(const Image& image) const;

  // Takes the place of the image with this id, and of its placements; one with a number gets the lowest id that is free.
  // The reference holds until the next change.
  Image& add(Image image);
  // Takes the place of the placement of that image with that id, if it has one.
  void add(Placement placement);
  void erase_image(std::uint64_t serial);
  // Removes the placements for which `is_gone` says so, then those beside them; with `Data::free_unused` also the images
  // that lost their last one thereby.
  enum class Data : std::uint8_t { keep, free_unused };
  template <typename F>
  void remove_placements(Data data, F&& is_gone);
  void remove_image_if_unplaced(std::uint64_t serial);
  void remove_range(std::uint32_t first, std::uint32_t last, Data data);  // of ids, inclusive

  // What the screen does to them.
  void clear_screen();   // ED 2, 22: what is in sight goes, and all data that then stand nowhere
  void clear_history();  // ED 3
  void reset() { *this = {}; }
  struct Area {
    int top, bottom, left, right;  // inclusive
  };
  // The whole screen moves up by n rows (down if n < 0); `history_rows`: how far above it placements may stand.
  void scroll_screen(int n, int screen_rows, std::uint32_t history_rows);
  // Only what lies within the area moves, and is cut where it would leave it; n > 0 is up. Text of other placements moves
  // from under them.
  void scroll_area(const Area& area, int n, int screen_columns);
  // Rows above the screen are numbered anew: what stands there in part is cut, what stands there altogether is gone.
  void forget_above();
  void measure_all(ImageSize cell);  // cells have another size

  std::vector<Image> images;          // oldest first
  std::vector<Placement> placements;  // oldest first
  std::optional<Upload> upload;
  std::uint64_t newest_serial = 0;

 private:
  void drop_data();
  void remove_orphans(Data data);

  friend bool operator==(const Graphics&, const Graphics&) = default;
};

template <typename F>
void Graphics::remove_placements(Data data, F&& is_gone) {
  std::vector<std::uint64_t> touched;
  std::erase_if(placements, [&](const Placement& p) {
    if (!is_gone(p)) return false;
    touched.push_back(p.image);
    return true;
  });
  if (touched.empty()) return;
  remove_orphans(data);
  if (data == Data::free_unused) {
    for (const std::uint64_t image : touched) remove_image_if_unplaced(image);
  }
}

// Pixels as data of this image say; nothing if they are not what it claims.
std::optional<ImageSize> image_size(const Image& image);

// How many cells it covers, given the size of one, pixels.
void measure(Placement& placement, const Image& image, ImageSize cell);

// The part of a placement that is on the screen: rows above it are cut off, as a terminal is told by pixels and rows. Not
// for what is out of sight.
Placement in_sight(const Placement& placement, const Image& image);
bool is_in_sight(const Placement& placement, int screen_rows);

}  // namespace holdfast::vt
