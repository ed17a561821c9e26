#include "base/limits.h"
#include "cli/console.h"
#include "cli/environment.h"
#include "cli/man_page.h"
#include "cli/verbs.h"
#include "probe/probe.h"

namespace holdfast::cli {

namespace {

constexpr std::int64_t kScrollbackMax = 10'000'000;

Result<std::optional<vt::TextFormat>> format_of(const Arguments& arguments) {
  const auto format = arguments.value("--format");
  if (!format) return std::optional<vt::TextFormat>();
  if (*format == "plain") return vt::TextFormat::plain;
  if (*format == "vt") return vt::TextFormat::vt;
  if (*format == "html") return vt::TextFormat::html;
  if (*format == "json") return vt::TextFormat::json;
  return fail(ErrorKind::usage, "use --format '" + *format + "'", "there is no such format",
              "write plain, vt, html or json");
}

Result<vt::Profile> profile_of(const Arguments& arguments) {
  const std::string profile = arguments.value("--profile").value_or("ghostty");
  if (profile == "ghostty") return vt::Profile::ghostty;
  if (profile == "xterm") return vt::Profile::xterm;
  return fail(ErrorKind::usage, "use --profile '" + profile + "'", "there is no such profile",
              "write ghostty or xterm");
}

Result<std::optional<bool>> graphemes_of(const Arguments& arguments) {
  const auto word = arguments.value("--graphemes");
  if (!word) return std::optional<bool>();
  if (*word == "on" || *word == "off") return *word == "on";
  return fail(ErrorKind::usage, "use --graphemes '" + *word + "'", "it is neither on nor off", "write on or off");
}

Result<std::int64_t> count(const Arguments& arguments, std::string_view option, std::int64_t fallback, std::int64_t min,
                           std::int64_t max) {
  const auto value = arguments.value(option);
  return value ? parse_count(option, *value, min, max) : Result<std::int64_t>(fallback);
}

Result<probe::Options> options_of(const Arguments& arguments) {
  using namespace limits;
  probe::Options options;
  options.file = arguments.operand(0);
  options.cols = static_cast<std::uint16_t>(TRY(count(arguments, "--cols", options.cols, kColsMin, kColsMax)));
  options.rows = static_cast<std::uint16_t>(TRY(count(arguments, "--rows", options.rows, kRowsMin, kRowsMax)));
  options.scrollback =
      static_cast<std::uint32_t>(TRY(count(arguments, "--scrollback", options.scrollback, 0, kScrollbackMax)));
  for (const auto& text : arguments.values("--resize")) options.resizes.push_back(TRY(probe::parse_resize(text)));
  options.profile = TRY(profile_of(arguments));
  options.graphemes = TRY(graphemes_of(arguments));
  options.stream = arguments.has("--stream");
  options.restore = arguments.has("--restore");
  options.format = TRY(format_of(arguments));
  options.is_resizable = arguments.has("--resizable");
  options.title_reports = arguments.has("--title-reports");
  options.plain_checksums = arguments.has("--plain-checksums");
  options.dump = arguments.value("--dump").value_or("");
  if (arguments.has("--host") != arguments.has_rest()) {
    return fail(ErrorKind::usage, "run hold debug vt", "--host and a command behind -- belong together",
                "write: hold debug vt --host -- PROGRAM");
  }
  options.host = arguments.rest();
  options.environment = own_environment();
  return options;
}

}  // namespace

int run_debug_vt(const Arguments& arguments) {
  const auto options = options_of(arguments);
  if (!options) return report(options.error());
  const auto code = probe::run(*options);
  return code ? *code : report(code.error());
}

int run_debug_man(const Arguments&) {
  print(man_page());
  return 0;
}

}  // namespace holdfast::cli
