#include "cli/terminal/terminal_line.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

namespace kitbag::cli {
namespace {

/// A terminal, whose other side is the test's.
class TerminalLineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(openpty(&ours_, &theirs_, nullptr, nullptr, nullptr), 0);
    resize(40);
  }
  void TearDown() override {
    close(ours_);
    close(theirs_);
  }
  void resize(unsigned short columns) const {
    winsize size{24, columns, 0, 0};
    ASSERT_EQ(ioctl(ours_, TIOCSWINSZ, &size), 0);
  }
  /// What has been written since the last call. One read() may return only the first of several
  /// writes, so a mark is written behind them.
  std::string shown() const {
    char byte = '\0';
    std::string text;
    EXPECT_EQ(::write(theirs_, &byte, 1), 1);
    while (::read(ours_, &byte, 1) == 1 && byte != '\0') text += byte;
    return text;
  }

  int ours_ = -1;
  int theirs_ = -1;
};

TEST_F(TerminalLineTest, IsAsWideAsTheTerminalIsNow) {
  TerminalLine line(theirs_);
  ASSERT_TRUE(line.is_watched());
  line.draw({.share = 0.5, .parts = {{"50 %"}}});
  EXPECT_EQ(shown(), "\r\x1b[K[###############...............] 50 %");
  resize(30);
  line.draw({.share = 0.5, .parts = {{"50 %"}}});
  EXPECT_EQ(shown(), "\r\x1b[K[##########..........] 50 %");
}

TEST_F(TerminalLineTest, IsErasedOnce) {
  {
    TerminalLine line(theirs_);
    line.erase();
    line.draw({.parts = {{"x"}}});
    line.erase();
  }
  EXPECT_EQ(shown(), "\r\x1b[Kx\r\x1b[K");
}

TEST_F(TerminalLineTest, IsNotDrawnWhereNobodyWatches) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  TerminalLine line(pipe[1]);
  EXPECT_FALSE(line.is_watched());
  line.draw({.parts = {{"x"}}});
  close(pipe[1]);
  char byte = 0;
  EXPECT_EQ(::read(pipe[0], &byte, 1), 0);
  close(pipe[0]);
}

}  // namespace
}  // namespace kitbag::cli
