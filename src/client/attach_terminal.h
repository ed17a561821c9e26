// The attach client: a person's terminal on one side, a session's holder on the other.
//
// Bytes of the session go to the terminal as they come; what the terminal sends goes to the holder, but for the detach
// key and answers that are the client's own. A slow terminal never blocks keys and a slow holder never blocks the
// screen. However it ends (key, session over, holder gone, a signal), the terminal is left as it was found; only
// SIGKILL and a terminal that is gone cannot be helped.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "client/detach_key_rule.h"
#include "client/tty.h"
#include "wire/messages.h"

namespace holdfast::client {

struct AttachOptions {
  std::string socket;
  std::string notice;  // one line shown before the session's screen; stays in the person's scrollback
  bool observe = false;
  bool fresh = false;  // the session was started for this terminal
  DetachKey detach_key;
  wire::TerminalFacts terminal;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string user;  // for the client's name as others see it
};

struct AttachEnd {
  enum class Why {
    detached,       // by the key
    sent_away,      // by the holder: somebody ran `hold detach`, or the session was removed
    ended,          // the session's program ended
    lost,           // the holder vanished
    terminal_gone,  // the person's terminal vanished
    signal,         // a signal ended this client
  };
  Why why = Why::detached;
  std::string reason{};                   // sent_away, lost: in words
  std::optional<wire::ExitEvent> exit{};  // ended
  int signal = 0;
  bool rebuilt = false;  // the holder said of a picture that it may not be exact
};

// Runs until the end of the attachment. Keys that wait in `tty` are the first to be read. Errors are of the start only:
// the terminal cannot be switched to raw, no holder, the holder refuses.
Result<AttachEnd> attach_terminal(const AttachOptions& options, Tty tty, const Clock& clock);

}  // namespace holdfast::client
