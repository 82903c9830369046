#include "base/thread_pool.h"

#include <algorithm>

#include "base/shared_in_process.h"

// The shared pool is held weakly: a library must not leave threads behind for a program that has
// closed its last bag, nor end them in a destructor of a global, when other globals are gone
// already.

namespace kitbag {

ThreadPool::ThreadPool(unsigned threads) {
  try {
    for (unsigned i = 0; i < std::max(threads, 1U); ++i) {
      threads_.emplace_back([this] { work(); });
    }
  } catch (...) {  // the system gives no more threads: end those that run, or the program ends
    end();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  end();
}

void ThreadPool::end() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ThreadPool::post(std::function<void()> job) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // what it holds is released outside the lock
    lock.lock();
  }
}

unsigned thread_count(unsigned asked) {
  return asked > 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
}

std::shared_ptr<ThreadPool> shared_threads() {
  static SharedInProcess<ThreadPool> pool;
  return pool.get([] { return std::make_shared<ThreadPool>(thread_count(0)); });
}

}  // namespace kitbag
