#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/thread_pool.h"

namespace kitbag {

/// Runs jobs on several threads and hands them back in the order in which they came, on the
/// caller's thread. Bounded: at most `depth` jobs, one at least, are under way. With no threads,
/// jobs run at once on the caller's. One thread calls.
template <class Job>
class OrderedPool {
 public:
  using Work = std::function<void(Job&)>;

  /// `work` runs on the pool's threads, several at a time; `done` on the caller's, in order.
  /// Either may throw; the caller gets it from submit() or drain(), and the pool is then empty:
  /// what came before the faulty job was handed back, what came after it is dropped.
  OrderedPool(unsigned threads, std::size_t depth, Work work, Work done);
  ~OrderedPool();

  /// Takes a job; when `depth` are under way, first hands back the oldest, waiting for it.
  void submit(std::unique_ptr<Job> job);
  /// Waits for all jobs and hands them back.
  void drain();
  /// A job that was handed back, for reuse, or a new one.
  std::unique_ptr<Job> take();

 private:
  struct Slot {
    std::unique_ptr<Job> job;
    std::exception_ptr error;
    bool ready = false;
  };

  std::shared_ptr<Slot> wait_for_front();
  void finish_front();

  Work work_;
  Work done_;
  std::size_t depth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Slot>> slots_;
  std::vector<std::unique_ptr<Job>> idle_;
  std::unique_ptr<ThreadPool> pool_;
};

template <class Job>
OrderedPool<Job>::OrderedPool(unsigned threads, std::size_t depth, Work work, Work done)
    : work_(std::move(work)), done_(std::move(done)), depth_(std::max<std::size_t>(depth, 1)) {
  if (threads > 0) pool_ = std::make_unique<ThreadPool>(threads);
}

template <class Job>
OrderedPool<Job>::~OrderedPool() {
  pool_.reset();  // joins: no job touches a member that is gone
}

template <class Job>
void OrderedPool<Job>::submit(std::unique_ptr<Job> job) {
  if (!pool_) {
    work_(*job);
    done_(*job);
    idle_.push_back(std::move(job));
    return;
  }
  // Not earlier, even if it is ready: a caller that counts the results must not depend on the speed
  // of the threads.
  while (slots_.size() >= depth_) finish_front();
  auto slot = std::make_shared<Slot>();
  slot->job = std::move(job);
  pool_->post([this, slot] {
    try {
      work_(*slot->job);
    } catch (...) {
      slot->error = std::current_exception();
    }
    std::lock_guard lock(mutex_);
    slot->ready = true;
    changed_.notify_one();
  });
  slots_.push_back(slot);  // last: a slot that no thread knows would be waited for in vain
}

template <class Job>
void OrderedPool<Job>::drain() {
  while (!slots_.empty()) finish_front();
}

template <class Job>
std::unique_ptr<Job> OrderedPool<Job>::take() {
  if (idle_.empty()) return std::make_unique<Job>();
  auto job = std::move(idle_.back());
  idle_.pop_back();
  return job;
}

template <class Job>
auto OrderedPool<Job>::wait_for_front() -> std::shared_ptr<Slot> {
  auto slot = std::move(slots_.front());
  slots_.pop_front();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return slot->ready; });
  return slot;
}

template <class Job>
void OrderedPool<Job>::finish_front() {
  auto slot = wait_for_front();
  try {
    if (slot->error) std::rethrow_exception(slot->error);
    done_(*slot->job);
  } catch (...) {
    while (!slots_.empty()) wait_for_front();  // the threads still work on these
    throw;
  }
  idle_.push_back(std::move(slot->job));
}

}  // namespace kitbag
