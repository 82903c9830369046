#include "tests/support/skip_or_fail.h"

#include <gtest/gtest-spi.h>

#include <string>

namespace kitbag {
namespace {

/// Gives an environment variable a value, and its old one back.
class SetTo {
 public:
  SetTo(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~SetTo() { set(old_.empty() ? nullptr : old_.c_str()); }

 private:
  void set(const char* value) {
    if (value != nullptr) {
      setenv(name_, value, 1);
    } else {
      unsetenv(name_);
    }
  }

  const char* name_;
  std::string old_;
};

TEST(SkipOrFail, FailsForAMachine) {
  SetTo machine("CI", "true");
  EXPECT_FATAL_FAILURE(KITBAG_SKIP("no peer"), "cannot skip: no peer");
}

TEST(SkipOrFail, SkipsForAPerson) {
  SetTo person("CI", nullptr);
  testing::TestPartResultArray results;
  {
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    [] { KITBAG_SKIP("no peer"); }();
  }
  ASSERT_EQ(results.size(), 1);
  EXPECT_TRUE(results.GetTestPartResult(0).skipped());
}

TEST(SkipOrFail, WhatIsExcusedIsSkippedForAMachineToo) {
  SetTo machine("CI", "true");
  SetTo excused("KITBAG_EXCUSED", "a_disk a_net");
  EXPECT_TRUE(is_excused("a_net"));
  EXPECT_FALSE(is_excused("a_"));
  EXPECT_FALSE(is_excused(""));
  EXPECT_FATAL_FAILURE(KITBAG_SKIP_WITHOUT("a_ring", "no ring"), "cannot skip: no ring");
}

/// skips_test.py asks for it, and looks at how the program ends.
TEST(SkipOrFail, DISABLED_IsSkipped) {
  KITBAG_SKIP_WITHOUT("a_thing", "there is\nno thing");
}

}  // namespace
}  // namespace kitbag
