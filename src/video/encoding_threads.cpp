#include "video/encoding_threads.h"

#include <new>

// A job is for the thread of its topic, as each frame is made of the one before it. One mutex and
// one condition serve all threads; encoding a picture takes far longer than what is done under the
// mutex. A flag is set under it, behind all that the job has made: whoever sees the flag sees the
// frame.

namespace kitbag {

EncodingThreads::~EncodingThreads() {
  for (auto& each : threads_) each->thread.request_stop();
}

std::size_t EncodingThreads::add_topic() {
  std::size_t thread = topics_++ % most_;
  if (thread < threads_.size()) return thread;
  auto& added = threads_.emplace_back(std::make_unique<Thread>());
  added->thread =
      std::jthread([this, own = added.get()](const std::stop_token& stop) { work(*own, stop); });
  return thread;
}

void EncodingThreads::give(std::size_t thread, EncodingJob& job, bool& is_done) {
  std::lock_guard lock(mutex_);
  threads_[thread]->waiting.push_back({&job, &is_done});
  changed_.notify_all();
}

bool EncodingThreads::is_done(const bool& flag) const {
  std::lock_guard lock(mutex_);
  return flag;
}

bool EncodingThreads::await(const bool& flag, const Wait& wait) {
  std::unique_lock lock(mutex_);
  return clock_->wait(lock, changed_, wait, [&flag] { return flag; });
}

void EncodingThreads::work(Thread& own, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&own] { return !own.waiting.empty(); })) {
    if (stop.stop_requested()) return;
    Thread::Given given = own.waiting.front();
    own.waiting.pop_front();
    lock.unlock();
    EncodingJob& job = *given.job;
    try {
      job.made = job.topic->encode(job.message, {stop, kNever});
    } catch (const Error& error) {
      job.error = error;
    } catch (const std::bad_alloc&) {
      job.error = Error(ErrorCode::limit, "there is no memory to encode the picture");
    } catch (const std::exception& error) {
      job.error = Error(ErrorCode::unsupported, error.what());
    }
    lock.lock();
    *given.is_done = true;
    changed_.notify_all();
  }
}

}  // namespace kitbag
