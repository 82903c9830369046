#pragma once

#include <cstdint>
#include <list>
#include <set>
#include <string>

#include "kitbag/upload.h"

namespace kitbag {

/// The files that wait for their upload, in the order in which they came. One thread at a time.
class UploadQueue {
 public:
  struct Item {
    UploadFile file;
    std::string path;
    std::uint64_t bytes = 0;
    bool was_told = false;  ///< that it cannot be read
  };

  /// False: it waits already.
  bool add(const UploadFile& file, const std::string& path, std::uint64_t bytes);
  /// The first that may be uploaded now; null: there is none.
  Item* first();
  /// `item` is done.
  void remove(Item* item);
  /// `item` has failed: others come first.
  void put_last(Item* item);

  bool empty() const { return items_.empty(); }
  std::uint64_t files() const { return items_.size(); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  bool must_wait(const Item& item) const;
  std::list<Item>::iterator place_of(const Item* item);

  std::list<Item> items_;  // whose addresses stay
  std::set<std::string> paths_;
  std::uint64_t bytes_ = 0;
};

}  // namespace kitbag
