#include "base/json.h"

// The library may not throw across our functions: its parser reports through a handler, its writer replaces bad bytes.
#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace holdfast {
namespace {

constexpr std::size_t kDepthMax = 64;  // levels; nobody's message is deeper, and the stack of a reader is not endless

const Json kNull;
const Json::Array kNoItems;
const Json::Object kNoMembers;

// Builds a Json while the text is read; keeps the first complaint.
class Builder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = std::string;
  using binary_t = nlohmann::json::binary_t;

  bool null() { return add(Json()); }
  bool boolean(bool v) { return add(Json(v)); }
  bool number_integer(number_integer_t v) { return add(Json(static_cast<std::int64_t>(v))); }
  bool number_unsigned(number_unsigned_t v) {
    // What does not fit keeps its size, not its last digits.
    if (v > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
      return add(Json(static_cast<double>(v)));
    return add(Json(static_cast<std::int64_t>(v)));
  }
  bool number_float(number_float_t v, const std::string&) { return add(Json(static_cast<double>(v))); }
  bool string(std::string& v) { return add(Json(std::move(v))); }
  bool binary(binary_t&) { return false; }
  bool key(std::string& v) {
    keys_.back() = std::move(v);
    return true;
  }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  template <typename Exception>
  bool parse_error(std::size_t position, const std::string&, const Exception&) {
    if (problem_.empty()) problem_ = "it is malformed at byte " + std::to_string(position);
    return false;
  }

  const std::string& problem() const { return problem_; }
  Json take() { return std::move(root_); }

 private:
  bool open(Json container) {
    if (open_.size() == kDepthMax) {
      problem_ = "it is nested more than " + std::to_string(kDepthMax) + " levels deep";
      return false;
    }
    open_.push_back(std::move(container));
    keys_.emplace_back();
    return true;
  }

  bool close() {
    Json finished = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return add(std::move(finished));
  }

  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_object()) {
      open_.back().append_member(std::move(keys_.back()), std::move(value));
    } else {
      open_.back().push(std::move(value));
    }
    return true;
  }

  Json root_;
  std::vector<Json> open_;         // containers not closed yet, outermost first
  std::vector<std::string> keys_;  // the key in hand of each of them
  std::string problem_;
};

using Foreign = nlohmann::ordered_json;

Foreign to_foreign(const Json& json) {
  if (json.is_object()) {
    Foreign result = Foreign::object();
    auto& members = result.get_ref<Foreign::object_t&>();
    members.reserve(json.members().size());
    // emplace_back instead of []: the latter searches all members before it.
    for (const auto& [name, value] : json.members()) members.emplace_back(name, to_foreign(value));
    return result;
  }
  if (json.is_array()) {
    Foreign result = Foreign::array();
    for (const Json& item : json.items()) result.push_back(to_foreign(item));
    return result;
  }
  if (json.is_string()) return json.as_string();
  if (json.is_bool()) return json.as_bool();
  if (json.is_integer()) return json.as_int();
  if (json.is_number()) return json.as_double();
  return nullptr;
}

template <typename Members>
auto find_member(Members& members, std::string_view name) {
  return std::find_if(members.begin(), members.end(), [&](const Json::Member& m) { return m.first == name; });
}

}  // namespace

bool Json::as_bool(bool fallback) const {
  const bool* v = std::get_if<bool>(&value_);
  return v ? *v : fallback;
}

std::int64_t Json::as_int(std::int64_t fallback) const {
  if (const std::int64_t* v = std::get_if<std::int64_t>(&value_)) return *v;
  if (const double* v = std::get_if<double>(&value_)) {
    // Beyond these bounds the conversion would be undefined.
    if (*v >= -9.2e18 && *v <= 9.2e18) return static_cast<std::int64_t>(*v);
  }
  return fallback;
}

double Json::as_double(double fallback) const {
  if (const double* v = std::get_if<double>(&value_)) return *v;
  if (const std::int64_t* v = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*v);
  return fallback;
}

std::string Json::as_string(std::string fallback) const {
  const std::string* v = std::get_if<std::string>(&value_);
  return v ? *v : std::move(fallback);
}

const Json::Array& Json::items() const {
  const Array* v = std::get_if<Array>(&value_);
  return v ? *v : kNoItems;
}

const Json::Object& Json::members() const {
  const Object* v = std::get_if<Object>(&value_);
  return v ? *v : kNoMembers;
}

const Json& Json::get(std::string_view name) const {
  const Object& all = members();
  const auto found = find_member(all, name);
  return found == all.end() ? kNull : found->second;
}

Json& Json::set(std::string_view name, Json value) {
  if (is_null()) value_ = Object{};
  Object* all = std::get_if<Object>(&value_);
  CHECK(all != nullptr);
  const auto found = find_member(*all, name);
  if (found != all->end()) {
    found->second = std::move(value);
  } else {
    all->emplace_back(std::string(name), std::move(value));
  }
  return *this;
}

void Json::append_member(std::string name, Json value) {
  Object* all = std::get_if<Object>(&value_);
  CHECK(all != nullptr);
  all->emplace_back(std::move(name), std::move(value));
}

Json& Json::push(Json value) {
  if (is_null()) value_ = Array{};
  Array* all = std::get_if<Array>(&value_);
  CHECK(all != nullptr);
  all->push_back(std::move(value));
  return *this;
}

std::string Json::dump(int indent) const {
  return to_foreign(*this).dump(indent, ' ', false, Foreign::error_handler_t::replace);
}

Result<Json> Json::parse(std::string_view text) {
  Builder builder;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    return fail(ErrorKind::failed, "read JSON", builder.problem());
  }
  return builder.take();
}

}  // namespace holdfast
