// A JSON value: what control messages, manifests and `--json` answers are made of.
//
// Small on purpose, so that the heavy library stays inside json.cc. Objects keep the order of their members
// (a manifest must come back as it was written, with fields we do not know in their place).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace holdfast {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool v) : value_(v) {}
  Json(int v) : value_(std::int64_t{v}) {}
  Json(unsigned v) : value_(std::int64_t{v}) {}
  Json(std::int64_t v) : value_(v) {}
  Json(std::uint64_t v) : value_(static_cast<std::int64_t>(v)) {}  // offsets stay far below 2^63
  Json(long long v) : value_(static_cast<std::int64_t>(v)) {}
  Json(double v) : value_(v) {}
  Json(const char* v) : value_(std::string(v)) {}
  Json(std::string v) : value_(std::move(v)) {}
  Json(std::string_view v) : value_(std::string(v)) {}
  Json(Array v) : value_(std::move(v)) {}
  Json(Object v) : value_(std::move(v)) {}

  static Json object() { return Json(Object{}); }
  static Json array() { return Json(Array{}); }

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_number() const {
    return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<double>(value_);
  }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }

  // Lenient readers for data of others: the value if it has the type, else the fallback.
  bool as_bool(bool fallback = false) const;
  std::int64_t as_int(std::int64_t fallback = 0) const;
  double as_double(double fallback = 0) const;
  std::string as_string(std::string fallback = {}) const;
  const Array& items() const;     // empty unless an array
  const Object& members() const;  // empty unless an object

  // The member of that name, or null. `get("a")` on anything but an object is null. Of members with equal names (only
  // foreign text has them) the first counts.
  const Json& get(std::string_view name) const;
  // Sets a member (replaces in place, else appends); turns null into an object. Returns *this for chaining.
  // CHECKs that this is an object or null.
  Json& set(std::string_view name, Json value);
  // Appends a member to an object without looking for one of that name: linear work for a large object.
  void append_member(std::string name, Json value);
  // Appends to an array; turns null into an array. CHECKs that this is an array or null.
  Json& push(Json value);

  friend bool operator==(const Json&, const Json&) = default;

  // Text without line breaks, or indented by `indent` blanks a level. Bytes that are not UTF-8 become U+FFFD.
  std::string dump(int indent = -1) const;
  // RFC 8259. Errors: malformed text, nesting over 64 levels.
  static Result<Json> parse(std::string_view text);

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

}  // namespace holdfast
