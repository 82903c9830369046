#include "cli/terminal/keys.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string_view>
#include <utility>

#include "cli/terminal/print.h"

// The terminal is set to single keys without echo, and has to be set back however the program ends,
// also by leave() in another thread; hence plain functions and a global. Signals stay on (ISIG is
// not touched), so Ctrl-C still works. Ctrl-Z gives the terminal back to the shell, and SIGCONT
// takes it again, unless the program goes on in the background.
//
// In the background tcsetattr() and read() would stop the whole job with SIGTTOU and SIGTTIN, so
// nothing is done there. A shell that brings a running job into the foreground sends no signal; so
// this is looked at now and then.

namespace kitbag::cli {
namespace {

constexpr int kLookMs = 250;

bool is_in_foreground() {
  return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/// The terminal's mode. One process has one terminal.
class TerminalMode {
 public:
  /// Single keys from now on; false in the background, and on the way there.
  bool take() {
    std::lock_guard lock(mutex_);
    if (is_suspended_) return false;
    termios now{};
    if (!is_in_foreground() || tcgetattr(STDIN_FILENO, &now) != 0) return false;
    // The shell may have switched the terminal back to line mode. Then its settings are saved
    // again, to be restored later.
    bool has_lines = (now.c_lflag & ICANON) != 0;
    if (is_taken_ && !has_lines) return true;
    as_it_was_ = now;
    now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    now.c_cc[VMIN] = 1;
    now.c_cc[VTIME] = 0;
    is_taken_ = tcsetattr(STDIN_FILENO, TCSANOW, &now) == 0;
    return is_taken_;
  }

  void give_back() {
    std::lock_guard lock(mutex_);
    restore();
  }

  /// Gives it back until resume(): the thread of the keys must not take it again before the process
  /// has stopped.
  void suspend() {
    std::lock_guard lock(mutex_);
    restore();
    is_suspended_ = true;
  }
  void resume() {
    {
      std::lock_guard lock(mutex_);
      is_suspended_ = false;
    }
    take();
  }

 private:
  void restore() {
    if (!is_taken_ || !is_in_foreground()) return;
    tcsetattr(STDIN_FILENO, TCSANOW, &as_it_was_);
    is_taken_ = false;
  }

  std::mutex mutex_;
  bool is_suspended_ = false;
  bool is_taken_ = false;
  termios as_it_was_{};
};

/// Never destroyed: leave() may use it while the process ends.
TerminalMode& terminal_mode() {
  static auto* const kept = new TerminalMode;
  return *kept;
}

constexpr std::pair<std::string_view, Keys::Key> kKeys[] = {
    {" ", Keys::Key::space},    {"s", Keys::Key::s},         {"q", Keys::Key::q},
    {"\x1b[A", Keys::Key::up},  {"\x1b[B", Keys::Key::down}, {"\x1b[C", Keys::Key::right},
    {"\x1b[D", Keys::Key::left}};

/// The key at the front of `bytes`, which lose it.
/// A sequence that is cut by the end of a read counts as other keys, which do nothing.
Keys::Key take_key(std::string_view& bytes) {
  for (const auto& [text, key] : kKeys) {
    if (!bytes.starts_with(text)) continue;
    bytes.remove_prefix(text.size());
    return key;
  }
  bytes.remove_prefix(1);
  return Keys::Key::other;
}

/// A read in the background fails in this thread, instead of stopping the process.
void block_stop_by_reading() {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTTIN);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
}

}  // namespace

Keys::Keys(Signals& signals, std::function<void(Key)> on_key) : on_key_(std::move(on_key)) {
  if (isatty(STDIN_FILENO) != 1) return;
  wake_ = eventfd(0, EFD_CLOEXEC);
  if (wake_ < 0) return;
  on_leave_.emplace([] { terminal_mode().give_back(); });
  terminal_mode().take();
  job_control_.emplace(
      signals, [] { terminal_mode().suspend(); }, [] { terminal_mode().resume(); });
  thread_ = std::thread([this] { read(); });
}

Keys::~Keys() {
  job_control_.reset();
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] auto written = write(wake_, &one, sizeof one);
    thread_.join();
    terminal_mode().give_back();
  }
  if (wake_ >= 0) close(wake_);
}

void Keys::read() {
  block_stop_by_reading();
  while (true) {
    // Each time: the program may have come into the foreground, of which no signal tells.
    bool has_keys = terminal_mode().take();
    pollfd polled[] = {{wake_, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    int ready = poll(polled, has_keys ? 2 : 1, kLookMs);
    if (ready <= 0) continue;
    if (polled[0].revents != 0) return;
    if (is_in_foreground() && !read_some(polled[1].revents)) return;
  }
}

bool Keys::read_some(short events) {
  char bytes[16];
  ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
  if (count < 0 && errno == EINTR) return true;
  // In the background since a moment, or for good.
  if (count < 0 && errno == EIO) return (events & POLLHUP) == 0;
  if (count <= 0) return false;
  std::string_view typed(bytes, static_cast<std::size_t>(count));
  try {
    while (!typed.empty()) on_key_(take_key(typed));
  } catch (const std::exception& error) {
    print_warning(error.what());
  }
  return true;
}

}  // namespace kitbag::cli
