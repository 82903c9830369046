#include "columns/field_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "kitbag/error.h"

// A name in front of a list means the field of each element: `poses.position.x` is
// `poses[].position.x`. So a path depends on the type, and one path can lead to a number in one
// topic and to a list in another. bind() goes the same way as column_type(), and descends into the
// column where that has made a list of it.
//
// Paths through one list share its Target: each adds a column, and the elements are read once for
// all.

namespace kitbag {

FieldPath::FieldPath(std::string text) : text_(std::move(text)) {
  auto fail = [&] {
    throw Error(ErrorCode::invalid, fmt::format("invalid field path \"{}\"", text_));
  };
  for (std::size_t at = 0; at < text_.size();) {
    if (text_[at] == '[') {
      std::size_t end = text_.find(']', at);
      if (end == std::string::npos || steps_.empty()) fail();
      Step step{end == at + 1 ? Step::Kind::each : Step::Kind::element};
      if (step.kind == Step::Kind::element) {
        const char* digits = text_.data() + at + 1;
        auto parsed = std::from_chars(digits, text_.data() + end, step.element);
        if (parsed.ec != std::errc() || parsed.ptr != text_.data() + end) fail();
      }
      steps_.push_back(step);
      at = end + 1;
    } else {
      if (at > 0 && text_[at++] != '.') fail();
      std::size_t end = std::min(text_.find_first_of(".[]", at), text_.size());
      if (end == at) fail();
      steps_.push_back({Step::Kind::name, text_.substr(at, end - at)});
      at = end;
    }
  }
  if (steps_.empty() || text_.back() == '.') fail();
}

bool FieldPath::goes_through_lists(const Type& type) const {
  const Type* at = &type;
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    const Step& one = steps_[step];
    if (is_list(at->kind)) {
      if (one.kind != Step::Kind::element) return true;
      at = at->element;
    } else {
      at = find_field(*at, one.name)->type;
    }
  }
  return false;
}

std::optional<arrow::ColumnType> FieldPath::column_type(const Type& type) const {
  auto column = column_type(type, 0);
  if (column) column->name = text_;
  return column;
}

std::optional<arrow::ColumnType> FieldPath::column_type(const Type& type, std::size_t step) const {
  if (step == steps_.size()) return arrow::column_type(type, {});
  const Step& one = steps_[step];
  if (is_list(type.kind)) {
    bool is_one = one.kind == Step::Kind::element;
    std::size_t behind = one.kind == Step::Kind::name ? step : step + 1;
    if (is_one && type.kind == Kind::array && one.element >= type.length) return std::nullopt;
    auto element = column_type(*type.element, behind);
    if (!element || is_one) return element;
    // All elements as they are: the list itself, which may be binary.
    if (behind == steps_.size()) return arrow::column_type(type, {});
    return arrow::list_type(std::move(*element), {});
  }
  if (one.kind != Step::Kind::name) return std::nullopt;
  const Field* field = find_field(type, one.name);
  if (!field) return std::nullopt;
  return column_type(*field->type, step + 1);
}

void FieldPath::bind(const Type& type, arrow::Target& target, arrow::Column& column) const {
  bind(type, 0, target, column);
}

void FieldPath::bind(const Type& type, std::size_t step, arrow::Target& target,
                     arrow::Column& column) const {
  if (step == steps_.size()) return bind_whole(type, target, column);
  const Step& one = steps_[step];
  if (!is_list(type.kind)) {
    const Field* field = find_field(type, one.name);
    return bind(*field->type, step + 1, target.fields[field->index], column);
  }
  if (one.kind == Step::Kind::element) {
    return bind(*type.element, step + 1, target.elements[one.element], column);
  }
  std::size_t behind = one.kind == Step::Kind::name ? step : step + 1;
  if (behind == steps_.size()) return bind_whole(type, target, column);
  target.columns.push_back(&column);
  if (!target.each) target.each = std::make_unique<arrow::Target>();
  bind(*type.element, behind, *target.each, column.element());
}

void bind_whole(const Type& type, arrow::Target& target, arrow::Column& column) {
  target.columns.push_back(&column);
  switch (column.layout()) {
    case arrow::Layout::structure:
      for (arrow::Column& child : column.children()) {
        const Field* field = find_field(type, child.type().name);
        if (field) {
          bind_whole(*field->type, target.fields[field->index], child);
        } else {
          target.absent.push_back(&child);
        }
      }
      return;
    case arrow::Layout::list:
    case arrow::Layout::fixed_list:
      if (!target.each) target.each = std::make_unique<arrow::Target>();
      return bind_whole(*type.element, *target.each, column.element());
    default:
      return;
  }
}

const Field* find_field(const Type& type, const std::string& name) {
  auto found = std::find_if(type.fields.begin(), type.fields.end(),
                            [&](const Field& field) { return field.name == name; });
  return found == type.fields.end() ? nullptr : &*found;
}

}  // namespace kitbag
