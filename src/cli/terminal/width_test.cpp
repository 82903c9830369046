#include "cli/terminal/width.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

namespace kitbag::cli {
namespace {

TEST(DisplayWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("/odom"), 5U);
  EXPECT_EQ(display_width("/größe"), 6U);
  EXPECT_EQ(display_width("/画像"), 5U);
  EXPECT_EQ(display_width("/카메라"), 7U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("🤖"), 2U);
  EXPECT_EQ(display_width("a\xff"), 2U);
}

TEST(CutToWidth, NeverTakesMoreColumns) {
  EXPECT_EQ(cut_to_width("recording", 9), "recording");
  EXPECT_EQ(cut_to_width("recording", 8), "recordi…");
  EXPECT_EQ(cut_to_width("/画像", 5), "/画像");
  EXPECT_EQ(cut_to_width("/画像", 4), "/画…");
  EXPECT_EQ(cut_to_width("/画像", 3), "/…");  // half a character is none
  EXPECT_EQ(cut_to_width("abc", 1), "…");
  EXPECT_EQ(cut_to_width("abc", 0), "");
}

TEST(TerminalColumns, AreThoseOfNow) {
  int ours = -1;
  int theirs = -1;
  winsize size{24, 60, 0, 0};
  ASSERT_EQ(openpty(&ours, &theirs, nullptr, nullptr, &size), 0);
  EXPECT_EQ(terminal_columns(theirs), 60U);
  size.ws_col = 120;
  ASSERT_EQ(ioctl(ours, TIOCSWINSZ, &size), 0);
  EXPECT_EQ(terminal_columns(theirs), 120U);
  size.ws_col = 0;
  ASSERT_EQ(ioctl(ours, TIOCSWINSZ, &size), 0);
  EXPECT_EQ(terminal_columns(theirs), 80U);
  close(ours);
  close(theirs);
}

}  // namespace
}  // namespace kitbag::cli
