#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrow/target.h"
#include "kitbag/type.h"

namespace kitbag {

/// The path of a field in a message, such as "poses[].position.x" or "ranges[3]".
class FieldPath {
 public:
  /// Throws Error (invalid) for a text that is no path.
  explicit FieldPath(std::string text);

  const std::string& text() const { return text_; }

  /// Returns the type of the column for this path; nothing if `type` has no such field.
  std::optional<arrow::ColumnType> column_type(const Type& type) const;

  /// Returns whether the column has values of several elements, rather than one value of the
  /// message. `type` has the field.
  bool goes_through_lists(const Type& type) const;

  /// Adds to `target`, which belongs to a value of `type`, that this path goes into `column`.
  void bind(const Type& type, arrow::Target& target, arrow::Column& column) const;

 private:
  struct Step {
    enum class Kind : std::uint8_t { name, each, element } kind = Kind::name;
    std::string name = {};
    std::uint64_t element = 0;
  };

  std::optional<arrow::ColumnType> column_type(const Type& type, std::size_t step) const;
  void bind(const Type& type, std::size_t step, arrow::Target& target, arrow::Column& column) const;

  std::string text_;
  std::vector<Step> steps_;
};

/// Adds to `target` that values of `type` go into `column`, with everything that they consist of.
void bind_whole(const Type& type, arrow::Target& target, arrow::Column& column);

/// Returns a field of the structure or union `type` by its name, or null.
const Field* find_field(const Type& type, const std::string& name);

}  // namespace kitbag
