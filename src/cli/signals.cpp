#include "signals.h"

#include <pthread.h>

#include <cstdlib>

#include "kitbag/error.h"
#include "print.h"

namespace kitbag::cli {
namespace {

constexpr int kInterruptedExit = 2;

bool is_ignored(int number) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals(Clock& clock) : clock_(clock) {
  sigemptyset(&waited_);
  sigaddset(&waited_, SIGUSR2);  // from the destructor
  sigaddset(&waited_, SIGUSR1);
  for (int number : {SIGINT, SIGTERM}) {
    std::signal(number, SIG_DFL);  // a shell script's background jobs begin with SIGINT ignored
    sigaddset(&waited_, number);
  }
  if (!is_ignored(SIGHUP)) sigaddset(&waited_, SIGHUP);  // nohup stays what it is
  pthread_sigmask(SIG_BLOCK, &waited_, nullptr);
  thread_ = std::thread([this] { wait(); });
}

Signals::~Signals() {
  is_ending_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

void Signals::wait() {
  for (;;) {
    int signal = 0;
    sigwait(&waited_, &signal);
    if (is_ending_) return;
    if (signal == SIGUSR2) continue;
    if (signal == SIGUSR1) {
      act_on_user_signal();
      continue;
    }
    auto meaning = requests_.take(clock_.steady());
    if (meaning == StopSignals::Meaning::stop) stop_.request_stop();
    if (meaning == StopSignals::Meaning::leave) std::_Exit(kInterruptedExit);
  }
}

void Signals::act_on_user_signal() {
  std::lock_guard lock(mutex_);
  if (!user_action_) std::_Exit(kInterruptedExit);
  try {
    user_action_();
  } catch (const std::exception& error) {
    print_warning(error.what());
  }
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
  print_error("interrupted");
  std::_Exit(kInterruptedExit);
}

}  // namespace kitbag::cli
