#pragma once

#include <cstddef>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "kitbag/bag.h"
#include "kitbag/definitions.h"
#include "kitbag/session.h"
#include "server/bags/bag_list.h"
#include "server/bags/leases.h"

namespace kitbag::server {

/// A bag that is open for a request. It is leased, and stays so for a minute: a player that has
/// asked for a slice will ask for the next one.
struct OpenBag {
  BagEntryPtr entry;
  BagPtr bag;
  /// Stands for the definitions that the bag lacks and that were found elsewhere; empty: none.
  std::string definitions;
  LeasePtr lease;
};
using OpenBagPtr = std::shared_ptr<const OpenBag>;

/// The bags that were asked for last, kept open: a player asks for slice after slice, and opening
/// reads the whole index. A bag that is asked for by several requests at once is opened once. Any
/// thread.
class OpenBags {
 public:
  /// `capacity` is a number of bags; `definitions` is where definitions are that a bag lacks.
  OpenBags(std::size_t capacity, const Session& session, std::shared_ptr<Leases> leases,
           DefinitionPaths definitions = {})
      : capacity_(capacity),
        session_(session),
        leases_(std::move(leases)),
        definitions_(std::move(definitions)) {}

  /// The bag in the state of `entry`. Throws Error as Session::open() does.
  OpenBagPtr open(const BagEntryPtr& entry);
  /// The file has been deleted: its bag is closed as soon as no request uses it.
  void close(const FileId& file);

 private:
  struct Loaded {
    BagPtr bag;
    std::string definitions;  ///< OpenBag::definitions
  };
  struct Kept {
    std::string path;
    std::string version;
    FileId id;
    std::shared_future<Loaded> bag;
  };

  Loaded find_or_load(const BagEntryPtr& entry);
  Loaded load(const BagEntryPtr& entry) const;

  std::size_t capacity_;
  Session session_;
  std::shared_ptr<Leases> leases_;
  DefinitionPaths definitions_;
  std::mutex mutex_;
  std::list<Kept> kept_;  ///< the one that was asked for last is the first
};

}  // namespace kitbag::server
