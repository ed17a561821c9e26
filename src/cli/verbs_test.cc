#include "cli/verbs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/completion.h"
#include "cli/console.h"
#include "cli/help.h"
#include "cli/keys.h"
#include "cli/man_page.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

// The words of one line of an example, as far as an example needs a shell.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

template <typename F>
void each_line(std::string_view text, F&& f) {
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) f(line);
}

}  // namespace

TEST_CASE("every verb has a summary, an example and a function, and no name twice") {
  std::set<std::string_view> names;
  for (const auto& verb : verbs()) {
    CAPTURE(verb.name);
    CHECK_FALSE(verb.summary.empty());
    CHECK_FALSE(verb.example.empty());
    CHECK((verb.run != nullptr));
    CHECK(names.insert(verb.name).second);
    if (!verb.alias.empty()) CHECK(names.insert(verb.alias).second);
    CHECK(find_verb(verb.name) == &verb);
  }
  CHECK(find_verb("ps") == find_verb("ls"));
  CHECK(find_verb("nonsense") == nullptr);
  CHECK(find_verb("") == nullptr);
}

TEST_CASE("no verb has an option or a letter twice, and -h is help everywhere") {
  for (const auto& verb : verbs()) {
    CAPTURE(verb.name);
    std::set<std::string_view> options;
    std::set<char> letters{'h'};
    for (const auto& row : verb.options) {
      CHECK(row.name.starts_with("--"));
      CHECK_FALSE(row.help.empty());
      CHECK(options.insert(row.name).second);
      if (row.letter != 0) CHECK(letters.insert(row.letter).second);
    }
  }
}

TEST_CASE("every example that begins with hold parses") {
  for (const auto& verb : verbs()) {
    each_line(verb.example, [&](const std::string& line) {
      CAPTURE(line);
      const std::size_t at = line.find("hold " + std::string(verb.name));
      REQUIRE(at != std::string::npos);
      const std::size_t end = std::min({line.find(" |", at), line.find(" >", at), line.find(')', at), line.size()});
      const std::size_t begin = at + 5 + verb.name.size();
      const auto words = words_of(line.substr(begin, end - begin));
      const auto arguments = Arguments::parse(verb, words);
      if (!arguments) FAIL(arguments.error().message());
    });
  }
}

TEST_CASE("help of every verb names every option and fits 40 columns but for commands and usage words") {
  for (const auto& verb : verbs()) {
    CAPTURE(verb.name);
    const std::string help = help_of(verb, 40);
    for (const auto& row : verb.options) CHECK(help.find(option_label(row)) != std::string::npos);
    const std::string prose = help.substr(0, help.find("\nExample:"));
    each_line(prose, [&](const std::string& line) {
      CAPTURE(line);
      CHECK(display_width(line) <= 40);
    });
  }
}

TEST_CASE("usage tells what may be left out, and no bracket is torn at the end of a line") {
  const auto usage = [](std::string_view name) {
    std::string text;
    for (const auto& word : usage_words(*find_verb(name))) text += (text.empty() ? "" : " ") + word;
    return text;
  };
  CHECK(usage("send").starts_with("hold send NAME [TEXT…] [--key KEY]…"));
  CHECK(usage("kill").starts_with("hold kill NAME… [--rm]"));
  CHECK(usage("rm").starts_with("hold rm [NAME…] [--exited]"));
  CHECK(usage("info") == "hold info NAME [--json]");
  CHECK(usage("new").ends_with(" [--json] [-- COMMAND…]"));
  for (const auto& verb : verbs()) {
    for (int width = 40; width <= 100; ++width) {
      const std::string help = help_of(verb, width);
      each_line(help.substr(0, help.find("\n\nOptions:")).substr(help.find("Usage:")), [](const std::string& line) {
        CAPTURE(line);
        if (line.find('[') != std::string::npos) {
          CHECK(std::ranges::count(line, '[') == std::ranges::count(line, ']'));
        }
      });
    }
  }
}

TEST_CASE("the help of send names keys that can be pressed, and all of them") {
  const std::string_view text = find_verb("send")->description;
  for (const auto key : key_names()) {
    if (key == "return" || key == "escape" || key.starts_with("pg") || (key.size() > 1 && key[0] == 'f')) continue;
    CAPTURE(key);
    CHECK(text.find(key) != std::string_view::npos);
  }
}

TEST_CASE("the overview names every verb and every exit code") {
  const std::string help = help_overview(80);
  for (const auto& verb : verbs()) CHECK(help.find(verb.summary) != std::string::npos);
  CHECK(help.find("hold alone lists") != std::string::npos);
  CHECK(help.find("Ctrl-\\ leaves") != std::string::npos);
  for (const auto& row : exit_codes()) CHECK(help.find("  " + std::to_string(row.code) + "  ") != std::string::npos);
}

TEST_CASE("docs/man/hold.1 is what the table of verbs makes; after a change: hold debug man > docs/man/hold.1") {
  const char* source = std::getenv("HOLDFAST_SOURCE_DIR");
  REQUIRE(source != nullptr);
  std::ifstream file(std::string(source) + "/docs/man/hold.1");
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  CHECK(text.str() == man_page());
}

TEST_CASE("docs/cli.md names every verb, option and exit code") {
  const char* source = std::getenv("HOLDFAST_SOURCE_DIR");
  REQUIRE(source != nullptr);
  std::ifstream file(std::string(source) + "/docs/cli.md");
  REQUIRE(file);
  std::stringstream buffer;
  buffer << file.rdbuf();
  const std::string text = buffer.str();
  for (const auto& verb : verbs()) {
    CAPTURE(verb.name);
    CHECK(text.find("hold " + std::string(verb.name)) != std::string::npos);
    for (const auto& row : verb.options) {
      CAPTURE(row.name);
      CHECK(text.find("`" + std::string(row.name)) != std::string::npos);
    }
  }
  for (const auto& row : exit_codes()) CHECK(text.find("| " + std::to_string(row.code) + " |") != std::string::npos);
}

TEST_CASE("the manual page has every verb and option, and no line that roff takes for a macro of its own") {
  const std::string page = man_page();
  // What is not ASCII is lost where the locale is not UTF-8.
  CHECK(std::ranges::all_of(page, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  CHECK(page.find("[\\-\\-\\ COMMAND...]") != std::string::npos);
  for (const auto& verb : verbs()) CHECK(page.find(".SS \"hold " + std::string(verb.name) + "\"") != std::string::npos);
  each_line(page, [](const std::string& line) {
    if (!line.starts_with(".")) return;
    static const std::set<std::string> kMacros{".TH", ".SH", ".SS", ".TP", ".B",  ".I",
                                               ".PP", ".br", ".nf", ".fi", ".RS", ".RE"};
    CHECK(kMacros.contains(line.substr(0, line.find(' '))));
  });
}

TEST_CASE("each completion script knows every verb and option, and bash accepts its own") {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = completion_script(shell);
    REQUIRE(script);
    for (const auto& verb : verbs()) {
      CAPTURE(verb.name);
      CHECK(script->find(verb.name.substr(verb.name.find(' ') + 1)) != std::string::npos);
      for (const auto& row : verb.options) {
        const std::string word(std::string_view(shell) == "fish" ? row.name.substr(2) : row.name);
        CHECK(script->find(word) != std::string::npos);
      }
    }
  }
  CHECK_FALSE(completion_script("tcsh"));
  FILE* bash = ::popen("bash -n", "w");
  REQUIRE(bash != nullptr);
  const std::string script = *completion_script("bash");
  CHECK(std::fwrite(script.data(), 1, script.size(), bash) == script.size());
  CHECK(::pclose(bash) == 0);
}
