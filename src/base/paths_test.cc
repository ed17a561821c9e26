#include "base/paths.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <optional>

namespace holdfast::paths {
namespace {

// Sets variables for one test and puts the old ones back.
class Environment {
 public:
  explicit Environment(std::initializer_list<std::pair<const char*, const char*>> values) {
    for (const auto& [name, value] : values) {
      const char* old = std::getenv(name);
      old_.emplace(name, old != nullptr ? std::optional<std::string>(old) : std::nullopt);
      value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : old_) value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  }

 private:
  std::map<const char*, std::optional<std::string>> old_;
};

}  // namespace

TEST_CASE("HOLDFAST_RUNTIME_DIR wins, and is made absolute") {
  {
    const Environment set({{"HOLDFAST_RUNTIME_DIR", "/run/elsewhere"}});
    CHECK(runtime_dir() == "/run/elsewhere");
  }
  const Environment set({{"HOLDFAST_RUNTIME_DIR", "here"}});
  char* current = ::get_current_dir_name();
  CHECK(runtime_dir() == std::string(current) + "/here");
  std::free(current);
}

TEST_CASE("a runtime directory that is not there is not used") {
  const Environment set({{"HOLDFAST_RUNTIME_DIR", nullptr}, {"XDG_RUNTIME_DIR", "/nonexistent"}});
  CHECK(runtime_dir() == "/tmp/holdfast-" + std::to_string(::getuid()));
}

TEST_CASE("state and settings follow XDG, and relative values are ignored") {
  const Environment set({{"HOME", "/home/p"}, {"XDG_STATE_HOME", nullptr}, {"XDG_CONFIG_HOME", "relative"}});
  CHECK(state_dir() == "/home/p/.local/state/holdfast");
  CHECK(config_file() == "/home/p/.config/holdfast/config.toml");
  const Environment more({{"XDG_STATE_HOME", "/s"}, {"XDG_CONFIG_HOME", "/c"}});
  CHECK(state_dir() == "/s/holdfast");
  CHECK(config_file() == "/c/holdfast/config.toml");
}

TEST_CASE("without HOME the home directory comes from the passwd file") {
  const Environment set({{"HOME", nullptr}});
  CHECK(home_dir().starts_with('/'));
  if (::getuid() == 0) CHECK(home_dir() == "/root");
}

TEST_CASE("a SHELL that is no executable file is not used") {
  const Environment set({{"SHELL", "/bin/sh"}});
  CHECK(login_shell() == "/bin/sh");
  for (const char* bad : {"/etc/passwd", "/nonexistent", "/tmp", "", "sh"}) {
    const Environment changed({{"SHELL", bad}});
    CHECK(login_shell() != bad);
    CHECK(::access(login_shell().c_str(), X_OK) == 0);
  }
}

}  // namespace holdfast::paths
