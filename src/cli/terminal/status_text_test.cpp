#include "cli/terminal/status_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/terminal/width.h"

namespace kitbag::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

StatusText example() {
  return {.share = 0.5,
          .parts = {{"50 %"}, {"  12,345 messages", 1}, {", 250.0 MiB/s", 2}, {", 12s left"}}};
}

TEST(StatusText, HasABarThatTakesTheRoomThatIsLeft) {
  EXPECT_EQ(fitted(example(), 120),
            "[###############...............] 50 %  12,345 messages, 250.0 MiB/s, 12s left");
  EXPECT_EQ(fitted(example(), 60), "[######.......] 50 %  12,345 messages, 250.0 MiB/s, 12s left");
}

TEST(StatusText, HasTimesInTenthsOfASecond) {
  EXPECT_EQ(passed(std::chrono::microseconds(101'289)), "0.1s");
  EXPECT_EQ(passed(std::chrono::milliseconds(29'994)), "29.9s");
  EXPECT_EQ(passed(std::chrono::seconds(75)), "1m 15s");
  EXPECT_EQ(passed(Duration(0)), "0s");
}

TEST(StatusText, LeavesOutTheHighestRanksFirst) {
  EXPECT_EQ(fitted(example(), 50), "[########........] 50 %  12,345 messages, 12s left");
  EXPECT_EQ(fitted(example(), 30), "[######.......] 50 %, 12s left");
  EXPECT_EQ(fitted(example(), 20), "50 %, 12s left");
}

TEST(StatusText, IsCutOffWhereAllOfItMustStay) {
  EXPECT_EQ(fitted({.parts = {{"recording 3s"}, {"  /画像 is missing"}}}, 17), "recording 3s  /…");
  EXPECT_EQ(fitted(example(), 6), "50 %,…");
}

TEST(StatusText, NeverTakesMoreColumns) {
  StatusText text = example();
  text.parts.push_back({"  /画像/카메라 3 dropped"});
  for (std::size_t columns = 0; columns < 130; ++columns) {
    EXPECT_LE(display_width(fitted(text, columns)), columns);
  }
}

TEST(StatusText, EscapesBeforeItMeasures) {
  std::string line = fitted({.parts = {{"/a\x1b[2J"}}}, 80);
  EXPECT_EQ(line, "/a\\x1b[2J");
  EXPECT_THAT(fitted({.parts = {{std::string(20, '\x1b')}}}, 10), Not(HasSubstr("\x1b")));
}

TEST(StatusText, AShareBeyondTheEndsIsAWholeBar) {
  EXPECT_THAT(fitted({.share = 1.5}, 80), HasSubstr("[##############################]"));
  EXPECT_THAT(fitted({.share = -1}, 80), HasSubstr("[..............................]"));
}

}  // namespace
}  // namespace kitbag::cli
