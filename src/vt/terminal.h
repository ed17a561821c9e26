// Terminal: the engine. Takes the bytes a program writes and keeps the State a real terminal would have.
//
// It does no I/O and knows no clock. What it has to say (answers to queries, titles, bells) goes to a Sink with the
// offset of the byte that caused it. No input makes it fail, hang or grow beyond the bounds of its tables:
// unknown or malformed sequences are consumed and ignored, as ECMA-48 and xterm's ctlseqs have it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "vt/state.h"

namespace holdfast::vt {

// What the answers to queries say about the terminal the program believes it talks to: the last client's own facts.
struct ClientProfile {
  std::string name = "ghostty", version = "1.2.0";  // XTVERSION
  std::string term = "xterm-ghostty";               // XTGETTCAP TN
  std::uint32_t foreground = 0xffffff, background = 0x282c34, cursor = 0xffffff;
  std::map<std::uint8_t, std::uint32_t> palette;    // entries that differ from xterm's 256 colours
  bool dark = true;                                 // CSI ? 996 n
  std::uint16_t cell_width = 8, cell_height = 16;   // pixels; used when Size has none
  // What is left to a terminal that is nobody's window, as `hold debug vt` is. In a session all of it is off.
  bool resizes = false;         // the program sets the size: DECCOLM, DECSLPP, DECSCPP, DECSNLS, CSI 8 t
  bool reports_titles = false;  // CSI 20 t and 21 t: the answer holds what the program set
  bool plain_checksums = false; // DECRQCRA counts characters only, not their attributes (xterm's checksumExtension)
};

enum class EventKind : std::uint8_t {
  bell,
  title,            // text: the effective window title
  working_directory,// text: OSC 7 as received
  notification,     // text: OSC 9 or 777, "title\nbody"
  progress,         // number: state << 8 | percent
  status_7501,      // text: the payload
  clipboard,        // text: OSC 52 write, "selection;base64"
};

struct Event {
  EventKind kind;
  std::string_view text;
  std::uint32_t number = 0;
};

class Sink {
 public:
  virtual ~Sink() = default;
  // Bytes for the program, caused by the sequence that ended at `offset` (one past its last byte).
  virtual void reply(std::uint64_t offset, std::string_view bytes) = 0;
  virtual void event(std::uint64_t offset, const Event& event) = 0;
};

struct Options {
  Size size;
  HistoryLimits history;
  Profile profile = Profile::ghostty;
};

class Parser;

class Terminal {
 public:
  explicit Terminal(const Options& options);
  // Continues from a decoded snapshot's state (vt/snapshot.h).
  Terminal(State state, Profile profile);
  Terminal(Terminal&&) noexcept;
  Terminal& operator=(Terminal&&) noexcept;
  ~Terminal();

  // Parses the bytes, the first of which has offset state().offset. May be cut anywhere.
  void feed(std::string_view bytes, Sink& sink);
  // Takes a new size: primary reflows, alternate is cut or padded, margins are reset, tab stops kept.
  // A size equal to the present one only takes over the pixels. Sizes are clamped to limits.h.
  // With mode ?2048 set, reports the new size through the sink.
  void resize(const Size& size, Sink& sink);
  void set_client_profile(const ClientProfile& profile);

  const State& state() const { return *state_; }
  State& mutable_state() { return *state_; }
  Profile profile() const;

 private:
  std::unique_ptr<State> state_;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::vt
