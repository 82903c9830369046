#include "io/output/background_sync.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "io/posix.h"

//     begin     begin     begin                    finish
//     |--------- sync 1 ---------||--- sync 2 ---|
//               ^ wanted again, however often      ^ returns here
//
// A begin() while a sync is under way may concern data that this sync does not include. So another
// one follows it, but only one, whatever the number of calls in between. begin() never waits. The
// descriptor is the caller's and must stay open until finish() has returned.
//
// After a failure, no sync is started and every call throws. The kernel reports a failed write once
// and may then count its pages as clean; a second sync would succeed although the data is lost.

namespace kitbag {

BackgroundSync::BackgroundSync(std::string path, std::function<int(int)> sync_data)
    : path_(std::move(path)), sync_data_(std::move(sync_data)) {}

BackgroundSync::~BackgroundSync() = default;

int BackgroundSync::sync_file_data(int file) {
  return ::fdatasync(file) == 0 ? 0 : errno;
}

void BackgroundSync::begin(int file) {
  std::lock_guard lock(mutex_);
  check();
  if (is_running_) {
    is_wanted_again_ = true;
    return;
  }
  if (!thread_) thread_ = std::make_unique<ThreadPool>(1);
  is_running_ = true;
  thread_->post([this, file] { run(file); });
}

void BackgroundSync::run(int file) {
  std::unique_lock lock(mutex_);
  do {
    is_wanted_again_ = false;
    lock.unlock();
    int error = sync_data_(file);
    lock.lock();
    error_ = error;
  } while (is_wanted_again_ && error_ == 0);
  is_running_ = false;
  ended_.notify_all();
}

void BackgroundSync::finish() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return !is_running_; });
  check();
}

/// A failed sync is never tried again: the system may have forgotten what it could not write.
void BackgroundSync::check() const {
  if (error_ != 0) throw system_error("write to the disk", error_, path_);
}

}  // namespace kitbag
