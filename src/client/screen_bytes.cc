#include "client/screen_bytes.h"

namespace holdfast::client {

namespace {

// Titles that a terminal keeps on its stack, at most (xterm).
constexpr int kTitlesMax = 10;

}  // namespace

std::string arrival(std::string_view notice) {
  std::string out = "\x1b[?u\x1b[?2027$p";
  if (!notice.empty()) {
    out += notice;
    out += "\r\n";
  }
  return out;
}

std::string room(std::uint16_t rows) {
  std::string out;
  for (int i = 0; i < rows; ++i) out += "\r\n";
  return out;
}

std::string put_back_bytes(int keyboard_flags, ModeReport clusters) {
  std::string out;
  if (keyboard_flags >= 0) out = "\x1b[=" + std::to_string(keyboard_flags) + ";1u";
  if (clusters == ModeReport::set) out += "\x1b[?2027h";
  if (clusters == ModeReport::reset) out += "\x1b[?2027l";
  return out;
}

std::string undo_everything() {
  std::string out =
      "\x1b\\"                                                // ends a string that was cut short
      "\x1b[?2026l"                                           // show what was held back
      "\x1b[r\x1b[?6l\x1b[?69l"                               // margins and origin, before anything moves
      "\x1b[<99u"                                             // keyboard flags: more than any terminal keeps …
      "\x1b[?1047l\x1b[?47l\x1b[?1049l"                       // the main screen
      "\x1b[<99u"                                             // … on each screen
      "\x1b[>4m"                                              // modifyOtherKeys
      "\x1b[?9l\x1b[?1000l\x1b[?1001l\x1b[?1002l\x1b[?1003l"  // mouse reports and their encodings
      "\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l"
      "\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l"                  // focus, paste, colour scheme, size reports
      "\x1b[?1l\x1b>\x1b[?66l\x1b[?67l"                               // cursor keys, keypad, backarrow
      "\x1b[4l\x1b[20l\x1b[?5l\x1b[?45l\x1b[?1045l\x1b[?7h\x1b[?25h"  // insert, newline, reverse video, wraps, cursor
      "\x1b[0 q\x1b[0m\x1b]8;;\x1b\\"                                 // cursor shape, pen, link
      "\x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b[0\"q\x1b[?5W"                 // charsets, protection, tab stops
      "\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\"      // colours
      "\x1b]117\x1b\\\x1b]119\x1b\\"
      "\x1b]22;default\x1b\\\x1b]9;4;0\x1b\\";  // pointer, progress
  // The session's own entries lie above the person's title; terminals keep ten.
  for (int i = 0; i < kTitlesMax; ++i) out += "\x1b[23;0t";
  out += "\x1b[9999;1H\r\n";
  return out;
}

}  // namespace holdfast::client
