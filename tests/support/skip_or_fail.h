#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

namespace kitbag {

/// A machine runs the tests (`.ci/run` sets CI=true): what they need must be there.
inline bool nothing_may_be_skipped() {
  const char* ci = std::getenv("CI");
  return ci != nullptr && std::string_view(ci) == "true";
}

/// True if the machine is known to lack `thing`: KITBAG_EXCUSED (.ci/excused) names it.
inline bool is_excused(std::string_view thing) {
  const char* excused = std::getenv("KITBAG_EXCUSED");
  std::istringstream names(excused != nullptr ? excused : "");
  for (std::string name; names >> name;) {
    if (name == thing) return true;
  }
  return false;
}

}  // namespace kitbag

/// Ends a test that lacks a real peer or something else that a package brings: skipped with the
/// reason when a person runs it, failed when a machine does.
#define KITBAG_SKIP(reason) KITBAG_SKIP_WITHOUT("", reason)

/// The same where the machine lacks `thing`, which no package brings. Where `.ci/excused` names it,
/// the test is skipped for a machine, too. tests/support/peers.py has the same rule.
#define KITBAG_SKIP_WITHOUT(thing, reason)                                  \
  do {                                                                      \
    if (::kitbag::nothing_may_be_skipped() && !::kitbag::is_excused(thing)) \
      FAIL() << "cannot skip: " << (reason);                                \
    GTEST_SKIP() << (reason);                                               \
  } while (false)
