#include "store/config.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "base/test_directory.h"


namespace holdfast::store {
namespace {

struct ConfigFile : TestDirectory {
  Result<Config> read_as(std::string_view text) const {
    write("config.toml", text);
    return read_config(path + "/config.toml");
  }
};

}  // namespace

TEST_CASE_FIXTURE(ConfigFile, "a missing or empty file is the defaults") {
  for (const auto& config :
       {read_config(path + "/none.toml").value(), read_config(path + "/no/where.toml").value(), read_as("").value()}) {
    CHECK(config.history_rows == 10'000);
    CHECK(config.history_bytes == 64u << 20);
    CHECK(config.flow == Flow::automatic);
    CHECK(config.sleep_after_s == 600);
    CHECK(config.detach_key == "ctrl-\\");
  }
}

TEST_CASE_FIXTURE(ConfigFile, "every setting is read, and unknown ones are passed over") {
  const Config config = read_as(R"(
future = 1
[terminal]
history-rows = 500
history-bytes = 1_048_576
flow = "lossless"
sleep-after-seconds = 0
later = true
[attach]
detach-key = "none"
)")
                            .value();
  CHECK(config.history_rows == 500);
  CHECK(config.history_bytes == 1'048'576);
  CHECK(config.flow == Flow::lossless);
  CHECK(config.sleep_after_s == 0);
  CHECK(config.detach_key == "none");
  CHECK(read_as("[terminal]\nflow = 'latest'")->flow == Flow::latest);
  CHECK(read_as("[attach]\ndetach-key = 'ctrl-]'")->detach_key == "ctrl-]");
}

TEST_CASE_FIXTURE(ConfigFile, "a wrong value is an error with file, line and what to write") {
  const auto wrong = read_as("# mine\n[terminal]\nhistory-rows = -1\n");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message() ==
        "cannot use the settings in " + path +
            "/config.toml: line 3: 'history-rows' has a value that cannot be used; write a number "
            "from 0 to 1000000");
  CHECK(read_as("terminal.flow = 'fast'").error().problem.starts_with("line 1: 'flow'"));
  CHECK(read_as("[attach]\r\n detach-key = 'ctrl-1'\r\n").error().problem.starts_with("line 2: 'detach-key'"));
  for (const char* text :
       {"[terminal]\nhistory-rows = '5'", "[terminal]\nhistory-rows = 1.5", "[terminal]\nhistory-rows = 1000001",
        "[terminal]\nhistory-bytes = 1", "[terminal]\nhistory-bytes = 268_435_457", "[terminal]\nflow = 1",
        "[terminal]\nsleep-after-seconds = -1", "[terminal]\nsleep-after-seconds = 31_536_001",
        "[terminal]\nsleep-after-seconds = 'never'",
        "[attach]\ndetach-key = ''", "[attach]\ndetach-key = 'ctrl-m'", "[attach]\ndetach-key = 'ctrl-['", "[attach]\ndetach-key = 'ctrl-ä'",
        "attach = { detach-key = 'x' }"}) {
    CAPTURE(text);
    REQUIRE_FALSE(read_as(text));
    CHECK(read_as(text).error().kind == ErrorKind::failed);
    CHECK_FALSE(read_as(text).error().advice.empty());
  }
}

TEST_CASE_FIXTURE(ConfigFile, "a malformed file is an error with its line") {
  const auto wrong = read_as("[terminal]\nflow = = 1\n");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().problem.starts_with("line 2: "));
}

TEST_CASE_FIXTURE(ConfigFile, "a backslash in double quotes is told to be written in single ones") {
  const std::string key_advice = R"(write detach-key = 'ctrl-\', in single quotes)";
  CHECK(read_as("[attach]\ndetach-key = \"ctrl-\\\"\n").error().advice == key_advice);
  CHECK(read_as("[attach]\ndetach-key = \"ctrl-\\\"").error().advice == key_advice);
  CHECK(read_as("[attach]\r\n  detach-key = \"ctrl-\\\"\r\n[terminal]\r\nflow = \"auto\"\r\n").error().advice == key_advice);
  CHECK(read_as("attach.detach-key = \"ctrl-\\]\"\n").error().advice == key_advice);
  CHECK(read_as("[attach]\ndetach-key = 'ctrl-\\'\n").value().detach_key == "ctrl-\\");
  CHECK(read_as("[attach]\ndetach-key = \"ctrl-\\\\\"\n").value().detach_key == "ctrl-\\");
  CHECK(read_as("[terminal]\nflow = \"au\\qto\"\n").error().advice.find("single quotes") != std::string::npos);
  CHECK(read_as("detach-key = = 'ctrl-\\'\n").error().advice.starts_with("correct that line"));
}

TEST_CASE_FIXTURE(ConfigFile, "a file that cannot be read is an error, not the defaults") {
  CHECK_FALSE(read_config(path));
}

}  // namespace holdfast::store
