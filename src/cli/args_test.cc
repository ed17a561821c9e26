#include "cli/args.h"

#include <doctest/doctest.h>

#include <array>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr std::array kOptions{OptionRow{"--name", 'n', "NAME", false, Completes::nothing, ""},
                              OptionRow{"--detached", 'd', "", false, Completes::nothing, ""},
                              OptionRow{"--env", 'e', "K=V", true, Completes::nothing, ""}};
constexpr VerbRow kVerb{"start", "", "", "", "", kOptions, {"FILE", 0, 1, Completes::nothing}, Rest::command, nullptr};
constexpr VerbRow kNoRest{"list", "", "", "", "", kOptions, {"NAME", 1, 2, Completes::nothing}, Rest::none, nullptr};
constexpr VerbRow kTyping{"type",     "",     "", "", "", kOptions, {"NAME TEXT", 1, -1, Completes::nothing},
                          Rest::text, nullptr};

Result<Arguments> parse(std::vector<std::string> words, const VerbRow& verb = kVerb) {
  return Arguments::parse(verb, words);
}

std::string problem(std::vector<std::string> words, const VerbRow& verb = kVerb) {
  const auto arguments = parse(std::move(words), verb);
  if (arguments) return "";
  CHECK(arguments.error().kind == ErrorKind::usage);
  CHECK_FALSE(arguments.error().advice.empty());
  return arguments.error().problem;
}

}  // namespace

TEST_CASE("options are taken long, with =, short and grouped, before and after operands") {
  const auto arguments = parse({"file", "--name", "a", "-de", "x=1", "--env=y=2", "-ez=3"});
  REQUIRE(arguments);
  CHECK(arguments->value("--name") == "a");
  CHECK(arguments->has("--detached"));
  CHECK(arguments->values("--env") == std::vector<std::string>{"x=1", "y=2", "z=3"});
  CHECK(arguments->operand(0) == "file");
  CHECK_FALSE(arguments->has_rest());
}

TEST_CASE("JSON is asked for by --json before --, and by --format json where --json means the same") {
  static constexpr std::array kWithFormat{OptionRow{"--format", 'f', "FORMAT", false, Completes::format, ""},
                                          OptionRow{"--json", 0, "", false, Completes::nothing, ""}};
  constexpr VerbRow kReading{"show",     "",     "", "", "", kWithFormat, {"NAME", 1, 1, Completes::session},
                             Rest::none, nullptr};
  constexpr VerbRow kFeeding{
      "feed", "", "", "", "", std::span(kWithFormat).first(1), {{}, 0, 0, Completes::nothing}, Rest::none, nullptr};
  CHECK(parse({"x", "--json"}, kReading)->json());
  CHECK(parse({"x", "-fjson"}, kReading)->json());
  CHECK_FALSE(parse({"x", "--format", "html"}, kReading)->json());
  CHECK_FALSE(parse({"--format", "json"}, kFeeding)->json());
  using Words = std::vector<std::string>;
  CHECK(asks_for_json(Words{"--nonsense", "--json", "x"}));
  CHECK_FALSE(asks_for_json(Words{"x", "--", "--json"}));
  CHECK_FALSE(asks_for_json(Words{}));
}

TEST_CASE("behind -- everything is the command's, also what looks like an option") {
  const auto arguments = parse({"-d", "--", "ls", "--name", "-x", "--"});
  REQUIRE(arguments);
  CHECK(arguments->rest() == std::vector<std::string>{"ls", "--name", "-x", "--"});
  CHECK_FALSE(arguments->value("--name"));
}

TEST_CASE("two values of an option that takes one are an error, however they are written; a switch may be repeated") {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"--name", "a", "--name", "a"}, {"--name=a", "-n", "b"}, {"-na", "-nb"}, {"-n", "a", "--name=b"}}) {
    CHECK(problem(words) == "--name is given twice");
  }
  CHECK(parse({"-d", "-dd", "--detached"}));
}

TEST_CASE("an unknown option is an error that names a similar one") {
  const auto arguments = parse({"--nmae", "x"});
  REQUIRE_FALSE(arguments);
  CHECK(arguments.error().message() == "cannot run hold start: there is no option --nmae; did you mean --name?");
  CHECK(problem({"-x"}) == "there is no option -x");
}

TEST_CASE("missing and unwanted values are errors") {
  CHECK(problem({"--name"}) == "--name needs a value");
  CHECK(problem({"--name", "--"}) == "--name needs a value");
  CHECK(problem({"--name", "--detached"}) == "--name needs a value, and --detached looks like an option");
  CHECK(problem({"--detached=yes"}) == "--detached takes no value");
  CHECK(parse({"--name=--detached"})->value("--name") == "--detached");
  CHECK(parse({"--name="})->value("--name") == "");
}

TEST_CASE("too few and too many operands are errors; a command without -- is explained") {
  CHECK(problem({}, kNoRest) == "NAME is missing");
  CHECK(problem({}, kTyping) == "NAME is missing");
  constexpr VerbRow kFinding{"find", "", "", "", "", kOptions, OperandRow{"NAME REGEX", 2, 2, Completes::nothing}, Rest::none, nullptr};
  CHECK(problem({}, kFinding) == "NAME is missing");
  CHECK(problem({"a"}, kFinding) == "REGEX is missing");
  CHECK(problem({"a", "b", "c"}, kNoRest) == "'c' is one word too many");
  CHECK(problem({"a", "--", "b"}, kNoRest) == "it takes nothing behind --");
  const auto arguments = parse({"a", "vim"});
  REQUIRE_FALSE(arguments);
  CHECK(arguments.error().advice == "write the command behind --: hold start … -- vim");
  CHECK(problem({"--"}) == "there is no command behind --");
}

TEST_CASE("help is asked for without the operands that are missing") {
  CHECK(parse({"--help"}, kNoRest)->wants_help());
  CHECK(parse({"-h"}, kNoRest)->wants_help());
}

TEST_CASE("similar words are near ones only") {
  const std::vector<std::string_view> words{"attach", "detach", "ls"};
  CHECK(similar_word("atach", words) == "attach");
  CHECK(similar_word("dettach", words) == "detach");
  CHECK_FALSE(similar_word("zebra", words));
  CHECK_FALSE(similar_word("", words));
  CHECK_FALSE(similar_word(std::string(10'000, 'a'), words));
}

TEST_CASE("sizes are COLSxROWS that programs can draw on") {
  const auto size = parse_cell_size("120x40");
  REQUIRE(size);
  CHECK(size->cols == 120);
  CHECK(size->rows == 40);
  for (const char* bad : {"", "x", "80", "80x", "x24", "80X24", "-1x24", "80x24x1", "9x24", "80x1", "5000x24",
                          "80x3000", "0x0", "99999999999999999999x1", "80 x24"}) {
    CAPTURE(bad);
    const auto wrong = parse_cell_size(bad);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().kind == ErrorKind::usage);
  }
}

TEST_CASE("assignments and counts say what they want") {
  CHECK(parse_assignment("--env", "A=b=c")->second == "b=c");
  CHECK(parse_assignment("--env", "A=")->second.empty());
  CHECK_FALSE(parse_assignment("--env", "A"));
  CHECK_FALSE(parse_assignment("--env", "=b"));
  CHECK(*parse_count("--rows", "7", 1, 9) == 7);
  CHECK(parse_count("--rows", "0", 1, 9).error().message() ==
        "cannot use --rows '0': it is not a number from 1 to 9; write for example --rows 5");
  CHECK_FALSE(parse_count("--rows", "7x", 1, 9));
}
