#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace kitbag {

/// Threads, one at least, that take jobs in the order given. Jobs must not throw; they may post()
/// more. The destructor runs what was given, then ends.
class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void post(std::function<void()> job);
  std::size_t size() const { return threads_.size(); }

 private:
  void work();
  void end();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

/// As many threads as a user has asked for; 0: one a core.
unsigned thread_count(unsigned asked);

/// The pool that the whole process shares, one thread per core. It is created on first use, and
/// ends with its last user. Its jobs must be short, and must not wait.
std::shared_ptr<ThreadPool> shared_threads();

}  // namespace kitbag
