#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/value.h"
#include "value/path.h"

namespace kitbag {

/// Changes what is at one path of a value. Refers to the path.
class ValueEditor {
 public:
  /// Throws Error (invalid).
  explicit ValueEditor(std::string_view path) : steps_(steps_of(path)) {}

  void set(Value& root, const Value& value);
  void resize(Value& root, std::size_t size);

 private:
  template <class Change>
  void descend(Value& value, std::size_t done, const Change& change, bool is_optional);
  Value& field_of(Value& value, std::size_t done) const;
  Value& element_of(Value& value, std::size_t done) const;
  static Value::Structure& own_structure(Value& value);
  static Value::List& own_list(Value& value);

  std::vector<PathStep> steps_;
};

}  // namespace kitbag
