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
      item.set("error", wire::error_json(0, done.error()));
    }
    sessions.push(std::move(item));
  }
  if (json) print_json(json_answer().set("sessions", std::move(sessions)));
  if (failures == 0) return 0;
  return failures == names.size() ? first_code : exit_code_of(ErrorKind::partly);
}

}  // namespace holdfast::cli
