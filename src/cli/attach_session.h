// Attaching a person's terminal to a session, and the line that says how it went: shared by `new`, `attach` and `hold`.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/args.h"
#include "client/attach_terminal.h"

namespace holdfast::cli {

struct AttachTarget {
  std::string id, name, socket;
  bool fresh = false;  // started just now
  bool observe = false;
};

// A person's terminal, taken: from here on no key is lost, and none ends this process.
struct AttachTerminal {
  client::DetachKey detach_key;
  client::Tty tty;
};
// What is checked before a session is started only to be attached to: there is a terminal, the detach key is one.
Result<AttachTerminal> prepare_attach(const Arguments& arguments);
// Only whether the call's detach key is one: for a call that will not attach, and should not accept nonsense.
Result<> check_detach_key(const Arguments& arguments);

// Attaches, waits for the end, says it. Gives the exit code: 0 when left or when the program ended well, 5 when it
// ended otherwise, 1 when the attachment broke. Errors: as attach_terminal's, refused for the
// session one is in, no_answer(), at once if its holder is stopped.
Result<int> attach_session(const AttachTarget& target, AttachTerminal terminal);

// The line after an attachment, without its line end.
std::string ending_line(const client::AttachEnd& end, const std::string& name);
// What is said behind it of a session whose pictures may not have been exact.
std::string rebuilt_line(const std::string& name);
int ending_code(const client::AttachEnd& end);

}  // namespace holdfast::cli
