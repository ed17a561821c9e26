#include "base/json.h"

#include <doctest/doctest.h>

namespace holdfast {

TEST_CASE("members come back in the order in which they were written") {
  const std::string text = R"({"z":1,"a":{"y":[1,2.5,"x",null,true]},"m":-7})";
  const auto json = Json::parse(text);
  REQUIRE(json);
  CHECK(json->dump() == text);
}

TEST_CASE("indented text parses to the same value") {
  Json json;
  json.set("name", "build")
      .set("labels", Json::object().set("a b", "c/d:e"))
      .set("sizes", Json::array().push(80).push(24));
  CHECK(*Json::parse(json.dump(2)) == json);
  CHECK(json.dump(2).find("\n  \"labels\"") != std::string::npos);
}

TEST_CASE("setting a member replaces it in its place") {
  Json json;
  json.set("a", 1).set("b", 2).set("a", "new");
  CHECK(json.dump() == R"({"a":"new","b":2})");
}

TEST_CASE("readers of the wrong type give their fallback") {
  const Json json = *Json::parse(R"({"n":5,"f":1.5,"s":"t","huge":1e300})");
  CHECK(json.get("n").as_int() == 5);
  CHECK(json.get("n").as_double() == 5.0);
  CHECK(json.get("f").as_int() == 1);
  CHECK(json.get("huge").as_int(-1) == -1);
  CHECK(json.get("s").as_int(9) == 9);
  CHECK(json.get("s").as_bool(true));
  CHECK(json.get("n").as_string("no") == "no");
  CHECK(json.get("absent").is_null());
  CHECK(json.get("s").get("deeper").is_null());
  CHECK(json.get("s").items().empty());
  CHECK(json.get("s").members().empty());
}

TEST_CASE("malformed text is an error that names the byte") {
  for (const char* text : {"", "{", "[1,]", "{\"a\":}", "nul", "1 2", "\"\xff\"", "{\"a\" 1}", "\"\n\"", "1e999"}) {
    CAPTURE(text);
    const auto json = Json::parse(text);
    REQUIRE_FALSE(json);
    CHECK(json.error().message().find("byte") != std::string::npos);
  }
}

TEST_CASE("64 levels are read and 65 are refused") {
  CHECK(Json::parse(std::string(64, '[') + std::string(64, ']')));
  const auto deeper = Json::parse(std::string(65, '[') + std::string(65, ']'));
  REQUIRE_FALSE(deeper);
  CHECK(deeper.error().problem.find("64 levels") != std::string::npos);
  CHECK_FALSE(Json::parse(std::string(100'000, '[')));
}

TEST_CASE("bytes that are not UTF-8 are replaced when written") {
  CHECK(Json("a\xff"
             "b")
            .dump() ==
        "\"a\xEF\xBF\xBD"
        "b\"");
  CHECK(Json("\x1b[0m\"\\").dump() == R"("\u001b[0m\"\\")");
}

TEST_CASE("integers keep all their digits up to 63 bits and their size beyond") {
  CHECK(Json::parse("9223372036854775807")->as_int() == INT64_MAX);
  CHECK(Json::parse("-9223372036854775808")->as_int() == INT64_MIN);
  CHECK(Json::parse("18446744073709551615")->as_double() == doctest::Approx(1.8446744e19));
}

TEST_CASE("of two members with one name the first counts") {
  CHECK(Json::parse(R"({"a":1,"a":2})")->get("a").as_int() == 1);
}

}  // namespace holdfast
