// Runs the tests of a program as googletest's own main does, and prints what was skipped: a program
// with a skipped test has not passed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace {

/// Ends a program whose tests all passed, those that were skipped excepted; ctest knows it.
constexpr int kSkipped = 77;

/// Notes each skipped test in the file that KITBAG_SKIPPED names, for the end of `./dev test`.
class SkipLog : public testing::EmptyTestEventListener {
 public:
  explicit SkipLog(const char* path) : file_(path, std::ios::app) {}

 private:
  void OnTestEnd(const testing::TestInfo& test) override {
    for (int i = 0; i < test.result()->total_part_count(); ++i) {
      const testing::TestPartResult& part = test.result()->GetTestPartResult(i);
      if (!part.skipped()) continue;
      std::string reason = part.message();
      for (char& c : reason) c = c == '\n' ? ' ' : c;
      // One write: several programs append to the file.
      file_ << (std::string(test.test_suite_name()) + "." + test.name() + ": " + reason + "\n")
            << std::flush;
    }
  }

  std::ofstream file_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  const char* path = std::getenv("KITBAG_SKIPPED");
  if (path != nullptr) tests.listeners().Append(new SkipLog(path));
  int code = RUN_ALL_TESTS();
  return code == 0 && tests.skipped_test_count() > 0 ? kSkipped : code;
}
