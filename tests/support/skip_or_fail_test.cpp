#include "tests/support/skip_or_fail.h"

#include <gtest/gtest-spi.h>

#include <string>

namespace kitbag {
namespace {

/// Gives the environment variable CI a value, and its old one back.
class CiSetTo {
 public:
  explicit CiSetTo(const char* value) {
    if (const char* old = std::getenv("CI")) old_ = old;
    set(value);
  }
  ~CiSetTo() { set(old_.empty() ? nullptr : old_.c_str()); }

 private:
  static void set(const char* value) {
    if (value != nullptr) {
      setenv("CI", value, 1);
    } else {
      unsetenv("CI");
    }
  }

  std::string old_;
};

TEST(SkipOrFail, FailsForAMachine) {
  CiSetTo machine("true");
  EXPECT_FATAL_FAILURE(KITBAG_SKIP("no peer"), "cannot skip: no peer");
}

TEST(SkipOrFail, SkipsForAPerson) {
  CiSetTo person(nullptr);
  testing::TestPartResultArray results;
  {
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    [] { KITBAG_SKIP("no peer"); }();
  }
  ASSERT_EQ(results.size(), 1);
  EXPECT_TRUE(results.GetTestPartResult(0).skipped());
}

}  // namespace
}  // namespace kitbag
