#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "storage/directory/store.h"

namespace kitbag::directory {

/// Bag::find_last() of a directory: its files are asked from the one that ends last backwards,
/// until each channel is found. That a channel has nothing before a time, for which all files had
/// to be asked, is remembered. Any thread.
class LastMessages {
 public:
  explicit LastMessages(std::shared_ptr<const Store> store) : store_(std::move(store)) {}

  Batch find(const LastQuery& query, const Wait& wait);

 private:
  class Search;

  std::shared_ptr<const Store> store_;
  std::mutex mutex_;
  std::map<std::uint32_t, Time> silent_until_;  ///< by slot: no message before this log time
};

}  // namespace kitbag::directory
