#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/thread_pool.h"

namespace kitbag {

/// Brings a file's data to the disk while others go on writing to it: a sync takes as long as a
/// thousand messages. One thread at a time calls.
class BackgroundSync {
 public:
  /// `sync_data`: fdatasync(2), but for tests; an errno or 0.
  explicit BackgroundSync(std::string path, std::function<int(int)> sync_data = sync_file_data);
  /// Waits for what was begun.
  ~BackgroundSync();

  /// What the file has by now will be on the disk, at the latest when the sync behind the one that
  /// is under way has ended. Throws Error (io) if one before has failed, and begins none any more.
  void begin(int file);
  /// All that was begun has ended when it returns; the file may be closed. Throws as begin().
  void finish();

 private:
  static int sync_file_data(int file);
  void run(int file);
  void check() const;

  std::string path_;
  std::function<int(int)> sync_data_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_running_ = false;
  bool is_wanted_again_ = false;
  int error_ = 0;
  std::unique_ptr<ThreadPool> thread_;  ///< from the first begin(); last: it ends before the rest
};

}  // namespace kitbag
