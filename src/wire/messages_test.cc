#include "wire/messages.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "wire/frame.h"

using namespace holdfast;
using namespace holdfast::wire;

namespace {

Json json(std::string_view text) { return Json::parse(text).value(); }

template <typename T>
std::string text(const T& message) {
  return to_json(message).dump();
}

}  // namespace

TEST_CASE("control messages are the golden JSON of docs/protocol.md") {
  CHECK(text(Hello{1, {"attach", "undo"}, "0.1.0", "01h"}) ==
        R"({"protocol":1,"features":["attach","undo"],"version":"0.1.0","session":"01h"})");
  CHECK(text(Attach{.id = 1,
                    .size = {100, 30, 800, 480},
                    .client_id = "pts/3",
                    .observe = true,
                    .terminal = {"xterm-ghostty", "ghostty", "1.2.0", Clusters::told},
                    .environment = {{"SSH_AUTH_SOCK", "/tmp/a"}}}) ==
        R"({"id":1,"cols":100,"rows":30,"xpixel":800,"ypixel":480,"client_id":"pts/3","observe":true,"history":true,)"
        R"("terminal":{"term":"xterm-ghostty","term_program":"ghostty","term_program_version":"1.2.0","clusters":"told"},)"
        R"("environment":{"SSH_AUTH_SOCK":"/tmp/a"}})");
  CHECK(text(TerminalFacts{"xterm", "", "", Clusters::never}) ==
        R"({"term":"xterm","term_program":"","term_program_version":"","clusters":"never"})");
  CHECK(text(Attached{1, true, {100, 30, 0, 0}}) ==
        R"({"id":1,"role":"leader","cols":100,"rows":30,"xpixel":0,"ypixel":0})");
  CHECK(text(Detach{2, 5}) == R"({"id":2,"kitty_flags":5})");
  CHECK(text(Detach{}) == R"({})");
  CHECK(text(TermSize{80, 24, 1, 2}) == R"({"cols":80,"rows":24,"xpixel":1,"ypixel":2})");
  CHECK(text(ReadRows{.id = 3, .rows = 5, .all = false, .unwrap = true, .format = "vt"}) ==
        R"({"id":3,"rows":5,"all":false,"unwrap":true,"format":"vt","written":false,"wraps":false})");
  CHECK(text(Kill{.id = 4, .remove = true, .grace_ms = 100}) == R"({"id":4,"remove":true,"grace_ms":100})");
  CHECK(text(Signal{5, 15}) == R"({"id":5,"number":15})");
  CHECK(text(SetMeta{6, json(R"({"a":"b","c":null})")}) == R"({"id":6,"labels":{"a":"b","c":null}})");
  CHECK(text(Rename{7, "new-name"}) == R"({"id":7,"name":"new-name"})");
  CHECK(text(RoleEvent{false, {80, 24, 0, 0}}) ==
        R"({"event":"role","leader":false,"cols":80,"rows":24,"xpixel":0,"ypixel":0})");
  CHECK(text(ExitEvent{0, 9, 1234, "killed"}) ==
        R"({"event":"exited","code":0,"signal":9,"end":1234,"reason":"killed"})");
  CHECK(error_json(8, {ErrorKind::refused, "attach", "no", "try"}).dump() ==
        R"({"id":8,"code":"refused","message":"cannot attach: no; try","attempted":"attach","problem":"no","advice":"try"})");
}

TEST_CASE("a whole control frame is the golden bytes of docs/protocol.md") {
  CHECK(hex(encode(Type::signal, text(Signal{5, 15}))) == "14000000117b226964223a352c226e756d626572223a31357d");
}

TEST_CASE("what was written is read back") {
  const Attach attach{.id = 1,
                      .size = {100, 30, 800, 480},
                      .client_id = "pts/3",
                      .observe = true,
                      .terminal = {"t", "p", "v", Clusters::off},
                      .environment = {{"A", "b"}}};
  const Attach back = parse_attach(to_json(attach)).value();
  CHECK(back.id == 1);
  CHECK(back.size == attach.size);
  CHECK(back.client_id == "pts/3");
  CHECK(back.observe);
  CHECK(back.terminal.term_program_version == "v");
  CHECK(back.terminal.clusters == Clusters::off);
  for (const auto clusters : {Clusters::unknown, Clusters::told, Clusters::off, Clusters::always, Clusters::never}) {
    CHECK(parse_terminal(to_json(TerminalFacts{"", "", "", clusters})).value().clusters == clusters);
  }
  CHECK(parse_terminal(json(R"({"clusters":"sometimes"})")).value().clusters == Clusters::unknown);
  CHECK(parse_terminal(json(R"({"clusters":7})")).value().clusters == Clusters::unknown);
  CHECK(back.environment == attach.environment);
  CHECK(parse_attached(to_json(Attached{3, true, {1, 2, 3, 4}})).value().leader);
  CHECK(parse_detach(to_json(Detach{1, 7})).value().kitty_flags == 7);
  CHECK(parse_detach(to_json(Detach{1})).value().kitty_flags == -1);
  CHECK(parse_kill(to_json(Kill{.id = 1, .remove = true, .grace_ms = 5})).value().grace_ms == 5);
  CHECK(parse_exit_event(to_json(ExitEvent{3, 0, 9, "r"})).value().end == 9);
  CHECK(parse_size(to_json(RoleEvent{true, {9, 8, 0, 0}})).value().cols == 9);
  CHECK(parse_rename(to_json(Rename{1, "abc"})).value().name == "abc");
  CHECK(parse_set_meta(to_json(SetMeta{1, json(R"({"a":null})")})).value().labels.members().size() == 1);
}

TEST_CASE("a session's record is read back as it was written") {
  Info info;
  info.id = "01h";
  info.name = "claude-x";
  info.life = "exited";
  info.state = "unknown";
  info.marks = {"rebuilt"};
  info.argv = {"sh", "-c", "exit 3"};
  info.size = {90, 20, 0, 0};
  info.has_exit = true;
  info.exit_code = 3;
  info.offset = 1u << 31;
  info.labels = {{"a b", "c/d:e"}};
  const Info back = parse_info(to_json(info)).value();
  CHECK(to_json(back) == to_json(info));
  CHECK(back.has_exit);
  CHECK(back.offset == 1u << 31);
  info.has_exit = false;
  CHECK(to_json(info).get("exit_code").is_null());
  CHECK_FALSE(parse_info(to_json(info)).value().has_exit);
}

TEST_CASE("what would do harm is refused with the name of the field") {
  const auto problem = [](const auto& result) { return result ? std::string("accepted") : result.error().problem; };
  CHECK(problem(parse_attach(json("[]"))) == "it is not a JSON object");
  CHECK(problem(parse_attach(json(R"({"cols":-1,"rows":2})"))).find("'cols'") != std::string::npos);
  CHECK(problem(parse_attach(json(R"({"cols":10,"rows":9999})"))).find("'rows'") != std::string::npos);
  CHECK(problem(parse_attach(json(R"({"cols":"10","rows":1})"))).find("'cols'") != std::string::npos);
  CHECK(problem(parse_signal(json(R"({"number":0})"))).find("'number'") != std::string::npos);
  CHECK(problem(parse_signal(json(R"({"number":65})"))).find("'number'") != std::string::npos);
  CHECK(problem(parse_kill(json(R"({"grace_ms":-5})"))).find("'grace_ms'") != std::string::npos);
  CHECK(problem(parse_rename(json(R"({"name":"../x"})"))).find("'name'") != std::string::npos);
  CHECK(problem(parse_read_rows(json(R"({"format":"exe"})"))).find("'format'") != std::string::npos);
  CHECK(problem(parse_set_meta(json(R"({"labels":{"a":1}})"))).find("'labels.a'") != std::string::npos);
  CHECK(problem(parse_hello(json(R"({})"))).find("'protocol'") != std::string::npos);
}

TEST_CASE("what is missing has a default, what is unknown is ignored") {
  CHECK(parse_hello(json(R"({"protocol":7,"later":{"x":1}})")).value().protocol == 7);
  CHECK(parse_kill(json("{}")).value().grace_ms == 3000);
  CHECK(parse_read_rows(json("{}")).value().format == "plain");
  CHECK(parse_read_rows(json("{}")).value().rows == -1);
  CHECK(parse_read_rows(json(R"({"rows":1})")).value().rows == 1);
  CHECK(parse_read_rows(json(R"({"rows":65535})")).value().rows == 65'535);
  for (const char* rows : {"0", "-2", "65536", "99999999999"}) {
    const auto refused = parse_read_rows(json(R"({"rows":)" + std::string(rows) + "}"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().problem.find("'rows'") != std::string::npos);
  }
  const Attach attach = parse_attach(json(R"({"cols":80,"rows":24})")).value();
  CHECK_FALSE(attach.observe);
  CHECK(attach.id == 0);
}

TEST_CASE("names that people see carry no control characters") {
  const Attach attach = parse_attach(json(R"({"cols":80,"rows":24,"client_id":"a\u001b]0;x\u0007"})")).value();
  CHECK(attach.client_id.find('\033') == std::string::npos);
}

TEST_CASE("errors keep their kind and their three parts") {
  const Error error{ErrorKind::ended, "attach to 'x'", "its program has ended", "hold rm x"};
  const Error back = parse_error(error_json(4, error));
  CHECK(back.kind == ErrorKind::ended);
  CHECK(back.message() == error.message());
  CHECK(parse_error(json(R"({"code":"of-a-later-version","message":"m"})")).kind == ErrorKind::failed);
}
