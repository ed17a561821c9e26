// Interpreter: gives control functions their meaning. Gets whole functions from the parser, lets the Editor change the
// screens, changes the rest of the State itself, and tells a Sink what is to be answered or known outside.
//
// Answers are built from numbers, from hex we wrote ourselves and from the client profile, never from the program's
// bytes: what it prints cannot come back to it as typed input.
#pragma once

#include <string>
#include <string_view>

#include "vt/editor.h"
#include "vt/sequence.h"
#include "vt/terminal.h"

namespace holdfast::vt {

class GraphicsCommand;

enum class Terminator : std::uint8_t { st, bel };  // how a string ended; an answer ends the same way

class Interpreter {
 public:
  Interpreter(State& state, Profile profile) : state_(state), editor_(state, profile) {}

  // Where replies and events go until the next call, and how many bytes of replies may go there.
  void begin(Sink& sink) {
    sink_ = &sink;
    reply_bytes_left_ = kReplyBytesMax;
  }
  // One past the last byte of the function that is carried out.
  void set_offset(std::uint64_t offset) { offset_ = offset; }
  void set_client(const ClientProfile& client) { client_ = client; }

  Editor& editor() { return editor_; }
  void control(unsigned char c);                     // C0, except those the parser acts on
  void escape(char first, char second, char final);  // ESC and up to two intermediates
  void csi(const Sequence& seq);
  void osc(std::string_view payload, Terminator terminator);
  void dcs(std::string_view payload);  // everything between DCS and ST
  void graphics(std::string_view text);  // what follows APC G
  void report_size();                  // for ?2048
  void measure_images();               // cells have another size

 private:
  // Bytes of replies to one feed: a flood of queries must not become a flood of input.
  static constexpr std::size_t kReplyBytesMax = 64u << 10;
  static constexpr int kColumnsNarrow = 80, kColumnsWide = 132;  // DECCOLM

  void reply(std::string_view bytes);
  void event(EventKind kind, std::string_view text, std::uint32_t number = 0);
  bool is_xterm() const { return editor_.profile() == Profile::xterm; }
  // The mode of that number in the client's profile.
  std::optional<Mode> known_mode(int number, bool is_private) const;
  // The program wants another size; 0 = stays. Nothing happens where somebody else owns the size.
  void ask_for_size(int cols, int rows);

  // esc.cc
  void designate_charset(char slot, std::string_view designation);
  void full_reset();

  // csi.cc
  bool csi_plain(const Sequence& seq);
  bool csi_reports(const Sequence& seq, std::uint32_t key);
  void csi_kitty(const Sequence& seq);
  void csi_key_modifiers(const Sequence& seq);
  void csi_rectangles(const Sequence& seq, std::uint32_t key);
  void csi_window(const Sequence& seq);
  void set_cursor_shape(int shape);
  void csi_protection(const Sequence& seq);
  void csi_sgr_stack(const Sequence& seq);
  void erase_display(const Sequence& seq, Erase kind);
  void erase_line(const Sequence& seq, Erase kind);
  void tab_clear(const Sequence& seq);
  void set_conformance(const Sequence& seq);
  void set_title_modes(const Sequence& seq, bool on);
  void push_title(int which);
  void pop_title(int which);
  Rectangle rectangle(const Sequence& seq, int first) const;

  // modes_set.cc
  void set_modes(const Sequence& seq, bool is_private, bool on);
  void set_mode(Mode mode, bool on);
  void save_modes(const Sequence& seq);
  void restore_modes(const Sequence& seq);
  void set_mouse_tracking(Mode mode, bool on);
  void set_mouse_encoding(Mode mode, bool on);
  void set_columns_132(bool on);

  // sgr.cc
  void sgr(const Sequence& seq);

  // osc.cc
  void osc_title(int which, std::string_view text);
  void osc_hyperlink(std::string_view text);
  void osc_prompt_mark(std::string_view text);
  void osc_notification(std::string_view text);
  void osc_progress(std::string_view text);
  void osc_clipboard(std::string_view text);
  void osc_pointer_shape(std::string_view text);
  void osc_777(std::string_view text);
  void osc_status(std::string_view text);
  // colors.cc
  void osc_palette(std::string_view text, Terminator terminator);
  void osc_palette_reset(std::string_view text);
  void osc_special_color(std::string_view text, Terminator terminator);
  void osc_special_color_reset(std::string_view text);
  void change_special_color(std::string_view head, std::size_t which, std::string_view color, Terminator terminator);
  void osc_dynamic_color(int number, std::string_view text, Terminator terminator);
  void osc_named_colors(std::string_view text, Terminator terminator);
  std::optional<std::uint32_t> parse_color(std::string_view text) const;
  std::uint32_t palette_color(std::uint8_t index) const;
  std::optional<std::uint32_t> dynamic_color(int number) const;
  std::optional<std::uint32_t> special_color(std::size_t index) const;
  void push_colors(int entry);
  void pop_colors(int entry);
  void report_color_stack();
  void reply_color(std::string_view head, std::uint32_t rgb, Terminator terminator);

  // graphics_exec.cc
  struct GraphicsIds {
    std::uint32_t image = 0, number = 0, placement = 0;
  };
  void graphics_reply(const GraphicsIds& ids, std::uint32_t quiet, std::string_view message);
  ImageSize cell_pixels() const;
  void query_image(const GraphicsCommand& c);
  void transmit_image(const GraphicsCommand& c);
  void keep_image(Upload upload, GraphicsIds ids);
  void place_image(const GraphicsCommand& c);
  std::string_view place(const Image& image, Placement p, const Upload& how);
  void delete_images(const GraphicsCommand& c);

  // replies.cc
  void report_attributes(char prefix);
  void report_status(const Sequence& seq, bool is_private);
  void report_mode(std::uint16_t number, bool is_private);
  void report_setting(std::string_view what);        // DECRQSS
  void report_capabilities(std::string_view names);  // XTGETTCAP
  void report_window(int what);
  void report_title(char letter, const std::string& title);
  void report_version();
  void report_checksum(const Sequence& seq);  // DECRQCRA
  void report_color_scheme();
  std::string sgr_text() const;

  State& state_;
  Editor editor_;
  ClientProfile client_;
  Sink* sink_ = nullptr;
  std::size_t reply_bytes_left_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace holdfast::vt
