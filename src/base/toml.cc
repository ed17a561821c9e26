#include "base/toml.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <cstdio>

namespace holdfast {
namespace {

std::string text_of(const toml::date& d) {
  char text[32];
  std::snprintf(text, sizeof text, "%04u-%02u-%02u", unsigned{d.year}, unsigned{d.month}, unsigned{d.day});
  return text;
}

std::string text_of(const toml::time& t) {
  char text[32];
  std::snprintf(text, sizeof text, "%02u:%02u:%02u", unsigned{t.hour}, unsigned{t.minute}, unsigned{t.second});
  return text;
}

std::string text_of(const toml::date_time& t) { return text_of(t.date) + "T" + text_of(t.time); }

Json convert(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    Json result = Json::object();
    for (const auto& [key, value] : *table) result.append_member(std::string(key.str()), convert(value));
    return result;
  }
  if (const auto* array = node.as_array()) {
    Json result = Json::array();
    for (const auto& item : *array) result.push(convert(item));
    return result;
  }
  if (const auto* v = node.as_string()) return Json(v->get());
  if (const auto* v = node.as_integer()) return Json(static_cast<std::int64_t>(v->get()));
  if (const auto* v = node.as_floating_point()) return Json(v->get());
  if (const auto* v = node.as_boolean()) return Json(v->get());
  if (const auto* v = node.as_date()) return Json(text_of(v->get()));
  if (const auto* v = node.as_time()) return Json(text_of(v->get()));
  if (const auto* v = node.as_date_time()) return Json(text_of(v->get()));
  return Json();
}

}  // namespace

Result<Json> parse_toml(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(ErrorKind::failed, "read TOML",
                "line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  }
  return convert(parsed.table());
}

}  // namespace holdfast
