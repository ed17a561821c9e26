// The control messages of the session protocol as values, and their JSON (docs/protocol.md).
//
// Readers pass over what they do not know, give what is missing its default, and are strict about what would do harm
// (sizes, names). A request may carry `id`; the answer carries the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace holdfast::wire {

inline constexpr int kProtocol = 1;
inline constexpr int kInfoSchema = 1;

// Names of `hello.features`: what this holder can do, whatever its version.
namespace feature {
inline constexpr const char* kAttach = "attach";        // attach, observe, take_size, role events
inline constexpr const char* kUndo = "undo";            // detach answers with what undoes the session
inline constexpr const char* kView = "view";            // observers of another size are drawn what fits
inline constexpr const char* kReadRows = "read_rows";
inline constexpr const char* kKill = "kill";            // kill, signal, remove
}  // namespace feature

struct Hello {
  int protocol = kProtocol;
  std::vector<std::string> features;
  std::string version;
  std::string session;  // holder only: its id
};

struct TermSize {
  std::uint16_t cols = 80, rows = 24, xpixel = 0, ypixel = 0;
  friend bool operator==(const TermSize&, const TermSize&) = default;
};

// Whether a terminal joins the code points of a grapheme cluster in one cell (mode 2027).
enum class Clusters : std::uint8_t {
  unknown,  // it has not told (yet)
  told,     // as mode 2027 says
  off,      // the same; and the session, which began on this terminal, begins with the mode off, as it is there
  always,   // whatever the mode says
  never,
};

// What the client's terminal says about itself: answers to queries while nobody is attached are made from it, and the
// shadow terminal does as it does.
struct TerminalFacts {
  std::string term, term_program, term_program_version;  // environment of the client
  Clusters clusters = Clusters::unknown;                 // JSON: "told" | "off" | "always" | "never", or left out
};

// One value of a tracked variable, bytes: a socket path is shorter.
inline constexpr std::size_t kEnvironmentBytesMax = 4096;

struct Attach {
  std::int64_t id = 0;
  TermSize size;
  std::string client_id;  // chosen by the client, for people: "pts/3 of mara"
  bool observe = false;   // never leads
  bool history = true;    // false: the visible screens only (the history is in the client's scrollback already)
  TerminalFacts terminal;
  std::vector<std::pair<std::string, std::string>> environment;  // tracked variables (SSH_AUTH_SOCK …)
};
// Answer to attach: `ok` with this, then snapshot frames, then output.
struct Attached {
  std::int64_t id = 0;
  bool leader = false;  // JSON: role "leader" | "observer"
  TermSize size;        // of the PTY
};

struct Detach {
  std::int64_t id = 0;
  int kitty_flags = -1;  // the outer terminal's, if it told
};
// From an attached client: it leaves. Answer: snapshot frames of phase undo, the last with kLast; then the holder closes.
// From a connection that never attached: everyone who is attached is sent away; answer `ok` {id, detached: how many}.

// Rows that may be asked for: as many as a protocol with 16 bits for them could. The whole history is `all`.
inline constexpr std::int64_t kReadRowsMax = 65'535;
// How the rows may be written: plain, vt, html, json.
bool is_read_format(std::string_view format);

struct ReadRows {
  std::int64_t id = 0;
  std::int64_t rows = -1;  // 1 to kReadRowsMax: the last physical rows, history included; -1: the visible rows
  bool all = false, unwrap = false;
  bool written = false;    // of `rows`: blank rows below the last one with text do not count
  bool wraps = false;      // plain: a row that goes on in the next one ends in CR instead of LF, and is not trimmed
  std::string format = "plain";  // plain | vt | html | json
};
// Answer: `data` frames with the id, or error.

// The longest grace, milliseconds: nobody waits longer for a program to end by itself.
inline constexpr std::int64_t kGraceMsMax = 600'000;

struct Kill {
  std::int64_t id = 0;
  bool remove = false;      // `kill --rm`
  std::int64_t grace_ms = 3000;
};
// Answer: `ok` {id, code, signal, reason} when the program has ended (its output drained), or error.

struct Signal {
  std::int64_t id = 0;
  int number = 0;
};

struct SetMeta {  // labels to set (value) or remove (null)
  std::int64_t id = 0;
  Json labels;
};

struct Rename {
  std::int64_t id = 0;
  std::string name;
};

// One session's record: the answer to `info` is {id, info: {...}}; `hold ls --json` prints a list of the inner objects.
struct Info {
  int schema = kInfoSchema;
  std::string id, name;
  std::string life;    // starting running exited lost; the command line adds: not-responding elsewhere
  std::string state;   // what the program says it does; "unknown" where it says nothing
  std::vector<std::string> marks;  // rebuilt …
  std::vector<std::string> argv;
  std::string cwd, title, working_directory;
  TermSize size;
  std::int64_t pid = 0;
  std::int64_t created_ms = 0, last_activity_ms = 0, last_attached_ms = 0, ended_ms = 0;
  std::int64_t clients = 0;
  std::string leader;   // client_id, "" = nobody
  bool has_exit = false;
  int exit_code = -1;   // -1 = by a signal, or not known
  int exit_signal = 0;
  std::string reason;   // why it ended or what was lost, in words
  std::uint64_t offset = 0;  // bytes of output so far
  std::string version;  // of the holder
  std::vector<std::pair<std::string, std::string>> labels;
  std::string foreground;  // command of the foreground process group's leader
};

// Events to attached and subscribed clients, `event` frames {event, …}.
struct RoleEvent {  // "role"
  bool leader = false;
  TermSize size;  // of the PTY now
};
struct ExitEvent {  // "exited", after the last byte of output
  int code = -1, signal = 0;
  std::uint64_t end = 0;
  std::string reason;
};
// "resync" {reason}: what follows is a fresh picture; "detached" {reason}: the holder ends this connection next
// ("kicked", "removed", "holder stopped").

Json to_json(const Hello&);
Json to_json(const TermSize&);
Json to_json(const TerminalFacts&);
Json to_json(const Attach&);
Json to_json(const Attached&);
Json to_json(const Detach&);
Json to_json(const ReadRows&);
Json to_json(const Kill&);
Json to_json(const Signal&);
Json to_json(const SetMeta&);
Json to_json(const Rename&);
Json to_json(const Info&);
Json to_json(const RoleEvent&);
Json to_json(const ExitEvent&);

// Errors say which field is wrong.
Result<Hello> parse_hello(const Json&);
Result<TerminalFacts> parse_terminal(const Json&);
Result<Attach> parse_attach(const Json&);
Result<Detach> parse_detach(const Json&);
Result<Attached> parse_attached(const Json&);
Result<TermSize> parse_size(const Json&);  // cols, rows, xpixel, ypixel of any object that carries them
Result<ReadRows> parse_read_rows(const Json&);
Result<Kill> parse_kill(const Json&);
Result<Signal> parse_signal(const Json&);
Result<SetMeta> parse_set_meta(const Json&);
Result<Rename> parse_rename(const Json&);
Result<Info> parse_info(const Json&);
Result<ExitEvent> parse_exit_event(const Json&);

Json error_json(std::int64_t id, const Error& error);  // {id, code: ErrorKind's name, message, attempted, problem, advice}
Error parse_error(const Json&);

}  // namespace holdfast::wire
