#include "base/result.h"

#include <doctest/doctest.h>

#include <cerrno>

namespace holdfast {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return fail(ErrorKind::usage, "halve " + std::to_string(n), "it is odd", "add one");
  return n / 2;
}

Result<int> quarter(int n) { return TRY(half(TRY(half(n)))); }

}  // namespace

TEST_CASE("TRY gives the value or leaves with the error") {
  CHECK(*quarter(12) == 3);
  const auto failed = quarter(6);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message() == "cannot halve 3: it is odd; add one");
  CHECK(exit_code_of(failed.error().kind) == 2);
}

TEST_CASE("a full disk brings its advice with it, unless another is given") {
  CHECK(fail_errno("write x", ENOSPC).error().message() ==
        "cannot write x: No space left on device; free some disk space and try again");
  CHECK(fail_errno("write x", ENOSPC, "ask").error().advice == "ask");
  CHECK(fail_errno("write x", EIO).error().message() == "cannot write x: Input/output error");
  CHECK(fail_errno("write x", 99999).error().problem == "unknown error");
}

}  // namespace holdfast
