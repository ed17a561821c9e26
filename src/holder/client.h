// Client: one connection to the holder, as the session sees it. A record; what happens to it, Session decides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/limits.h"
#include "holder/flow_rule.h"
#include "holder/leader_rule.h"
#include "holder/ledger.h"
#include "holder/output.h"
#include "loop/loop.h"
#include "wire/frame.h"
#include "wire/messages.h"
#include "wire/terminal_input.h"

namespace holdfast::holder {

enum class Stage : std::uint8_t {
  greeting,  // hello is due
  open,      // may ask; is not attached
  attached,
  leaving,   // gets what undoes the session, then its connection ends
  closing,   // gets what is queued, then its connection ends
  gone,      // is removed at the end of the turn
};

struct Client {
  Client(ClientId number, Fd connection)
      : id(number), socket(std::move(connection)), decoder(limits::kControlBytesMax) {}

  const ClientId id;
  Fd socket;
  Stage stage = Stage::greeting;
  wire::FrameDecoder decoder;
  Output output;
  bool held = false;            // its input waits until the program reads
  bool blocked = false;         // its socket takes no more
  bool end_of_input = false;    // it will send nothing any more

  // Attached
  std::string name;
  bool observe = false;
  wire::TermSize size;
  wire::Clusters clusters = wire::Clusters::unknown;  // what the shadow terminal was told of its terminal
  Instant last_active;
  wire::InputScanner scanner;
  bool discard_token = false;   // the token it is in the middle of began while it led
  // Leading: its input is cut into tokens as an observer's is, because not all of it may be for the program.
  bool cut = false;
  Ledger ledger;
  bool told_end = false;
  DrainMeter meter;

  // Pictures
  std::uint64_t picture_id = 0;   // what VTD was asked for; 0 = nothing is due
  std::uint64_t live_from = 0;    // offset of the restore it is live behind
  std::uint64_t viewed_to = 0;    // offset of the last view asked for
  bool view_due = false;          // the next view is due whatever was printed
  bool must_drain = false;        // stalled: the socket was full and has not been writable since
  Instant viewed_at, resynced_at;

  std::string farewell;  // frame sent after the undo
  std::optional<loop::TimerId> hello_timer, escape_timer, leave_timer, resync_timer;
};

}  // namespace holdfast::holder
