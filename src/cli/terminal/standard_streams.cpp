#include "cli/terminal/standard_streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

// A daemon or a cron job may start programs without descriptors 0 to 2. The next files to be opened
// get these numbers: a bag could become standard output, and a warning would be written into it. So
// the places are taken first, in the order of the numbers, since open() gives the lowest one.

namespace kitbag::cli {
namespace {

/// What a shell reports of a process that SIGPIPE has ended.
constexpr int kBrokenPipeExit = 128 + SIGPIPE;

}  // namespace

bool open_standard_streams() noexcept {
  // Standard input is open for writing only, and standard output for reading only: bytes that
  // somebody asked for must not disappear without an error.
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is given, and all below this one are taken.
    if (::open("/dev/null", kModes[number]) != number) return false;
  }
  return true;
}

bool ignore_broken_pipes() noexcept {
  return std::signal(SIGPIPE, SIG_IGN) != SIG_IGN;
}

void ignore_file_size_signal() noexcept {
  std::signal(SIGXFSZ, SIG_IGN);
}

bool is_output_abandoned() noexcept {
  pollfd polled = {STDOUT_FILENO, POLLOUT, 0};
  // The pipe itself is asked: EPIPE may come from another one, such as a target that is a FIFO.
  return ::poll(&polled, 1, 0) == 1 && (polled.revents & (POLLERR | POLLHUP)) != 0;
}

void end_by_broken_pipe() noexcept {
  std::signal(SIGPIPE, SIG_DFL);
  ::raise(SIGPIPE);
  std::_Exit(kBrokenPipeExit);  // it is blocked
}

void write_error(std::string_view text) noexcept {
  while (!text.empty()) {
    ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace kitbag::cli
