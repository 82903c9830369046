#include "payload/field_extractor.h"

// Passes on one field of a message without the message around it. The calls of the decoder are a
// walk along the path. `next_` is the step at which the next value stands: kNothing if it is not
// wanted, the number of steps if it is the value that the path leads to. From there on all calls
// are passed on until the value ends; `inside_` counts its levels. What is not wanted is passed
// over likewise.
//
// A list on the way that the path has no index for becomes a list of what is in its elements:
// `poses.position.x` gives numbers. Of a packed list, one element is cut out and the others are not
// looked at.

namespace kitbag {

void FieldExtractor::begin() {
  levels_.clear();
  next_ = inside_ = outside_ = 0;
  has_value_ = false;
}

/// What of the next value is wanted.
void FieldExtractor::end_value() {
  next_ = kNothing;
  if (levels_.empty() || levels_.back().what == What::structure) return;
  Level& level = levels_.back();
  ++level.element;
  if (level.what == What::all_elements) next_ = level.step;
  if (level.what == What::one_element && level.element == level.wanted) next_ = level.step + 1;
}

bool FieldExtractor::begins_whole() {
  if (outside_ > 0 || (inside_ == 0 && next_ == kNothing)) {
    ++outside_;
    return true;
  }
  if (inside_ == 0 && next_ < steps_.size()) return false;
  has_value_ = true;
  ++inside_;
  return true;
}

bool FieldExtractor::ends_whole(bool& is_inside) {
  is_inside = inside_ > 0;
  if (inside_ == 0 && outside_ == 0) return false;
  std::size_t& depth = is_inside ? inside_ : outside_;
  --depth;
  return true;
}

void FieldExtractor::begin_struct(const Type& type) {
  if (begins_whole()) {
    if (inside_ > 0) target_.begin_struct(type);
    return;
  }
  levels_.push_back({What::structure, next_});
  next_ = kNothing;
}

void FieldExtractor::field(const Field& field) {
  if (inside_ > 0) return target_.field(field);
  if (outside_ > 0) return;
  std::size_t step = levels_.back().step;
  next_ = steps_[step].name == field.name ? step + 1 : kNothing;
}

void FieldExtractor::end_struct() {
  bool is_inside = false;
  if (ends_whole(is_inside)) {
    if (is_inside) target_.end_struct();
    if (inside_ == 0 && outside_ == 0) end_value();
    return;
  }
  levels_.pop_back();
  end_value();
}

void FieldExtractor::begin_array(const Type& type, std::size_t count) {
  if (begins_whole()) {
    if (inside_ > 0) target_.begin_array(type, count);
    return;
  }
  const FieldStep& step = steps_[next_];
  if (!step.name.empty()) {
    has_value_ = true;
    target_.begin_array(type, count);
    levels_.push_back({What::all_elements, next_});
    return;
  }
  Level level{What::one_element, next_, step.element};
  if (level.wanted < 0) level.wanted += static_cast<std::int64_t>(count);
  levels_.push_back(level);
  next_ = level.wanted == 0 ? level.step + 1 : kNothing;
}

void FieldExtractor::end_array() {
  bool is_inside = false;
  if (ends_whole(is_inside)) {
    if (is_inside) target_.end_array();
    if (inside_ == 0 && outside_ == 0) end_value();
    return;
  }
  if (levels_.back().what == What::all_elements) target_.end_array();
  levels_.pop_back();
  end_value();
}

void FieldExtractor::packed(const Type& type, ByteView bytes) {
  if (inside_ > 0) return target_.packed(type, bytes);
  if (outside_ > 0) return;
  if (levels_.empty() || levels_.back().what != What::one_element) {
    bool is_in_list = !levels_.empty() && levels_.back().what == What::all_elements;
    if (!is_in_list && next_ == kNothing) return end_value();
    if (next_ < steps_.size()) return unpack(type, bytes, *this);
    has_value_ = true;
    target_.packed(type, bytes);
    return end_value();
  }
  Level& level = levels_.back();
  std::int64_t end = level.element + static_cast<std::int64_t>(bytes.size() / type.flat_bytes);
  if (level.wanted >= level.element && level.wanted < end) {
    auto offset = static_cast<std::size_t>(level.wanted - level.element) * type.flat_bytes;
    next_ = level.step + 1;
    levels_.back().element = level.wanted;
    ByteView one = bytes.subspan(offset, type.flat_bytes);
    if (next_ < steps_.size()) {
      unpack(type, one, *this);
    } else {
      has_value_ = true;
      target_.packed(type, one);
    }
  }
  // Not `level`: unpack() may have moved it, as it opens and closes levels.
  levels_.back().element = end;
  next_ = levels_.back().wanted == end ? levels_.back().step + 1 : kNothing;
}

}  // namespace kitbag
