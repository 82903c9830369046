#include "cli/terminal/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "kitbag/error.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/thrown_by.h"

namespace kitbag::cli {
namespace {

/// Both ends of a pipe, closed at the end.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Pipe() {
    close_writer();
    close_reader();
  }
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_reader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  std::string read_all() {
    std::string all;
    std::array<char, 4096> some;
    for (ssize_t count; (count = ::read(ends_[0], some.data(), some.size())) > 0;) {
      all.append(some.data(), static_cast<std::size_t>(count));
    }
    return all;
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(Output, KeepsTheOrderOfSmallAndLarge) {
  Pipe pipe;
  std::string large(1 << 20, 'x');
  std::string got;
  std::thread reader([&] { got = pipe.read_all(); });
  Output out(pipe.writer(), "a pipe");
  out.write("1-");
  out.write(large);
  out.write("-2");
  out.flush();
  pipe.close_writer();
  reader.join();
  EXPECT_EQ(got, "1-" + large + "-2");
}

TEST(Output, AFullDiskIsAnError) {
  int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) KITBAG_SKIP_WITHOUT("dev_full", "there is no /dev/full");
  Output out(full, "standard output");
  out.write("x");
  try {
    out.flush();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_EQ(error.file(), "standard output");
  }
  EXPECT_NO_THROW(out.flush()) << "what failed is not tried again";
  ::close(full);
}

/// SIGPIPE is ignored while it lives, as the program does.
class IgnoredBrokenPipes {
 public:
  IgnoredBrokenPipes() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~IgnoredBrokenPipes() { std::signal(SIGPIPE, before_); }
  IgnoredBrokenPipes(const IgnoredBrokenPipes&) = delete;
  IgnoredBrokenPipes& operator=(const IgnoredBrokenPipes&) = delete;

 private:
  void (*before_)(int);
};

TEST(Output, AStatusThatNobodyReadsIsNoError) {
  IgnoredBrokenPipes ignored;
  Pipe pipe;
  pipe.close_reader();
  Output out(pipe.writer(), "a pipe");
  out.make_status();
  out.write("x");
  EXPECT_NO_THROW(out.flush());
  EXPECT_NO_THROW(out.finish());
}

TEST(Output, AStatusOnAFullDiskIsAnErrorInTheEnd) {
  int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) KITBAG_SKIP_WITHOUT("dev_full", "there is no /dev/full");
  Output out(full, "standard output");
  out.make_status();
  out.write("x");
  EXPECT_NO_THROW(out.flush());
  EXPECT_ERROR(io, out.finish());
  ::close(full);
}

TEST(Output, ALiveStatusLeavesOutWhatDoesNotFit) {
  Pipe pipe;
  ASSERT_GT(::fcntl(pipe.writer(), F_SETPIPE_SZ, 4096), 0);
  Output out(pipe.writer(), "a pipe");
  out.make_live_status();
  const std::string line(3000, 'x');
  for (const char* end : {"1\n", "2\n", "3\n", "4\n"}) {
    out.write(line + end);
    out.flush();
  }
  std::string got(3002, '\0');
  ASSERT_EQ(::read(pipe.reader(), got.data(), got.size()), 3002);
  EXPECT_EQ(got, line + "1\n");
  out.write(line + "5\n");  // what waited goes first
  out.flush();
  pipe.close_writer();
  EXPECT_EQ(pipe.read_all(), line + "2\n");
}

}  // namespace
}  // namespace kitbag::cli
