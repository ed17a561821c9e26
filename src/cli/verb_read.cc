#include "base/json.h"
#include "cli/console.h"
#include "cli/session_access.h"
#include "cli/verbs.h"
#include "wire/messages.h"

namespace holdfast::cli {

namespace {

Result<wire::ReadRows> wanted(const Arguments& arguments) {
  wire::ReadRows read;
  read.all = arguments.has("--all");
  read.unwrap = arguments.has("--unwrap");
  read.written = true;
  if (const auto rows = arguments.value("--rows")) read.rows = TRY(parse_count("--rows", *rows, 1, wire::kReadRowsMax));
  read.format = arguments.has("--json") ? "json" : arguments.value("--format").value_or("plain");
  if (wire::is_read_format(read.format)) return read;
  return fail(ErrorKind::usage, "use --format '" + read.format + "'", "there is no such format",
              "write plain, vt, html or json");
}

// `begun`: whether something of the screen was printed, so that no error object may follow it.
Result<> read_session(const Arguments& arguments, bool& begun) {
  const wire::ReadRows read = TRY(wanted(arguments));
  auto [entry, connection] = TRY(reach(arguments.operand(0)));
  const bool json = read.format == "json";
  std::string head;
  if (json) {
    // The screen's own object, led by whose it is. Said with the first piece: an error must not follow half an object.
    head = json_answer().set("id", entry.id).set("name", entry.manifest.name()).dump();
    head.back() = ',';
    head += "\"screen\":";
  }
  const auto sink = [&head, &begun](std::string_view bytes) -> Result<> {
    begun = true;
    const bool printed = print(head) && print(bytes);
    head.clear();
    if (printed) return {};
    return fail(ErrorKind::failed, "print the screen", "standard output takes no more");
  };
  auto done =
      connection.request_data(wire::Type::read_rows, wire::to_json(read), kAnswerWait, system_clock(), sink);
  if (!done && done.error().kind == ErrorKind::timeout) return no_answer(entry);
  if (!done) return done;
  if (json) print("}\n");
  return {};
}

}  // namespace

int run_read(const Arguments& arguments) {
  bool begun = false;
  if (auto done = read_session(arguments, begun); !done) return report(done.error(), arguments.json() && !begun);
  return 0;
}

}  // namespace holdfast::cli
