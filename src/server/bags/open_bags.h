#pragma once

#include <cstddef>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/session.h"
#include "server/bags/bag_list.h"

namespace kitbag::server {

/// A bag that is open for several requests.
struct OpenBag {
  BagEntryPtr entry;
  BagPtr bag;
};
using OpenBagPtr = std::shared_ptr<const OpenBag>;

/// The bags that were asked for last, kept open: a player asks for slice after slice, and opening
/// reads the whole index. A bag that is asked for by several requests at once is opened once. Any
/// thread.
class OpenBags {
 public:
  /// `capacity` is a number of bags.
  OpenBags(std::size_t capacity, const Session& session) : capacity_(capacity), session_(session) {}

  /// The bag in the state of `entry`. Throws Error as Session::open() does.
  OpenBagPtr open(const BagEntryPtr& entry);

 private:
  struct Kept {
    std::string path;
    std::string version;
    std::shared_future<OpenBagPtr> bag;
  };

  OpenBagPtr load(const BagEntryPtr& entry) const;

  std::size_t capacity_;
  Session session_;
  std::mutex mutex_;
  std::list<Kept> kept_;  ///< the one that was asked for last is the first
};

}  // namespace kitbag::server
