#include "cli/terminal/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <exception>

#include "cli/terminal/print.h"
#include "cli/terminal/standard_streams.h"
#include "kitbag/error.h"

// Signals are taken by one thread with sigwait(), not by handlers, in which hardly anything may be
// called. They are blocked in main() before there is any other thread, since a thread inherits what
// is blocked; otherwise the system could deliver them to any of them, with the default action.
//
//   the first signal              a stop request
//   0.2 s later                   what has not stopped is left, if that harms nothing
//   one more, a second later      left in any case
//
// Ctrl-Z stops the process as it would any, after the terminal is given back: SIGTSTP is raised
// once more, unblocked in this thread alone. SIGCONT lets a process go on whether it is blocked or
// not, and is taken here too.
//
// SIGUSR2 only wakes the thread when the program ends. sigwait() has no other way to be ended.

namespace kitbag::cli {
namespace {

constexpr int kInterruptedExit = 2;

bool is_ignored(int number) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

/// Of a progress bar that is not erased any more.
void erase_line() {
  if (isatty(STDERR_FILENO) == 1) write_error("\r\x1b[K");
}

}  // namespace

Signals::Signals(Clock& clock) : clock_(clock), last_words_([this] { say_last_words(); }) {
  sigemptyset(&waited_);
  sigaddset(&waited_, SIGUSR2);  // from the destructor
  sigaddset(&waited_, SIGUSR1);
  for (int number : {SIGINT, SIGTERM}) {
    std::signal(number, SIG_DFL);  // a shell script's background jobs begin with SIGINT ignored
    sigaddset(&waited_, number);
  }
  sigaddset(&waited_, SIGCONT);
  for (int number : {SIGHUP, SIGTSTP}) {  // nohup stays what it is
    if (!is_ignored(number)) sigaddset(&waited_, number);
  }
  pthread_sigmask(SIG_BLOCK, &waited_, nullptr);
  thread_ = std::thread([this] { wait(); });
}

Signals::~Signals() {
  is_ending_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

/// 0: what was asked to stop should have done so.
int Signals::next_signal() const {
  constexpr Duration kRetry = std::chrono::milliseconds(100);
  int signal = 0;
  if (requests_.deadline() == kNever) {
    sigwait(&waited_, &signal);
    return signal;
  }
  // Behind the deadline too, as long as a NoLeave keeps the process from being left.
  Duration left = std::max<Duration>(requests_.deadline() - clock_.steady(), kRetry);
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  timespec limit{seconds.count(), static_cast<long>((left - seconds).count())};
  return std::max(sigtimedwait(&waited_, nullptr, &limit), 0);
}

void Signals::wait() {
  for (;;) {
    int signal = next_signal();
    if (is_ending_) return;
    if (signal == 0) {
      if (clock_.steady() >= requests_.deadline()) leave(kInterruptedExit, Leave::if_harmless);
      continue;
    }
    if (signal == SIGUSR2) continue;
    if (signal == SIGUSR1) {
      act_on_user_signal();
      continue;
    }
    if (signal == SIGTSTP) {
      stop_process();
      continue;
    }
    if (signal == SIGCONT) {
      go_on();
      continue;
    }
    auto meaning = requests_.take(clock_.steady());
    if (meaning == StopSignals::Meaning::stop) {
      is_terminated_ = signal == SIGTERM;
      stop_.request_stop();
    }
    if (meaning == StopSignals::Meaning::leave) leave(kInterruptedExit, Leave::always);
  }
}

void Signals::act_on_user_signal() {
  std::unique_lock lock(mutex_);
  if (!user_action_) {
    lock.unlock();  // for the last words
    leave(kInterruptedExit, Leave::always);
  }
  try {
    user_action_();
  } catch (const std::exception& error) {
    print_warning(error.what());
  }
}

void Signals::say_last_words() {
  std::lock_guard lock(mutex_);
  erase_line();
  print_error(last_text_ ? last_text_() : "interrupted");
}

void Signals::on_leaving(std::function<std::string()> text) {
  std::lock_guard lock(mutex_);
  last_text_ = std::move(text);
}

void Signals::stop_process() {
  {
    std::lock_guard lock(mutex_);
    if (before_stop_) before_stop_();
  }
  if (tcgetpgrp(STDERR_FILENO) == getpgrp()) erase_line();
  sigset_t stopping;
  sigemptyset(&stopping);
  sigaddset(&stopping, SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &stopping, nullptr);
  kill(getpid(), SIGTSTP);
  pthread_sigmask(SIG_BLOCK, &stopping, nullptr);
  go_on();  // also if the system has not stopped it: a process whose shell has gone
}

void Signals::go_on() {
  std::lock_guard lock(mutex_);
  if (when_going_on_) when_going_on_();
}

void Signals::on_job_control(std::function<void()> before_stop,
                             std::function<void()> when_going_on) {
  std::lock_guard lock(mutex_);
  before_stop_ = std::move(before_stop);
  when_going_on_ = std::move(when_going_on);
}

void Signals::on_user_signal(std::function<void()> action) {
  std::lock_guard lock(mutex_);
  user_action_ = std::move(action);
}

void require_not_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
}

ExitOnStop::ExitOnStop(std::stop_token stop) : callback_(std::move(stop), Exit()) {}

void ExitOnStop::Exit::operator()() const {
  leave(kInterruptedExit, Leave::if_harmless);
}

}  // namespace kitbag::cli
