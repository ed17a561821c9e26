#include "base/text.h"
#include "cli/console.h"
#include "cli/session_access.h"
#include "cli/several.h"
#include "cli/verbs.h"
#include "client/roster.h"

namespace holdfast::cli {

namespace {

using Life = store::SessionStore::Life;

// The holder removes its own session. Where none is left to do it, we do.
Result<Json> remove_one(store::SessionStore& store, const std::string& handle) {
  const auto entry = TRY(find_session(store, handle));
  const std::string name = entry.manifest.name();
  if (entry.life == Life::elsewhere) return std::unexpected(reach(store, entry).error());
  if (entry.life != Life::lost) {
    auto reached = reach(store, entry);
    if (reached) {
      TRY(ask(*reached, wire::Type::remove, Json::object(), kAnswerWait));
      return Json::object().set("name", name).set("id", entry.id).set("removed", true);
    }
    // One that keeps a screen and is stopped still has its lock.
    const bool is_silent = reached.error().kind == ErrorKind::timeout;
    if (entry.life != Life::exited || is_silent) return std::unexpected(reached.error());
  }
  client::remove_stale_socket(entry.manifest);
  TRY(store.remove(entry.id, store::SessionStore::Lock::of_others));
  return Json::object().set("name", name).set("id", entry.id).set("removed", true);
}

Result<std::vector<std::string>> all_ended(const store::SessionStore& store) {
  std::vector<std::string> ids;
  for (const auto& session : TRY(store.list())) {
    if (session.life == Life::exited || session.life == Life::lost) ids.push_back(session.id);
  }
  return ids;
}

// What a call that does not name the sessions did to which.
void say_removed(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + printable(name);
  print("removed " + std::to_string(names.size()) + ": " + text + "\n");
}

}  // namespace

int run_rm(const Arguments& arguments) {
  auto store = open_store();
  if (!store) return report(store.error(), arguments.json());
  std::vector<std::string> handles = arguments.operands();
  if (arguments.has("--exited")) {
    auto ended = all_ended(*store);
    if (!ended) return report(ended.error(), arguments.json());
    handles.insert(handles.end(), ended->begin(), ended->end());
  } else if (handles.empty()) {
    return report(
        {ErrorKind::usage, "run hold rm", "NAME is missing", "give a name, or --exited for all that have ended"},
        arguments.json());
  }
  const bool says = arguments.has("--exited") && !arguments.json();
  if (says && handles.empty()) print("nothing to remove\n");
  std::vector<std::string> removed;
  const int code = for_each_session(handles, arguments.json(), [&](const std::string& handle) {
    auto done = remove_one(*store, handle);
    if (done) removed.push_back(done->get("name").as_string());
    return done;
  });
  if (says && !removed.empty()) say_removed(removed);
  return code;
}

}  // namespace holdfast::cli
