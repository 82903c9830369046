#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/series.h"

namespace kitbag::server {

/// A series of a bag, and what it leaves out.
struct ReadSeries {
  Series series;
  std::vector<std::string> damage = {};  ///< sentences about what is left out
};

/// The finest series of whole bags, from which coarser ones are made, within a number of bytes;
/// those that were not asked for longest are dropped. Any thread.
class KeptSeries {
 public:
  explicit KeptSeries(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Null: it is not there.
  std::shared_ptr<const ReadSeries> find(const std::string& key);
  void keep(const std::string& key, std::shared_ptr<const ReadSeries> series);

 private:
  struct Kept {
    std::string key;
    std::shared_ptr<const ReadSeries> series;
    std::size_t bytes = 0;
  };

  std::size_t max_bytes_;
  std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::list<Kept> kept_;  ///< the one that was asked for last is the first
};

}  // namespace kitbag::server
