#include "output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "kitbag/error.h"

namespace kitbag::cli {
namespace {

/// Both ends of a pipe, closed at the end.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Pipe() {
    close_writer();
    ::close(ends_[0]);
  }
  int writer() const { return ends_[1]; }
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
  out.print("{}-", 1);
  out.write(large);
  out.write("-2");
  out.flush();
  pipe.close_writer();
  reader.join();
  EXPECT_EQ(got, "1-" + large + "-2");
}

TEST(Output, AFullDiskIsAnError) {
  int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "there is no /dev/full";
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

}  // namespace
}  // namespace kitbag::cli
