#include "transport/broker/beginning.h"

// The thread of a subscriber connects while the constructor waits here:
//
//   it listens        await() returns
//   it has failed     await() throws why
//   neither, 0.8 s    await() returns, and a failure goes to the feed later
//
// `is_waited_for_` is read and changed with the lock, so that a failure at the very end of the wait
// goes to exactly one of the two.

namespace kitbag::broker {
namespace {

constexpr Duration kFirstWait = std::chrono::milliseconds(800);

}  // namespace

void Beginning::await() {
  std::unique_lock lock(mutex_);
  clock_.wait(lock, changed_, {{}, clock_.steady() + kFirstWait},
              [this] { return is_ready_ || failure_ != nullptr; });
  is_waited_for_ = false;
  if (failure_) std::rethrow_exception(failure_);
}

void Beginning::set_ready() {
  std::lock_guard lock(mutex_);
  is_ready_ = true;
  changed_.notify_all();
}

void Beginning::end(const std::exception_ptr& failure) {
  {
    std::lock_guard lock(mutex_);
    failure_ = failure;
    changed_.notify_all();
    if (is_waited_for_ && failure) return;
  }
  if (failure) {
    feed_.fail(failure);
  } else {
    feed_.close();
  }
}

}  // namespace kitbag::broker
