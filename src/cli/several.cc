#include "cli/several.h"

#include "cli/console.h"
#include "wire/messages.h"

namespace holdfast::cli {

int for_each_session(const std::vector<std::string>& names, bool json,
                     const std::function<Result<Json>(const std::string&)>& action) {
  Json sessions = Json::array();
  std::size_t failures = 0;
  int first_code = 0;
  for (const auto& name : names) {
    Json item = Json::object().set("name", name);
    auto done = action(name);
    if (done) {
      for (const auto& [key, value] : done->members()) item.set(key, value);
    } else {
      const int code = report(done.error());
      if (failures++ == 0) first_code = code;
      Json error = wire::error_json(0, done.error());
      error.remove("id");
      item.set("error", std::move(error));
    }
    sessions.push(std::move(item));
  }
  if (json) print(Json::object().set("schema", 1).set("sessions", std::move(sessions)).dump() + "\n");
  if (failures == 0) return 0;
  return failures == names.size() ? first_code : exit_code_of(ErrorKind::partly);
}

}  // namespace holdfast::cli
