#include "payload/path_finder.h"

#include <fmt/format.h>

// Stands in front of an encoder, or of nothing, when a message that has failed is decoded once
// more. Packed lists are taken apart, so that the error comes at the element that is wrong. The
// path is that of the value that was begun last: what ended is popped, or counted as an element.

namespace kitbag {

std::string PathFinder::path() const {
  std::string path;
  for (const Level& level : levels_) {
    if (level.is_list) {
      path += fmt::format("[{}]", level.element);
    } else if (!level.field.empty()) {
      path += (path.empty() ? "" : ".") + level.field;
    }
  }
  return path;
}

/// A value of the innermost list has ended.
void PathFinder::count() {
  if (!levels_.empty() && levels_.back().is_list) ++levels_.back().element;
}

void PathFinder::begin_struct(const Type& type) {
  levels_.emplace_back();
  if (target_) target_->begin_struct(type);
}

void PathFinder::field(const Field& field) {
  levels_.back().field = field.name;
  if (target_) target_->field(field);
}

void PathFinder::end_struct() {
  if (target_) target_->end_struct();
  levels_.pop_back();
  count();
}

void PathFinder::begin_array(const Type& type, std::size_t count) {
  if (target_) target_->begin_array(type, count);
  levels_.emplace_back().is_list = true;
}

void PathFinder::end_array() {
  if (target_) target_->end_array();
  levels_.pop_back();
  count();
}

/// One by one, to find the value that the target refuses.
void PathFinder::packed(const Type& type, ByteView bytes) {
  unpack(type, bytes, *this);
}

}  // namespace kitbag
