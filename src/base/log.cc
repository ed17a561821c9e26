#include "base/log.h"

#define SPDLOG_HEADER_ONLY
#define SPDLOG_PREVENT_CHILD_FD
#include <spdlog/logger.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <sys/stat.h>

#include <memory>

#include "base/text.h"

namespace holdfast::log {
namespace {

constexpr std::size_t kFileBytes = 256u << 10;  // bytes; weeks of a holder's life, and a screenful for a person
constexpr std::size_t kOldFiles = 1;            // files kept beside the current one
constexpr std::size_t kLineChars = 2048;        // code points; text of others may be endless

// A pointer, so that a process that never opens its log pays nothing.
std::unique_ptr<spdlog::logger> g_logger;
bool g_broken = false;

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

std::unique_ptr<spdlog::logger> make_logger(const std::string& path) {
  spdlog::file_event_handlers handlers;
  // Also the file that a rotation opens is nobody else's.
  handlers.after_open = [](const std::string&, std::FILE* file) { ::fchmod(::fileno(file), 0600); };
  auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_st>(path, kFileBytes, kOldFiles,
                                                                     /*rotate_on_open=*/false, handlers);
  auto logger = std::make_unique<spdlog::logger>("holdfast", std::move(sink));
  logger->set_level(spdlog::level::debug);
  logger->flush_on(spdlog::level::debug);
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  logger->set_error_handler([](const std::string&) { g_broken = true; });
  return logger;
}

}  // namespace

Result<> open(const std::string& path) {
  g_logger.reset();
  g_broken = false;
  try {  // the library's constructors throw
    g_logger = make_logger(path);
  } catch (const std::exception&) {
    return fail_errno("open the log " + path, errno);
  }
  return {};
}

void write(Level level, std::string_view text) {
  if (!g_logger || g_broken) return;
  const std::string line = printable(text, kLineChars);
  g_logger->log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace holdfast::log
