#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

#include "kitbag/error.h"
#include "server/api/series_file.h"
#include "server/views/file_cache.h"
#include "server/views/shared_work.h"

namespace kitbag::server {

/// The finest series of whole bags, from which coarser ones are made: as files in the cache, and
/// those that were asked for last also in memory. A key is a cache_key(). Any thread.
class KeptSeries {
 public:
  /// A series that has just been read.
  struct Made {
    ReadSeries series;
    bool may_be_kept = true;  ///< false: the bag has changed meanwhile
  };
  using Read = std::function<Made(const std::stop_token& stop)>;

  /// `files` must outlive this. `on_warning` is called, from any thread, when a series cannot be
  /// stored: once, until one can be stored again.
  KeptSeries(std::size_t max_memory_bytes, FileCache& files, OnWarning on_warning)
      : max_bytes_(max_memory_bytes), files_(files), on_warning_(std::move(on_warning)) {}

  /// Null: there is none.
  ReadSeriesPtr find(const std::string& key);
  /// If there is none, the first caller reads it, on its own thread, and others wait for it; when
  /// all of them have requested to stop, `read` is stopped. Throws Error (cancelled), and what
  /// `read` throws. That it cannot be stored is no error.
  ReadSeriesPtr get(const std::string& key, const Read& read, const std::stop_token& stop);

 private:
  struct Kept {
    std::string key;
    ReadSeriesPtr series;
    std::size_t bytes = 0;
  };

  ReadSeriesPtr find_in_memory(const std::string& key);
  ReadSeriesPtr kept(const std::string& key);
  ReadSeriesPtr load(const std::string& key) const;
  void keep(const std::string& key, ReadSeriesPtr series);
  void store(const std::string& key, const ReadSeries& series);

  std::size_t max_bytes_;
  FileCache& files_;
  OnWarning on_warning_;
  std::atomic<bool> has_warned_ = false;
  SharedWork<ReadSeriesPtr> reading_;
  std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::list<Kept> kept_;  ///< in memory; the one that was asked for last is the first
};

}  // namespace kitbag::server
