#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kitbag/excerpt.h"

namespace kitbag::server {

/// The excerpts that were asked for last: a viewer reads one range after another. They hold no file
/// open. Any thread.
class Excerpts {
 public:
  using Result = std::shared_ptr<const std::optional<Excerpt>>;

  /// `max_bytes` is the memory of all, as far as they are made of bytes; one is kept in any case.
  explicit Excerpts(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

  /// The excerpt of that key, or the answer that there is none. `make` is called if it is not
  /// known, for one excerpt at a time: each takes memory. Passes on what it throws.
  Result get(const std::string& key, const std::function<std::optional<Excerpt>()>& make);

 private:
  struct Kept {
    std::string key;
    Result result;
    std::uint64_t bytes = 0;
  };

  Result find(const std::string& key);

  std::uint64_t max_bytes_;
  std::mutex making_;
  std::mutex mutex_;
  std::list<Kept> kept_;  ///< the one that was asked for last is the first
};

}  // namespace kitbag::server
