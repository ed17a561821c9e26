// Modes as rows of a table: number, default, whether XTSAVE may keep it. What a restore makes of them is in
// restore_rule.h.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::vt {

enum class Mode : std::uint8_t {
  // ANSI
  keyboard_action,   // 2 KAM
  insert,            // 4 IRM
  send_receive,      // 12 SRM
  newline,           // 20 LNM
  // DEC private
  cursor_keys,       // ?1 DECCKM
  columns_132,       // ?3 DECCOLM
  slow_scroll,       // ?4 DECSCLM
  reverse_colors,    // ?5 DECSCNM
  origin,            // ?6 DECOM
  autowrap,          // ?7 DECAWM
  autorepeat,        // ?8 DECARM
  mouse_x10,         // ?9
  cursor_blink,      // ?12
  printer_form_feed, // ?18 DECPFF
  printer_extent,    // ?19 DECPEX
  cursor_visible,    // ?25 DECTCEM
  allow_columns_132, // ?40
  more_fix,          // ?41: a tab wraps when a wrap is pending
  national_sets,     // ?42 DECNRCM
  reverse_wrap,      // ?45
  alternate_47,      // ?47
  keypad,            // ?66 DECNKM
  backarrow,         // ?67 DECBKM
  left_right_margins,// ?69 DECLRMM
  mouse_normal,      // ?1000
  mouse_button,      // ?1002
  mouse_any,         // ?1003
  focus_events,      // ?1004
  mouse_utf8,        // ?1005
  mouse_sgr,         // ?1006
  alternate_scroll,  // ?1007
  mouse_urxvt,       // ?1015
  mouse_sgr_pixels,  // ?1016
  ignore_keypad_numlock,   // ?1035
  alt_sends_escape,  // ?1036
  alt_sends_escape2, // ?1039
  reverse_wrap_extended,   // ?1045
  alternate_1047,    // ?1047
  save_cursor_1048,  // ?1048
  alternate_1049,    // ?1049
  bracketed_paste,   // ?2004
  synchronized_output,     // ?2026
  grapheme_clusters, // ?2027
  color_scheme_reports,    // ?2031
  in_band_resize,    // ?2048
  kitty_clipboard,   // ?5522
  count_,
};
inline constexpr std::size_t kModeCount = static_cast<std::size_t>(Mode::count_);

struct ModeInfo {
  Mode mode;
  std::uint16_t number;
  bool is_private;       // DEC ("?")
  bool default_on;
  bool can_save;         // XTSAVE / XTRESTORE
  std::string_view name; // DEC mnemonic or xterm's word
  bool is_xterm_only = false;  // Ghostty does not know it: in its profile the mode does not exist
};

const std::array<ModeInfo, kModeCount>& mode_table();
std::optional<Mode> find_mode(std::uint16_t number, bool is_private);

class ModeSet {
 public:
  bool get(Mode m) const { return bits_[static_cast<std::size_t>(m)]; }
  void set(Mode m, bool on) { bits_[static_cast<std::size_t>(m)] = on; }
  static ModeSet defaults();
  friend bool operator==(const ModeSet&, const ModeSet&) = default;

 private:
  std::bitset<kModeCount> bits_;
};

}  // namespace holdfast::vt
