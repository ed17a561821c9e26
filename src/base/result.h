// Errors as values: Result<T> and TRY.
//
// An Error tells a person three things: what was attempted, what went wrong, what to do next.
// Libraries return it and never print it; the one who decides prints it once.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast {

// The classes of failure a program can tell apart. The command line's exit code follows from it (docs/cli.md).
enum class ErrorKind : std::uint8_t {
  failed,     // the world said no: exit 1
  usage,      // the call's words are off: exit 2
  not_found,  // no such session: exit 3
  timeout,    // exit 4
  ended,      // the session ended: exit 5
  refused,    // state, role or version forbids it: exit 6
  partly,     // some of several things failed: exit 7
  unknown,    // the outcome cannot be known: exit 8
};

struct Error {
  ErrorKind kind = ErrorKind::failed;
  std::string attempted;  // "start 'vimm'"
  std::string problem;    // "no such program on PATH"
  std::string advice;     // "check the spelling, or give its full path"; may be empty

  // One line: "cannot <attempted>: <problem>; <advice>".
  std::string message() const;
};

template <typename T = void>
using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> fail(ErrorKind kind, std::string attempted, std::string problem,
                                                 std::string advice = {}) {
  return std::unexpected(Error{kind, std::move(attempted), std::move(problem), std::move(advice)});
}

// The error of a failed system call: the problem is errno's text; a full disk and the like bring their usual advice if
// none is given. Take errno before anything else can change it.
[[nodiscard]] std::unexpected<Error> fail_errno(std::string attempted, int error_number, std::string advice = {});

int exit_code_of(ErrorKind kind);

// A broken invariant of our own: prints the place and aborts. Never used for what the world does to us.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace holdfast

#define HOLDFAST_TRY_JOIN2(a, b) a##b
#define HOLDFAST_TRY_JOIN(a, b) HOLDFAST_TRY_JOIN2(a, b)

// TRY(expr): evaluates a Result; gives its value, or returns its error from the calling function. It may be nested.
#define TRY(expression) HOLDFAST_TRY_NAMED(HOLDFAST_TRY_JOIN(holdfast_try_, __COUNTER__), expression)
#define HOLDFAST_TRY_NAMED(result, expression)                      \
  __extension__({                                                   \
    auto&& result = (expression);                                   \
    if (!result) return std::unexpected(std::move(result).error()); \
    std::move(result).value();                                      \
  })

// A test has the CHECK of its framework instead.
#ifndef CHECK
#define CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::holdfast::check_failed(#condition, __FILE__, __LINE__))
#endif
