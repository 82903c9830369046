#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "payload/expression.h"

namespace kitbag {

/// What is known of the values of a field in some messages: they are numbers between two.
struct ValueBounds {
  double least = 0;
  double most = 0;
  /// Some messages have no value there, or one that is not a number (NaN).
  bool has_others = false;
  bool is_absent = false;  ///< their type has no such field
};

/// A condition as it can be judged without messages, by what is known of their numbers.
class ConditionBounds {
 public:
  /// Throws Error (invalid) for a condition that is not valid.
  explicit ConditionBounds(const std::string& condition);

  /// The bounds of the field with this path; nothing: they are not known.
  using BoundsOf = std::function<std::optional<ValueBounds>(const std::string& path)>;

  /// Returns false only if certainly no message meets the condition, among those of a topic whose
  /// fields have these bounds.
  bool may_be_met(std::string_view topic, const BoundsOf& bounds_of) const;

 private:
  ExpressionNode expression_;
};

}  // namespace kitbag
