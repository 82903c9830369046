#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>

#include "io/remote/block_cache.h"
#include "kitbag/remote_options.h"

namespace kitbag {

/// Blocks of remote files in a folder, a file each. Several processes may share it. What cannot be
/// read or written counts as not there. Any thread.
class DiskCache {
 public:
  /// Uses the folder, the bound and the warnings of `options`. Creates nothing yet.
  explicit DiskCache(const RemoteOptions& options);
  /// Waits until everything is stored.
  ~DiskCache();
  DiskCache(const DiskCache&) = delete;
  DiskCache& operator=(const DiskCache&) = delete;

  /// Fills `into` with the block of this size and returns true if it is there as it was stored.
  /// `file` stands for a file and its version.
  bool find(const std::string& file, std::uint64_t number, std::span<std::byte> into);
  /// Stores a complete block soon. Waits while many are to be stored.
  void store(const std::string& file, std::uint64_t number, BlockPtr block);

 private:
  struct Waiting {
    std::string file;
    std::uint64_t number = 0;
    BlockPtr block;
  };

  std::string path_of(const std::string& file, std::uint64_t number) const;
  void write_when_asked();
  void write(const Waiting& waiting);
  void make_room(std::uint64_t bytes);
  void warn_once(const std::string& text);

  const std::string folder_;
  const std::uint64_t most_bytes_;
  const OnWarning on_warning_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool is_ending_ = false;
  std::set<std::string> warned_;  ///< of the thread alone
  std::uint64_t held_bytes_ = 0;  ///< likewise: as of the last look, and what was written since
  std::uint64_t since_look_ = UINT64_MAX;  ///< likewise: bytes written since then
  std::thread thread_;
};

}  // namespace kitbag
