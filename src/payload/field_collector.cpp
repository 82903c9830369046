#include "payload/field_collector.h"

#include <algorithm>
#include <utility>

// Paths become a tree, and the visitor walks along it: `next_` are the nodes of the value that
// comes next. There may be several, because a list may be written or not: `points.x` means all
// points, `points[3].x` one of them, and both can stand in one condition. So an element of a list
// belongs to the node of the list, as if that were not there, and to the node of its index.
//
// Large arrays are why packed() does not unpack everything: of a point cloud, a condition on
// data[0] wants one byte, and one on data wants the bytes as they are.
//
// Nothing is allocated for a message that is not larger than those before it.

namespace kitbag {

FieldCollector::FieldCollector(const std::vector<Wanted>& wanted) : values_(wanted.size()) {
  for (std::size_t i = 0; i < wanted.size(); ++i) add_path(wanted[i], i);
}

void FieldCollector::add_path(const Wanted& wanted, std::size_t index) {
  Node* node = &root_;
  for (const FieldStep& step : wanted.path) {
    node = step.name.empty() ? &node->elements[step.element] : &node->fields[step.name];
  }
  if (wanted.part == Part::length) {
    node->lengths.push_back(index);
    return;
  }
  node->values.push_back(index);
  if (wanted.part != Part::below) return;
  if (!node->below) {
    node->below = std::make_unique<Node>();
    node->below->all_below = node->below.get();
    node->all_below = node->below.get();
  }
  node->below->values.push_back(index);
}

void FieldCollector::begin() {
  for (PathValues& values : values_) values.clear();
  depth_ = 0;
  next_.assign(1, {&root_, false});
}

FieldCollector::Level& FieldCollector::begin_level() {
  if (depth_ == levels_.size()) levels_.emplace_back();
  Level& level = levels_[depth_++];
  std::swap(level.places, next_);
  next_.clear();
  level.is_list = false;
  level.role = Role::none;
  level.element = 0;
  level.parts = 0;
  return level;
}

void FieldCollector::add_element(const Node& node, std::int64_t index, bool is_in_list) {
  auto found = node.elements.find(index);
  if (found != node.elements.end()) next_.push_back({&found->second, is_in_list});
}

/// Of a list: what is wanted of its next element.
void FieldCollector::find_next() {
  const Level& level = levels_[depth_ - 1];
  next_.clear();
  for (const Place& place : level.places) {
    next_.push_back({place.node, true, true});  // as if the list were not there
    if (place.node->elements.empty()) continue;
    add_element(*place.node, level.element, place.is_in_list);
    add_element(*place.node, level.element - level.count, place.is_in_list);
  }
}

/// A value has ended: the next one may be the next element.
void FieldCollector::count_value() {
  if (depth_ == 0 || !levels_[depth_ - 1].is_list) return;
  ++levels_[depth_ - 1].element;
  find_next();
}

void FieldCollector::end_level() {
  --depth_;
  next_.clear();
  count_value();
}

void FieldCollector::begin_struct(const Type& type) {
  begin_level().role = type.role;
}

void FieldCollector::field(const Field& field) {
  next_.clear();
  for (const Place& place : levels_[depth_ - 1].places) {
    auto found = place.node->fields.find(field.name);
    if (found != place.node->fields.end()) next_.push_back({&found->second, place.is_in_list});
    if (place.node->all_below) next_.push_back({place.node->all_below, place.is_in_list});
  }
}

void FieldCollector::end_struct() {
  const Level& level = levels_[depth_ - 1];
  if (level.role != Role::none && level.parts == 2) {
    constexpr std::int64_t kNsPerSecond = 1'000'000'000;
    std::int64_t ns = 0;
    // A time beyond 64 bits of nanoseconds is no value: a single message must not end a query.
    bool is_valid = !__builtin_mul_overflow(level.seconds, kNsPerSecond, &ns) &&
                    !__builtin_add_overflow(ns, level.ns, &ns);
    Scalar value;
    if (is_valid && level.role == Role::time) value = from_ns(ns);
    if (is_valid && level.role == Role::duration) value = Duration(ns);
    for (const Place& place : level.places) {
      for (std::size_t path : place.node->values) {
        values_[path].add(value);
        values_[path].is_list |= place.is_in_list;
      }
    }
  }
  end_level();
}

void FieldCollector::begin_array(const Type&, std::size_t count) {
  for (const Place& place : next_) {
    if (place.is_each) continue;  // the list around it counts
    for (std::size_t path : place.node->lengths) {
      values_[path].add(static_cast<std::uint64_t>(count));
    }
  }
  Level& level = begin_level();
  level.is_list = true;
  level.count = static_cast<std::int64_t>(count);
  find_next();
}

void FieldCollector::end_array() {
  end_level();
}

void FieldCollector::take(const Scalar& value) {
  if (depth_ > 0 && levels_[depth_ - 1].role != Role::none) {
    Level& level = levels_[depth_ - 1];
    std::int64_t part = 0;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) part = *integer;
    if (const auto* natural = std::get_if<std::uint64_t>(&value)) {
      part = static_cast<std::int64_t>(*natural);
    }
    (level.parts++ == 0 ? level.seconds : level.ns) = part;
  }
  for (const Place& place : next_) {
    for (std::size_t path : place.node->values) {
      values_[path].add(value);
      values_[path].is_list |= place.is_in_list;
    }
  }
  count_value();
}

void FieldCollector::take_text(std::string_view text) {
  for (const Place& place : next_) {
    for (std::size_t path : place.node->values) {
      values_[path].add_text(text);
      values_[path].is_list |= place.is_in_list;
    }
    if (place.node->lengths.empty() || place.is_each) continue;
    auto is_begin = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    auto characters = static_cast<std::uint64_t>(std::count_if(text.begin(), text.end(), is_begin));
    for (std::size_t path : place.node->lengths) values_[path].add(characters);
  }
  count_value();
}

/// Of a long list only what is wanted.
void FieldCollector::packed(const Type& type, ByteView bytes) {
  if (depth_ == 0 || !levels_[depth_ - 1].is_list) {
    if (!next_.empty()) unpack(type, bytes, *this);
    return;
  }
  const Places& places = levels_[depth_ - 1].places;
  bool has_fields = std::any_of(places.begin(), places.end(), [](const Place& place) {
    return !place.node->fields.empty() || place.node->all_below;
  });
  bool has_values = std::any_of(places.begin(), places.end(),
                                [](const Place& place) { return !place.node->values.empty(); });
  if (!is_scalar(type.kind) && (has_fields || has_values)) return unpack(type, bytes, *this);
  // The list may come in several calls: protobuf has lists that are not packed.
  std::int64_t first = levels_[depth_ - 1].element;
  std::int64_t end = first + static_cast<std::int64_t>(bytes.size() / type.flat_bytes);
  chosen_.clear();
  for (const Place& place : places) {
    for (std::size_t path : place.node->values) {
      values_[path].add_packed(type, bytes);
      values_[path].is_list = true;
    }
    for (const auto& [index, below] : place.node->elements) {
      std::int64_t element = index < 0 ? index + levels_[depth_ - 1].count : index;
      if (element >= first && element < end) chosen_.push_back(element);
    }
  }
  std::sort(chosen_.begin(), chosen_.end());
  chosen_.erase(std::unique(chosen_.begin(), chosen_.end()), chosen_.end());
  for (std::int64_t element : chosen_) {
    levels_[depth_ - 1].element = element;
    find_next();
    std::erase_if(next_, [](const Place& place) { return place.is_each; });  // it was added above
    auto offset = static_cast<std::size_t>(element - first) * type.flat_bytes;
    unpack(type, bytes.subspan(offset, type.flat_bytes), *this);
  }
  levels_[depth_ - 1].element = end;
  find_next();
}

}  // namespace kitbag
