#pragma once

#include <string>
#include <string_view>

#include "payload/condition_node.h"

// What values of conditions are, and which can be compared: a condition that can never hold is a
// mistake. Of payloads that describe themselves no kinds are known. There, values that cannot be
// compared are different.

namespace kitbag {

/// "a number"
std::string_view name_of(ValueKind kind);
ValueKind kind_of(const Type& type);
ValueKind kind_of(const Scalar& value);
/// What can be calculated with, as far as it is known.
bool is_numeric(ValueKind kind);
/// A time or a duration.
bool is_time(ValueKind kind);

/// Throws Error (invalid).
[[noreturn]] void refuse_condition(std::string text);

/// Makes texts of one side into what they stand for beside the other: a time, a duration, a value
/// of an enumeration. Throws Error (invalid), which says what to compare instead.
void require_comparable(Condition::Node& a, Condition::Node& b);

}  // namespace kitbag
