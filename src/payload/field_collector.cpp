#include "payload/field_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kitbag/error.h"

// Paths become a tree, and the visitor walks along it: `next_` are the nodes of the value that
// comes next. There may be several, because a list may be written or not: `points.x` means all
// points, `points[3].x` one of them, and both can stand in one condition. So an element of a list
// belongs to the node of the list, as if that were not there, and to the node of its index.
//
// Large arrays are why packed() does not unpack everything: of a point cloud, a condition on
// data[0] wants one byte.

namespace kitbag {

FieldCollector::FieldCollector(const std::vector<std::string>& paths) : values_(paths.size()) {
  for (std::size_t i = 0; i < paths.size(); ++i) add_path(paths[i], i);
}

void FieldCollector::add_path(const std::string& path, std::size_t index) {
  auto fail = [&] {
    throw Error(ErrorCode::invalid, fmt::format("invalid field path \"{}\"", path));
  };
  Node* node = &root_;
  for (std::size_t at = 0; at < path.size();) {
    if (path[at] == '[') {
      std::size_t element = 0;
      const char* end = path.data() + path.size();
      auto parsed = std::from_chars(path.data() + at + 1, end, element);
      if (parsed.ec != std::errc() || parsed.ptr == end || *parsed.ptr != ']') fail();
      node = &node->elements[element];
      at = static_cast<std::size_t>(parsed.ptr - path.data()) + 1;
    } else {
      if (at > 0 && path[at++] != '.') fail();
      std::size_t end = std::min(path.find_first_of(".[", at), path.size());
      if (end == at) fail();
      node = &node->fields[path.substr(at, end - at)];
      at = end;
    }
  }
  if (node == &root_) fail();
  node->paths.push_back(index);
}

void FieldCollector::begin() {
  for (auto& values : values_) values.clear();
  levels_.clear();
  next_ = {&root_};
}

void FieldCollector::begin_level(bool is_list) {
  levels_.push_back({std::move(next_), is_list});
  next_.clear();
  if (is_list) find_next();
}

/// Of a list: what is wanted of its next element.
void FieldCollector::find_next() {
  const Level& level = levels_.back();
  next_.clear();
  for (const Node* node : level.nodes) {
    next_.push_back(node);  // as if the list were not there
    auto found = node->elements.find(level.element);
    if (found != node->elements.end()) next_.push_back(&found->second);
  }
}

void FieldCollector::end_level() {
  levels_.pop_back();
  next_.clear();
  if (levels_.empty() || !levels_.back().is_list) return;
  ++levels_.back().element;
  find_next();
}

void FieldCollector::begin_struct(const Type&) {
  begin_level(false);
}

void FieldCollector::field(const Field& field) {
  next_.clear();
  for (const Node* node : levels_.back().nodes) {
    auto found = node->fields.find(field.name);
    if (found != node->fields.end()) next_.push_back(&found->second);
  }
}

void FieldCollector::end_struct() {
  end_level();
}

void FieldCollector::begin_array(const Type&, std::size_t) {
  begin_level(true);
}

void FieldCollector::end_array() {
  end_level();
}

void FieldCollector::take(const Scalar& value) {
  for (const Node* node : next_) {
    for (std::size_t path : node->paths) values_[path].push_back(value);
  }
  if (levels_.empty() || !levels_.back().is_list) return;
  ++levels_.back().element;
  find_next();
}

/// Of a long list only what is wanted.
void FieldCollector::packed(const Type& type, ByteView bytes) {
  bool is_list = !levels_.empty() && levels_.back().is_list;
  const Nodes& nodes = is_list ? levels_.back().nodes : next_;
  bool wants_all = std::any_of(nodes.begin(), nodes.end(), [&](const Node* node) {
    return !is_list || !node->paths.empty() || !node->fields.empty();
  });
  if (wants_all) return unpack(type, bytes, *this);
  if (!is_list) return;
  // The list may come in several calls: protobuf has lists that are not packed.
  std::size_t first = levels_.back().element;
  std::size_t end = first + bytes.size() / type.flat_bytes;
  std::vector<std::size_t> wanted;
  for (const Node* node : nodes) {
    for (const auto& [element, below] : node->elements) {
      if (element >= first && element < end) wanted.push_back(element);
    }
  }
  for (std::size_t element : wanted) {
    levels_.back().element = element;
    find_next();
    unpack(type, bytes.subspan((element - first) * type.flat_bytes, type.flat_bytes), *this);
  }
  levels_.back().element = end;
  find_next();
}

}  // namespace kitbag
