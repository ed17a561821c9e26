#include "vt/modes.h"

namespace holdfast::vt {
namespace {

constexpr std::array<ModeInfo, kModeCount> kModes = {{
    // mode                      number private default save  name
    {Mode::keyboard_action,       2, false, false, false, "KAM"},
    {Mode::insert,                4, false, false, false, "IRM"},
    {Mode::send_receive,         12, false,  true, false, "SRM"},
    {Mode::newline,              20, false, false, false, "LNM"},
    {Mode::cursor_keys,           1,  true, false,  true, "DECCKM"},
    {Mode::columns_132,           3,  true, false, false, "DECCOLM"},
    {Mode::slow_scroll,           4,  true, false,  true, "DECSCLM"},
    {Mode::reverse_colors,        5,  true, false,  true, "DECSCNM"},
    {Mode::origin,                6,  true, false,  true, "DECOM"},
    {Mode::autowrap,              7,  true,  true,  true, "DECAWM"},
    {Mode::autorepeat,            8,  true, false,  true, "DECARM"},
    {Mode::mouse_x10,             9,  true, false,  true, "mouse X10"},
    {Mode::cursor_blink,         12,  true, false,  true, "cursor blink"},
    {Mode::printer_form_feed,    18,  true, false,  true, "DECPFF", true},
    {Mode::printer_extent,       19,  true, false,  true, "DECPEX", true},
    {Mode::cursor_visible,       25,  true,  true,  true, "DECTCEM"},
    {Mode::allow_columns_132,    40,  true, false,  true, "allow DECCOLM"},
    {Mode::more_fix,             41,  true, false,  true, "more fix", true},
    {Mode::national_sets,        42,  true, false,  true, "DECNRCM", true},
    {Mode::reverse_wrap,         45,  true, false,  true, "reverse wrap"},
    {Mode::alternate_47,         47,  true, false, false, "alternate 47"},
    {Mode::keypad,               66,  true, false,  true, "DECNKM"},
    {Mode::backarrow,            67,  true, false,  true, "DECBKM"},
    {Mode::left_right_margins,   69,  true, false,  true, "DECLRMM"},
    {Mode::mouse_normal,       1000,  true, false,  true, "mouse clicks"},
    {Mode::mouse_button,       1002,  true, false,  true, "mouse drags"},
    {Mode::mouse_any,          1003,  true, false,  true, "mouse moves"},
    {Mode::focus_events,       1004,  true, false,  true, "focus events"},
    {Mode::mouse_utf8,         1005,  true, false,  true, "mouse UTF-8"},
    {Mode::mouse_sgr,          1006,  true, false,  true, "mouse SGR"},
    {Mode::alternate_scroll,   1007,  true,  true,  true, "alternate scroll"},
    {Mode::mouse_urxvt,        1015,  true, false,  true, "mouse urxvt"},
    {Mode::mouse_sgr_pixels,   1016,  true, false,  true, "mouse SGR pixels"},
    {Mode::ignore_keypad_numlock, 1035, true, true, true, "ignore keypad numlock"},
    {Mode::alt_sends_escape,   1036,  true,  true,  true, "alt sends escape"},
    {Mode::alt_sends_escape2,  1039,  true, false,  true, "meta sends escape"},
    {Mode::reverse_wrap_extended, 1045, true, false, true, "reverse wrap extended"},
    {Mode::alternate_1047,     1047,  true, false, false, "alternate 1047"},
    {Mode::save_cursor_1048,   1048,  true, false, false, "save cursor"},
    {Mode::alternate_1049,     1049,  true, false, false, "alternate 1049"},
    {Mode::bracketed_paste,    2004,  true, false,  true, "bracketed paste"},
    {Mode::synchronized_output, 2026, true, false, false, "synchronized output"},
    {Mode::grapheme_clusters,  2027,  true,  true,  true, "grapheme clusters"},
    {Mode::color_scheme_reports, 2031, true, false, true, "color scheme reports"},
    {Mode::in_band_resize,     2048,  true, false,  true, "in-band resize"},
    {Mode::kitty_clipboard,    5522,  true, false,  true, "kitty clipboard"},
}};

constexpr bool rows_stand_at_their_index() {
  for (std::size_t i = 0; i < kModeCount; ++i) {
    if (static_cast<std::size_t>(kModes[i].mode) != i) return false;
  }
  return true;
}
static_assert(rows_stand_at_their_index());

}  // namespace

const std::array<ModeInfo, kModeCount>& mode_table() { return kModes; }

std::optional<Mode> find_mode(std::uint16_t number, bool is_private) {
  for (const ModeInfo& info : kModes) {
    if (info.number == number && info.is_private == is_private) return info.mode;
  }
  return std::nullopt;
}

ModeSet ModeSet::defaults() {
  ModeSet set;
  for (const ModeInfo& info : kModes) set.set(info.mode, info.default_on);
  return set;
}

}  // namespace holdfast::vt
