#include "kitbag/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "kitbag/error.h"
#include "payload/field_steps.h"

// Paths become a tree of names, and the visitor's position in it says whether a value is passed on.
// Lists have no level of their own in the tree: what is wanted of a list is wanted of each element.
// A node without children means all that is below it.

namespace kitbag {

namespace {

/// The names that are wanted at one place, and what is wanted below each; nothing below: all.
struct Wanted {
  bool is_whole = false;  ///< a path ends here, so that narrower ones say nothing
  std::map<std::string, Wanted, std::less<>> below;
};

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= path.size();) {
    std::size_t end = std::min(path.find('.', begin), path.size());
    names.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  bool is_whole = std::none_of(names.begin(), names.end(), [](auto& name) { return name.empty(); });
  if (is_whole) return names;
  throw Error(ErrorCode::invalid, fmt::format("invalid field path \"{}\"", path));
}

class FieldSelector final : public LeafVisitor<FieldSelector> {
 public:
  FieldSelector(const std::vector<std::string>& paths, Visitor& target) : target_(target) {
    for (const std::string& path : paths) {
      Wanted* node = &root_;
      for (const std::string& name : names_in(path)) {
        if (node->is_whole) break;
        node = &node->below[name];
      }
      node->is_whole = true;
      node->below.clear();
    }
  }

  void begin_struct(const Type& type) override {
    if (open(1)) return;
    nodes_.push_back(next());
    levels_.push_back(false);
    target_.begin_struct(type);
  }
  void field(const Field& field) override {
    if (depth_ > 0) return;
    const Wanted& node = *nodes_.back();
    auto found = node.below.find(field.name);
    is_dropped_ = !node.below.empty() && found == node.below.end();
    if (is_dropped_) return;
    field_ = node.below.empty() ? &node : &found->second;
    target_.field(field);
  }
  void end_struct() override {
    if (close()) return;
    pop();
    target_.end_struct();
  }
  void begin_array(const Type& type, std::size_t count) override {
    if (open(1)) return;
    nodes_.push_back(next());
    levels_.push_back(true);
    target_.begin_array(type, count);
  }
  void end_array() override {
    if (close()) return;
    pop();
    target_.end_array();
  }
  template <class Value>
  void leaf(const Type& type, Value value) {
    if (!open(0)) visit_leaf(type, value, target_);
  }
  void packed(const Type& type, ByteView bytes) override {
    if (depth_ > 0 || is_dropped_) {
      open(0);
    } else if (type.kind == Kind::structure && !next()->below.empty()) {
      unpack(type, bytes, *this);
    } else {
      target_.packed(type, bytes);
    }
  }

 private:
  /// True: the value that begins is left out.
  bool open(std::size_t levels) {
    if (depth_ == 0 && !is_dropped_) return false;
    depth_ += levels;
    if (depth_ == 0) is_dropped_ = false;
    return true;
  }
  bool close() {
    if (depth_ == 0) return false;
    if (--depth_ == 0) is_dropped_ = false;
    return true;
  }
  void pop() {
    nodes_.pop_back();
    levels_.pop_back();
  }
  /// What is wanted of the value that begins: of the field named last, or of each element.
  const Wanted* next() const {
    if (nodes_.empty()) return &root_;
    return levels_.back() ? nodes_.back() : field_;
  }

  Wanted root_;
  Visitor& target_;
  std::vector<const Wanted*> nodes_;  ///< of the structures and lists that are open
  std::vector<bool> levels_;          ///< of these: it is a list
  const Wanted* field_ = nullptr;
  bool is_dropped_ = false;
  std::size_t depth_ = 0;  ///< inside of what is left out
};

}  // namespace

std::unique_ptr<Visitor> select_fields(const std::vector<std::string>& paths, Visitor& target) {
  return std::make_unique<FieldSelector>(paths, target);
}

void require_field(const Type& type, const std::string& path) {
  find_place(type, field_steps(path));
}

}  // namespace kitbag
