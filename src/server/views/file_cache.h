#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/bytes.h"
#include "server/bags/opened_file.h"
#include "server/views/shared_work.h"

// Files that are made of bags when somebody asks for them, and kept in a folder of bounded size.
// The folder is the whole state: a file is there when it is complete, and the time of its last
// change is when it was last asked for. So a server that is restarted finds what it has made, and
// several servers may share a folder. They do not lie beside the bags: whoever reads bags may not
// be allowed to write there, and a folder of bags that is copied or counted should hold bags.

namespace kitbag::server {

inline constexpr std::string_view kViewExtension = ".mcap";
inline constexpr std::string_view kSliceExtension = ".bag";
inline constexpr std::string_view kSeriesExtension = ".series";
/// Of all files in the cache; a file with another extension is never removed.
inline constexpr std::array kCachedExtensions = {kViewExtension, kSliceExtension, kSeriesExtension};

/// 32 hexadecimal digits that stand for what a file is made of: other parts give other digits.
/// One of them should be changed when the same bag and request give other bytes.
std::string cache_key(const std::vector<std::string>& parts);

struct FileCacheOptions {
  std::string folder;  ///< made when the first file is
  std::uint64_t max_bytes = 0;
  /// Requests that wait for files or make them. More are refused, so that they cannot keep all
  /// threads of the server busy.
  std::size_t max_waiting = 4;
};

/// A name is a cache_key() with one of kCachedExtensions behind it. Any thread.
class FileCache {
 public:
  /// Called with the size of a file while it is made.
  using Grown = std::function<void(std::uint64_t bytes)>;
  /// Makes the file at `path`, which appears there when it is complete, or not at all.
  using Make =
      std::function<void(const std::string& path, const Grown& grown, const std::stop_token& stop)>;

  explicit FileCache(FileCacheOptions options)
      : options_(std::move(options)), making_(options_.max_waiting) {}

  const std::string& folder() const { return options_.folder; }

  /// The file of that name. If it is not there, the first caller makes it on its own thread, and
  /// others wait for it; when all of them have requested to stop, `make` is stopped. Throws
  /// Refusal: 413 for a file that is larger than the cache, 503 when too many are made already, 507
  /// when the folder cannot hold it; Error (cancelled); and what `make` throws.
  OpenedFile get(const std::string& name, const Make& make, const std::stop_token& stop);

  /// The file of that name, noted as used just now; absent: there is none.
  std::optional<OpenedFile> find(const std::string& name) const;

  /// Notes that the content of the file was used, if there is one.
  void note_use(const std::string& name) const;

  /// Stores a file with these bytes. Throws Refusal (413, 503, 507) as get() does.
  void store(const std::string& name, ByteView bytes);

 private:
  /// Room for a file that is being written.
  class Room {
   public:
    explicit Room(FileCache& cache) : cache_(cache) {}
    ~Room() { release(); }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;

    /// So that it is enough for `bytes`, other files are removed.
    void extend(std::uint64_t bytes);
    /// The file has got its name, and counts as one of those in the folder.
    void release();

   private:
    FileCache& cache_;
    std::uint64_t bytes_ = 0;
  };

  OpenedFile make_file(const std::string& name, const Make& make, const std::stop_token& stop);
  /// Passes on what `write` throws; as Refusal (507) where the folder is the reason.
  void write_in_folder(const std::function<void()>& write);
  void require_fitting(std::uint64_t bytes) const;
  void remove_unused();
  std::string path_of(const std::string& name) const { return options_.folder + "/" + name; }

  FileCacheOptions options_;
  std::once_flag cleaned_;
  SharedWork<OpenedFile> making_;    ///< by name
  std::mutex mutex_;                 ///< one at a time removes files
  std::uint64_t being_written_ = 0;  ///< bytes for which there is room
};

/// The folder for files that can be made again: kitbag in $XDG_CACHE_HOME or ~/.cache, or else one
/// of this user in /tmp. Throws Error (io) if that one is another user's.
std::string default_cache_folder();

}  // namespace kitbag::server
