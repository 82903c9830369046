#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace kitbag {

/// A machine runs the tests (`.ci/run` sets CI=true): what they need must be there.
inline bool nothing_may_be_skipped() {
  const char* ci = std::getenv("CI");
  return ci != nullptr && std::string_view(ci) == "true";
}

}  // namespace kitbag

/// Ends a test that lacks a real peer or something else that a package brings: skipped with the
/// reason when a person runs it, failed when a machine does.
#define KITBAG_SKIP(reason)                                                        \
  do {                                                                             \
    if (::kitbag::nothing_may_be_skipped()) FAIL() << "cannot skip: " << (reason); \
    GTEST_SKIP() << (reason);                                                      \
  } while (false)
