#include "cli/start_session.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <optional>

#include "base/ids.h"
#include "base/limits.h"
#include "base/paths.h"
#include "base/sys.h"
#include "base/text.h"
#include "cli/environment.h"
#include "cli/session_access.h"
#include "keeper/launch.h"
#include "pty/pty.h"
#include "pty/spawn.h"
#include "store/config.h"
#include "store/manifest.h"
#include "store/session_store.h"

namespace holdfast::cli {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Directory {
  std::string path;
  Fd fd;
};

// Name and value of a label, bytes: they end up in lists and in the manifest.
constexpr std::size_t kLabelBytesMax = 1024;
// All labels must fit a control frame with room to spare.
constexpr std::size_t kLabelsMax = 32;

Result<Directory> open_directory(const std::optional<std::string>& wanted) {
  std::string path;
  if (wanted) {
    path = *wanted;
  } else {
    char* here = ::getcwd(nullptr, 0);
    if (here == nullptr) return fail_errno("use the directory you are in", errno, "go to one that exists: cd");
    path = here;
    ::free(here);
  }
  const std::string attempted = "start in '" + path + "'";
  if (path.empty()) return fail(ErrorKind::usage, attempted, "the directory has no name", "write --cwd DIR");
  // O_PATH: a directory one may enter is enough, it need not be readable.
  Fd fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return fail_errno(attempted, errno, "choose another directory with --cwd");
  if (::faccessat(fd.get(), ".", X_OK, AT_EACCESS) != 0) {
    return fail_errno(attempted, errno, "choose a directory you may enter with --cwd");
  }
  if (path[0] != '/') {
    char* whole = ::realpath(path.c_str(), nullptr);
    if (whole == nullptr) return fail_errno(attempted, errno, "choose another directory with --cwd");
    path = whole;
    ::free(whole);
  }
  return Directory{std::move(path), std::move(fd)};
}

Result<Pairs> assignments(const Arguments& arguments, std::string_view option) {
  Pairs pairs;
  for (const auto& text : arguments.values(option)) pairs.push_back(TRY(parse_assignment(option, text)));
  return pairs;
}

Result<Pairs> labels_of(const Arguments& arguments) {
  Pairs labels = TRY(assignments(arguments, "--label"));
  if (labels.size() > kLabelsMax) {
    return fail(ErrorKind::usage, "label the session", "there are more than " + std::to_string(kLabelsMax) + " labels",
                "give fewer");
  }
  for (const auto& [key, value] : labels) {
    if (key.size() + value.size() <= kLabelBytesMax) continue;
    return fail(ErrorKind::usage, "set the label '" + printable(key, 32) + "'",
                "it is longer than " + std::to_string(kLabelBytesMax) + " bytes", "shorten it");
  }
  return labels;
}

// The terminal of the one who starts it: its size and line settings (the erase key) are the session's first.
struct CreatingTerminal {
  std::optional<pty::Size> size;
  std::optional<termios> settings;
};

CreatingTerminal creating_terminal() {
  CreatingTerminal terminal;
  termios settings{};
  if (::tcgetattr(STDIN_FILENO, &settings) != 0) return terminal;
  terminal.settings = settings;
  if (auto size = pty::get_size(STDIN_FILENO)) {
    if (size->cols >= limits::kLeaderColsMin && size->rows >= limits::kLeaderRowsMin) terminal.size = *size;
  }
  return terminal;
}

Result<pty::Size> first_size(const Arguments& arguments, const CreatingTerminal& terminal) {
  pty::Size size = terminal.size.value_or(pty::Size{});
  if (const auto text = arguments.value("--size")) {
    const CellSize cells = TRY(parse_cell_size(*text));
    size = pty::Size{cells.cols, cells.rows, 0, 0};
  }
  return size;
}

std::string base_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

// Everything a start needs, checked.
struct Plan {
  Directory directory;
  std::vector<std::string> argv;
  std::string argv0;
  Pairs extra, labels;
  CreatingTerminal terminal;
  pty::Size size;
  store::Config config;
};

Result<Plan> make_plan(const Arguments& arguments, const std::optional<std::string>& name) {
  if (name) TRY(check_session_name(*name));
  Plan plan;
  plan.directory = TRY(open_directory(arguments.value("--cwd")));
  plan.argv = arguments.rest();
  if (plan.argv.empty()) {
    plan.argv = {paths::login_shell()};
    plan.argv0 = "-" + base_name(plan.argv[0]);
  }
  plan.extra = TRY(assignments(arguments, "--env"));
  plan.labels = TRY(labels_of(arguments));
  plan.terminal = creating_terminal();
  plan.size = TRY(first_size(arguments, plan.terminal));
  plan.config = TRY(store::read_config(paths::config_file()));
  return plan;
}

const char* flow_name(store::Flow flow) {
  switch (flow) {
    case store::Flow::automatic:
      return "auto";
    case store::Flow::lossless:
      return "lossless";
    case store::Flow::latest:
      return "latest";
  }
  return "auto";
}

Result<> write_manifest(const Plan& plan, const store::SessionStore::Created& created, const std::string& socket,
                        const std::string& term) {
  store::NewSession session;
  session.id = created.id;
  session.name = created.name;
  session.argv = plan.argv;
  session.cwd = plan.directory.path;
  session.term = term;
  session.cols = plan.size.cols;
  session.rows = plan.size.rows;
  session.history_rows = plan.config.history_rows;
  session.history_bytes = plan.config.history_bytes;
  session.sleep_after_s = plan.config.sleep_after_s;
  session.flow = flow_name(plan.config.flow);
  session.socket = socket;
  session.labels = plan.labels;
  session.wall_ms = system_clock().wall_ms();
  return store::new_manifest(session).write_to(created.directory.get(), sys::Durable::no);
}

// Errors of the file system, said as what they mean here.
Error of_record(Error error) {
  if (error.kind != ErrorKind::failed) return error;
  error.attempted = "write the record of the new session in " + paths::state_dir();
  if (error.advice.empty()) error.advice = "choose another place with XDG_STATE_HOME";
  return error;
}

Error of_sockets(Error error, const std::string& sockets) {
  const bool about_place = error.attempted.find(sockets) != std::string::npos;
  if (about_place && error.advice.empty()) error.advice = "choose another place for sockets with HOLDFAST_RUNTIME_DIR";
  return error;
}

Result<Started> launch(const Plan& plan, const store::SessionStore::Created& created, Start how) {
  const std::string sockets = paths::socket_dir();
  SessionIdentity identity;
  identity.id = created.id;
  identity.name = created.name;
  identity.socket = sockets + "/" + paths::socket_name(created.id);
  identity.directory = plan.directory.path;
  identity.attached = how == Start::attached;
  identity.extra = plan.extra;
  keeper::LaunchSpec spec;
  spec.environment = session_environment(own_environment(), identity, terminfo_installed);
  auto written = write_manifest(plan, created, identity.socket, environment_value(spec.environment, "TERM"));
  if (!written) return std::unexpected(of_record(std::move(written).error()));
  spec.id = created.id;
  spec.name = created.name;
  spec.argv = plan.argv;
  spec.argv0 = plan.argv0;
  spec.cwd = plan.directory.fd.get();
  spec.size = plan.size;
  spec.line_settings = plan.terminal.settings;
  spec.session_directory = created.directory.get();
  spec.lock = created.lock.get();
  spec.socket_directory = sockets;
  auto launched = keeper::launch(spec);
  if (!launched) return std::unexpected(of_sockets(std::move(launched).error(), sockets));
  return Started{created.id, created.name, identity.socket};
}

}  // namespace

Result<Started> start_session(const Arguments& arguments, const std::optional<std::string>& name, Start how) {
  const Plan plan = TRY(make_plan(arguments, name));
  auto store = TRY(open_store());
  client::summon_broken(store, system_clock());  // a name whose session lives is not free, though its record is gone
  const std::string default_name = default_session_name(base_name(plan.argv[0]), base_name(plan.directory.path));
  const auto created = store.create(name.value_or(""), default_name, system_clock().wall_ms());
  if (!created) return std::unexpected(of_record(created.error()));
  auto started = launch(plan, *created, how);
  if (!started) store.undo_create(*created);
  return started;
}

}  // namespace holdfast::cli
