#include "arrow/target.h"

#include <algorithm>
#include <functional>

// A null of a structure or of a fixed-size list fills its children up, so these must not get a null
// of their own; but a Target may have a child of that structure as a column for itself, by a path.
// It is told from the others by its address in the parent.

namespace kitbag::arrow {

namespace {

bool is_child(const Column* column, Column& parent) {
  const auto& children = parent.children();
  return std::any_of(children.begin(), children.end(),
                     [&](const Column& child) { return &child == column; });
}

/// `around`: the columns of the value around, whose own null covers their children.
void add_nulls(const Target& target, const std::vector<Column*>& around) {
  for (Column* column : target.columns) {
    bool is_covered = std::any_of(around.begin(), around.end(),
                                  [&](Column* parent) { return is_child(column, *parent); });
    if (!is_covered) column->add_null();
  }
  for (const auto& [index, field] : target.fields) add_nulls(field, target.columns);
  for (const auto& [index, element] : target.elements) add_nulls(element, target.columns);
}

}  // namespace

void add_nulls(const Target& target) {
  add_nulls(target, {});
}

}  // namespace kitbag::arrow
