#pragma once

#include <unistd.h>

#include <memory>
#include <mutex>

namespace kitbag {

/// Locks what SharedInProcess holds. No fork() happens while it is held.
std::mutex& fork_lock();

/// An object that the whole process shares: made when it is first asked for, gone with its last
/// user. A process that was forked makes one of its own, as it has none of its parent's threads,
/// and locks that these held stay locked.
template <class T>
class SharedInProcess {
 public:
  template <class Make>
  std::shared_ptr<T> get(const Make& make) {
    std::lock_guard lock(fork_lock());
    std::shared_ptr<T> shared = process_ == ::getpid() ? made_.lock() : nullptr;
    if (shared) return shared;
    made_ = shared = make();
    process_ = ::getpid();
    return shared;
  }

 private:
  std::weak_ptr<T> made_;
  ::pid_t process_ = 0;
};

}  // namespace kitbag
