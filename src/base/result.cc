#include "base/result.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace holdfast {
namespace {

// What to do about errors that mean the same wherever they come from.
const char* usual_advice(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free some disk space and try again";
    case EMFILE:
    case ENFILE:
      return "close some programs, or raise the limit of open files (ulimit -n)";
    case EROFS:
      return "choose a place that can be written to";
    default:
      return "";
  }
}

}  // namespace

std::string Error::message() const {
  std::string text = "cannot " + attempted + ": " + problem;
  if (!advice.empty()) text += "; " + advice;
  return text;
}

std::unexpected<Error> fail_errno(std::string attempted, int error_number, std::string advice) {
  const char* problem = ::strerrordesc_np(error_number);
  if (advice.empty()) advice = usual_advice(error_number);
  return fail(ErrorKind::failed, std::move(attempted), problem != nullptr ? problem : "unknown error",
              std::move(advice));
}

int exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::failed:
      return 1;
    case ErrorKind::usage:
      return 2;
    case ErrorKind::not_found:
      return 3;
    case ErrorKind::timeout:
      return 4;
    case ErrorKind::ended:
      return 5;
    case ErrorKind::refused:
      return 6;
    case ErrorKind::partly:
      return 7;
    case ErrorKind::unknown:
      return 8;
  }
  return 1;
}

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace holdfast
