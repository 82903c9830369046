#pragma once

#include "kitbag/bookmark.h"

namespace kitbag {

/// A source that implements it has bookmarks.
class HasBookmarks {
 public:
  virtual ~HasBookmarks() = default;
  virtual BookmarkPtr bookmark() const = 0;
};

}  // namespace kitbag
