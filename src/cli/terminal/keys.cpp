#include "cli/terminal/keys.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

#include "cli/terminal/print.h"

// The terminal is set to single keys without echo, and has to be set back however the program ends,
// also by leave() in another thread; hence a plain function and a global. Signals stay on (ISIG is
// not touched), so Ctrl-C still works.
//
// In the background, tcsetattr() would stop the whole job with SIGTTOU, so nothing is done there.

namespace kitbag::cli {
namespace {

/// How the terminal was. One process has one terminal.
termios as_it_was;

void restore_terminal() {
  tcsetattr(STDIN_FILENO, TCSANOW, &as_it_was);
}

bool is_in_foreground() {
  return isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

constexpr std::pair<std::string_view, Keys::Key> kKeys[] = {
    {" ", Keys::Key::space},    {"s", Keys::Key::s},         {"q", Keys::Key::q},
    {"\x1b[A", Keys::Key::up},  {"\x1b[B", Keys::Key::down}, {"\x1b[C", Keys::Key::right},
    {"\x1b[D", Keys::Key::left}};

/// The key at the front of `bytes`, which lose it.
Keys::Key take_key(std::string_view& bytes) {
  for (const auto& [text, key] : kKeys) {
    if (!bytes.starts_with(text)) continue;
    bytes.remove_prefix(text.size());
    return key;
  }
  bytes.remove_prefix(1);
  return Keys::Key::other;
}

}  // namespace

Keys::Keys(std::function<void(Key)> on_key) : on_key_(std::move(on_key)) {
  if (!is_in_foreground() || tcgetattr(STDIN_FILENO, &as_it_was) != 0) return;
  termios raw = as_it_was;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  wake_ = eventfd(0, EFD_CLOEXEC);
  if (wake_ < 0 || tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0) return;
  on_leave_.emplace(restore_terminal);
  thread_ = std::thread([this] { read(); });
}

Keys::~Keys() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] auto written = write(wake_, &one, sizeof one);
    thread_.join();
    restore_terminal();
  }
  if (wake_ >= 0) close(wake_);
}

void Keys::read() {
  while (true) {
    pollfd polled[] = {{STDIN_FILENO, POLLIN, 0}, {wake_, POLLIN, 0}};
    if (poll(polled, 2, -1) < 0) continue;
    if (polled[1].revents != 0) return;
    char bytes[16];
    ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (count <= 0) return;
    std::string_view typed(bytes, static_cast<std::size_t>(count));
    try {
      while (!typed.empty()) on_key_(take_key(typed));
    } catch (const std::exception& error) {
      print_warning(error.what());
    }
  }
}

}  // namespace kitbag::cli
