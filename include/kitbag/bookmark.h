#pragma once

#include <memory>

#include "kitbag/export.h"
#include "kitbag/stream.h"

namespace kitbag {

/// A place among the messages of a bag from which they can be read on. It keeps the bag open, but
/// no messages: a reader that has to wait for long keeps a bookmark instead of its source.
class Bookmark {
 public:
  virtual ~Bookmark() = default;

  /// Gives exactly the messages that the source had not given yet, in the same order, without the
  /// extras of the bag. Throws Error as Bag::read() does. Any thread.
  virtual std::unique_ptr<Source> read(const Wait& wait = {}) const = 0;
};
using BookmarkPtr = std::shared_ptr<const Bookmark>;  ///< null: there is none

/// Returns the place that `source` has reached, between two calls of its read(). Null: the source
/// has no bookmarks. Those that Bag::read() returns for rosbags and MCAP files have them.
KITBAG_API BookmarkPtr bookmark_of(const Source& source);

}  // namespace kitbag
