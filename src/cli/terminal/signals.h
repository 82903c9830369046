#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "cli/terminal/stop_signals.h"
#include "kitbag/leave.h"
#include "kitbag/time.h"

namespace kitbag::cli {

/// SIGINT, SIGTERM and SIGHUP as a stop request: the first asks to stop, one that comes a second
/// later ends the process at once. What has not stopped by itself 0.2 s after the first is left
/// (kitbag/leave.h): it may be busy with one message or chunk, or wait for a pipe. Make one before
/// any other thread exists: a thread inherits what is blocked here. Jobs in the background of a
/// script stop too, although shells start them with SIGINT ignored: `kill -INT` is how recorders
/// are told to end.
class Signals {
 public:
  /// `clock` must outlive it.
  explicit Signals(Clock& clock);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  std::stop_token stop() const { return stop_.get_token(); }
  /// Whether SIGTERM asked to stop: a service manager, which has patience, and no person.
  bool is_terminated() const { return is_terminated_; }
  /// What SIGUSR1 does from now on, on a thread of its own; empty: it ends the process, as it would
  /// any.
  void on_user_signal(std::function<void()> action);
  /// What is said when the process is left, instead of "interrupted"; empty: that. `text` is called
  /// on a thread of its own.
  void on_leaving(std::function<std::string()> text);
  /// What happens before SIGTSTP (Ctrl-Z) stops the process, and when it goes on (`fg`, `bg`), on a
  /// thread of its own; empty: nothing.
  void on_job_control(std::function<void()> before_stop, std::function<void()> when_going_on);

 private:
  void wait();
  void say_last_words();
  void stop_process();
  void go_on();

  int next_signal() const;
  void act_on_user_signal();

  Clock& clock_;
  StopSignals requests_;
  std::stop_source stop_;
  sigset_t waited_{};
  std::atomic<bool> is_ending_ = false;
  std::atomic<bool> is_terminated_ = false;
  std::mutex mutex_;
  std::function<void()> user_action_;
  std::function<std::string()> last_text_;
  std::function<void()> before_stop_;
  std::function<void()> when_going_on_;
  OnLeave last_words_;  ///< before all others: said when these are done
  std::thread thread_;
};

/// What SIGUSR1 does while it lives.
class UserSignal {
 public:
  UserSignal(Signals& signals, std::function<void()> action) : signals_(signals) {
    signals_.on_user_signal(std::move(action));
  }
  ~UserSignal() { signals_.on_user_signal({}); }
  UserSignal(const UserSignal&) = delete;
  UserSignal& operator=(const UserSignal&) = delete;

 private:
  Signals& signals_;
};

/// What is said when the process is left while it lives.
class LastWords {
 public:
  LastWords(Signals& signals, std::function<std::string()> text) : signals_(signals) {
    signals_.on_leaving(std::move(text));
  }
  ~LastWords() { signals_.on_leaving({}); }
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  Signals& signals_;
};

/// What Ctrl-Z and `fg` do while it lives.
class JobControl {
 public:
  JobControl(Signals& signals, std::function<void()> before_stop,
             std::function<void()> when_going_on)
      : signals_(signals) {
    signals_.on_job_control(std::move(before_stop), std::move(when_going_on));
  }
  ~JobControl() { signals_.on_job_control({}, {}); }
  JobControl(const JobControl&) = delete;
  JobControl& operator=(const JobControl&) = delete;

 private:
  Signals& signals_;
};

/// Throws Error (cancelled) when a stop was requested.
void require_not_stopped(const std::stop_token& stop);

/// While it lives, a stop request ends the process at once: for work that leaves nothing behind
/// and need not be asked to stop.
class ExitOnStop {
 public:
  explicit ExitOnStop(std::stop_token stop);

 private:
  struct Exit {
    void operator()() const;
  };
  std::stop_callback<Exit> callback_;
};

}  // namespace kitbag::cli
