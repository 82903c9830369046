#include "kitbag/fields.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "payload/field_steps.h"
#include "payload/tape.h"

// Paths become a tree, and the visitor's position in it says whether a value is passed on. A list
// may be written or not: what is wanted of a list is wanted of each element, and what is wanted of
// `list[3]` is wanted of one. A node without children means all that is below it.
//
// Fields come in the order of the type, and are passed on in the order that was asked for. Where
// these differ, the fields of a structure are recorded and replayed at its end.

namespace kitbag {

namespace {

/// What is wanted at one place, and below it.
struct Wanted {
  bool is_whole = false;  ///< a path ends here, so that narrower ones say nothing
  std::map<std::string, Wanted, std::less<>> below = {};
  std::map<std::int64_t, Wanted> elements = {};  ///< negative: from the end
  std::size_t rank = 0;                          ///< when it was asked for

  /// `order`: when the path was asked for.
  void add(const FieldSteps& steps, std::size_t step, std::size_t order) {
    if (is_whole) return;
    if (step == steps.size()) {
      below.clear();
      elements.clear();
      is_whole = true;
    } else if (steps[step].name.empty()) {
      elements[steps[step].element].add(steps, step + 1, order);
    } else {
      auto [found, is_new] = below.try_emplace(steps[step].name);
      if (is_new) found->second.rank = order;
      found->second.add(steps, step + 1, order);
    }
  }
  /// What is wanted here and what is wanted in `other`.
  void unite(const Wanted& other) {
    if (is_whole) return;
    if (other.is_whole) {
      *this = {.is_whole = true, .rank = rank};
      return;
    }
    for (const auto& [name, node] : other.below) {
      auto [found, is_new] = below.try_emplace(name, node);
      if (is_new) continue;
      found->second.rank = std::min(found->second.rank, node.rank);
      found->second.unite(node);
    }
    for (const auto& [index, node] : other.elements) elements[index].unite(node);
  }
};

class FieldSelector final : public LeafVisitor<FieldSelector> {
 public:
  FieldSelector(const std::vector<std::string>& paths, Visitor& target) : target_(target) {
    for (std::size_t i = 0; i < paths.size(); ++i) root_.add(field_steps(paths[i]), 0, i);
    next_ = &root_;
  }

  void begin_struct(const Type& type) override {
    if (leaves_out(1)) return;
    Level level{.node = next_};
    if (is_reordered(type, *next_)) level.tape = std::make_unique<Tape>();
    levels_.push_back(std::move(level));
    next_ = nullptr;
    out().begin_struct(type);
  }
  void field(const Field& field) override {
    if (depth_ > 0) return;
    const Wanted& node = *levels_.back().node;
    auto found = node.below.find(field.name);
    next_ = found != node.below.end() ? &found->second : node.is_whole ? &node : nullptr;
    if (next_) out().field(field);
  }
  void end_struct() override {
    if (closes()) return;
    out().end_struct();
    std::unique_ptr<Tape> tape = std::move(levels_.back().tape);
    const Wanted& node = *levels_.back().node;
    levels_.pop_back();
    if (tape) replay(*tape, node);
    end_value();
  }
  void begin_array(const Type& type, std::size_t count) override {
    if (leaves_out(1)) return;
    levels_.push_back({.node = next_, .is_list = true, .count = static_cast<std::int64_t>(count)});
    out().begin_array(type, count_wanted(levels_.back()));
    choose_element();
  }
  void end_array() override {
    if (closes()) return;
    out().end_array();
    levels_.pop_back();
    end_value();
  }
  template <class Value>
  void leaf(const Type& type, Value value) {
    if (leaves_out(0)) return;
    visit_leaf(type, value, out());
    end_value();
  }
  void packed(const Type& type, ByteView bytes) override {
    if (depth_ > 0) return;
    bool is_list = !levels_.empty() && levels_.back().is_list;
    if (is_list && !levels_.back().node->elements.empty()) return pack_elements(type, bytes);
    const Wanted* node = is_list ? levels_.back().node : next_;
    if (!node) return end_value();
    bool is_partial = type.kind == Kind::structure && !node->below.empty();
    if (is_partial) return unpack(type, bytes, *this);
    out().packed(type, bytes);
    if (is_list)
      levels_.back().element += static_cast<std::int64_t>(bytes.size()) / type.flat_bytes;
    if (!is_list) end_value();
  }

 private:
  struct Level {
    const Wanted* node;
    bool is_list = false;
    std::int64_t element = 0;
    std::int64_t count = 0;
    std::unique_ptr<Tape> tape = {};      ///< of a structure whose fields change their order
    std::unique_ptr<Wanted> united = {};  ///< what is wanted of an element, for two reasons
  };

  /// The innermost tape, or the target.
  Visitor& out() {
    for (std::size_t i = levels_.size(); i-- > 0;) {
      if (levels_[i].tape) return *levels_[i].tape;
    }
    return target_;
  }

  /// The type has the wanted fields in another order than they were asked for. Of types that are
  /// known only from the payload, fields are passed on as they come: they cannot be recorded.
  static bool is_reordered(const Type& type, const Wanted& node) {
    std::size_t last = 0;
    for (const Field& field : type.fields) {
      auto found = node.below.find(field.name);
      if (found == node.below.end()) continue;
      if (found->second.rank < last) return true;
      last = found->second.rank;
    }
    return false;
  }

  void replay(const Tape& tape, const Wanted& node) {
    std::vector<Tape::Part> parts = tape.parts();
    if (parts.empty()) return tape.play(0, tape.size(), out());  // all fields are left out
    std::size_t begin = parts.front().begin;
    std::size_t end = parts.back().end;
    std::sort(parts.begin(), parts.end(), [&](const Tape::Part& a, const Tape::Part& b) {
      return node.below.find(a.field->name)->second.rank <
             node.below.find(b.field->name)->second.rank;
    });
    tape.play(0, begin, out());
    for (const Tape::Part& part : parts) tape.play(part.begin, part.end, out());
    tape.play(end, tape.size(), out());
  }

  /// True: the value that begins is left out.
  bool leaves_out(std::size_t levels) {
    if (depth_ == 0 && next_) return false;
    bool is_whole_value = depth_ == 0 && levels == 0;
    depth_ += levels;
    if (is_whole_value) end_value();
    return true;
  }
  bool closes() {
    if (depth_ == 0) return false;
    if (--depth_ == 0) end_value();
    return true;
  }
  void end_value() {
    next_ = levels_.empty() ? &root_ : nullptr;  // of the next message, or field
    if (levels_.empty() || !levels_.back().is_list) return;
    ++levels_.back().element;
    choose_element();
  }

  /// What of the next element of the innermost list is wanted.
  void choose_element() {
    Level& level = levels_.back();
    const Wanted& node = *level.node;
    next_ = node.is_whole || !node.below.empty() || node.elements.empty() ? &node : nullptr;
    // list[3] and list[-1] may be the same element. What is wanted of the list has other elements
    // of it, and no elements of this one.
    for (std::int64_t index : {level.element, level.element - level.count}) {
      auto found = node.elements.find(index);
      if (found == node.elements.end()) continue;
      if (!next_) {
        next_ = &found->second;
        continue;
      }
      auto united = std::make_unique<Wanted>(*next_);
      if (next_ == &node) united->elements.clear();
      united->unite(found->second);
      level.united = std::move(united);
      next_ = level.united.get();
    }
  }

  /// An encoder has to know the count before the elements come.
  static std::size_t count_wanted(const Level& level) {
    const Wanted& node = *level.node;
    auto all = static_cast<std::size_t>(level.count);
    if (node.is_whole || !node.below.empty() || node.elements.empty()) return all;
    std::vector<std::int64_t> wanted;
    for (const auto& [index, below] : node.elements) {
      std::int64_t element = index < 0 ? index + level.count : index;
      if (element >= 0 && element < level.count) wanted.push_back(element);
    }
    std::sort(wanted.begin(), wanted.end());
    return static_cast<std::size_t>(std::unique(wanted.begin(), wanted.end()) - wanted.begin());
  }

  /// One by one, since some are left out.
  void pack_elements(const Type& type, ByteView bytes) {
    for (std::size_t at = 0; at + type.flat_bytes <= bytes.size(); at += type.flat_bytes) {
      ByteView one = bytes.subspan(at, type.flat_bytes);
      if (next_ && type.kind == Kind::structure && !next_->below.empty()) {
        unpack(type, one, *this);
        continue;
      }
      if (next_) out().packed(type, one);
      end_value();
    }
  }

  Wanted root_;
  Visitor& target_;
  std::vector<Level> levels_;  ///< the structures and lists that are open
  const Wanted* next_;         ///< what is wanted of the value to come; null: nothing
  std::size_t depth_ = 0;      ///< inside of what is left out
};

}  // namespace

std::unique_ptr<Visitor> select_fields(const std::vector<std::string>& paths, Visitor& target) {
  return std::make_unique<FieldSelector>(paths, target);
}

void require_field(const Type& type, const std::string& path) {
  find_place(type, field_steps(path));
}

}  // namespace kitbag
