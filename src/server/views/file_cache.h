#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "server/bags/opened_file.h"

// Files that are made when somebody asks for them, and kept in a folder of bounded size. The folder
// is the whole state: a file is there when it is complete, and the time of its last change is when
// it was last asked for. So a server that is restarted finds what it has made, and several servers
// may share a folder.

namespace kitbag::server {

struct FileCacheOptions {
  std::string folder;  ///< made when the first file is
  std::uint64_t max_bytes = 0;
  /// Requests that wait for files or make them. More are refused, so that they cannot keep all
  /// threads of the server busy.
  std::size_t max_waiting = 4;
};

/// Any thread.
class FileCache {
 public:
  /// Called with the size of a file while it is made.
  using Grown = std::function<void(std::uint64_t bytes)>;
  /// Makes the file at `path`, which appears there when it is complete, or not at all.
  using Make =
      std::function<void(const std::string& path, const Grown& grown, const std::stop_token& stop)>;

  explicit FileCache(FileCacheOptions options) : options_(std::move(options)) {}

  /// The file of that key, a number of 32 hexadecimal digits. If it is not there, the first
  /// caller makes it on its own thread, and others wait for it; when all of them have requested to
  /// stop, `make` is stopped. Throws Refusal: 413 for a file that is larger than the cache, 503
  /// when too many are made already, 507 when the folder cannot hold it; Error (cancelled); and
  /// what `make` throws.
  OpenedFile get(const std::string& key, const Make& make, const std::stop_token& stop);

 private:
  /// A file that is being made.
  struct Making {
    std::stop_source stop;
    std::size_t clients = 0;
    std::uint64_t bytes = 0;
    bool is_done = false;
    OpenedFile file;
    std::exception_ptr error;
  };

  void run(const std::string& key, const Make& make, Making& making);
  void leave(Making& making);
  void require_fitting(std::uint64_t bytes) const;
  void make_room(Making& making, std::uint64_t bytes);
  std::string path_of(const std::string& key) const;

  FileCacheOptions options_;
  std::once_flag cleaned_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::shared_ptr<Making>> making_;  ///< by key
  std::size_t waiting_ = 0;
};

/// The folder for files that can be made again: kitbag in $XDG_CACHE_HOME or ~/.cache, or else one
/// of this user in /tmp.
std::string default_cache_folder();

}  // namespace kitbag::server
