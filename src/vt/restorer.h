// Restorer: one restore being written. Its parts stand in restore.cc (the order), restore_state.cc (everything that is
// not a cell); cells are CellWriter's.
#pragma once

#include <string>
#include <string_view>

#include "vt/cell_writer.h"
#include "vt/restore.h"

namespace holdfast::vt {

class Restorer {
 public:
  Restorer(State& state, const RestoreOptions& options, std::string& out)
      : state_(state), options_(options), out_(out), cells_(state.tables, state.size.rows, out) {}

  // The whole restore; gives the index in `out` where phase 2 starts.
  std::size_t write();

 private:
  // restore.cc
  void neutralise();
  void neutralise_screen();
  void history();
  void rows_after_history();
  void line_feed();
  void rows_in_place(const ScreenState& screen);
  void forget_save();
  void dormant_alternate();
  void enter_alternate();

  // restore_state.cc
  void neutral_modes();
  void reset_colors();
  void default_colors();
  void colors();
  void colors(const Colors& c);
  void tab_stops();
  void kitty_stack(const KittyStack& stack);
  // What comes right after the save: 1049 makes one itself, so it must find the cursor as it was saved.
  enum class Then : std::uint8_t { stay, switch_to_alternate };
  void saved_cursor(const ScreenState& screen, Then then = Then::stay);
  void saved_modes();
  void margins();
  // restore_images.cc
  void images(const ScreenState& screen);
  void neutral_images();
  void unfinished_upload(const Upload& upload);
  enum class Pieces : std::uint8_t { all, first };  // first: the program will send the others
  void transmit(const Image& image, std::string_view keys, Pieces pieces = Pieces::all, unsigned quiet = 2);

  void titles();
  void strings();
  void pointer_shapes();
  void status_records();
  void sgr_stack();
  void last_print();
  void cursor();
  void charsets(const Charsets& from, const Charsets& to);
  void modes();
  void finish();

  Restorer& put(std::string_view text) {
    out_ += text;
    return *this;
  }
  Restorer& put(std::uint64_t number);
  void move_to(int x, int y, bool relative_to_margins = false);
  void print_in_place(const ScreenState& screen, int x, int y, bool relative_to_margins);
  void margin_at(int x);

  State& state_;
  const RestoreOptions& options_;
  std::string& out_;
  CellWriter cells_;
  CellWriter::Start next_ = CellWriter::Start::positioned;  // of the first row of the screen, after the history
};

// A list of modes as few sequences as terminals take: "\x1b[?" n;n;n final.
class ModeList {
 public:
  ModeList(std::string& out, bool is_private, char final) : out_(out), is_private_(is_private), final_(final) {}
  ~ModeList() { finish(); }
  ModeList(const ModeList&) = delete;
  ModeList& operator=(const ModeList&) = delete;
  void add(unsigned number);

 private:
  void finish();
  // Ghostty drops a sequence of more than 24 parameters, other terminals one of more than 16.
  static constexpr int kParametersMax = 16;
  std::string& out_;
  bool is_private_;
  char final_;
  int count_ = 0;
};

}  // namespace holdfast::vt
