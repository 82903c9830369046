#include "kitbag/bookmark.h"

#include "model/has_bookmarks.h"

namespace kitbag {

BookmarkPtr bookmark_of(const Source& source) {
  const auto* marked = dynamic_cast<const HasBookmarks*>(&source);
  return marked ? marked->bookmark() : nullptr;
}

}  // namespace kitbag
