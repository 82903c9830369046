#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/value.h"
#include "value/path.h"

namespace kitbag {

/// "300", "\"text\"", "a list of 5", "a structure (geometry_msgs/Point)": for errors.
std::string what_is(const Value& value);

/// "expected a number, got a list of 3".
Error unexpected(std::string_view what, const Value& value);

/// Why the step `count - 1` of a path leads nowhere from `parent`.
Error no_such(const Value& parent, const std::vector<PathStep>& steps, std::size_t count);

/// An integer of up to 64 bits.
struct WholeNumber {
  std::int64_t value = 0;
  bool is_large = false;  ///< `value` is that of an uint64 beyond INT64_MAX
};

/// Nothing if the value is no integer.
std::optional<WholeNumber> integer_of(const Value& value);

/// The index of a field of a structure; nothing if it has none of this name or is none.
std::optional<std::size_t> index_of(const Value& value, std::string_view name);

Value packed_at(const PackedNumbers& numbers, std::size_t index);

/// Appends a scalar of that type, which `value` must have.
void append_packed(const Type& type, const Value& value, std::vector<std::byte>& to);

/// Whether lists of these elements are packed: numbers and booleans.
bool is_packable(const Type& element);

}  // namespace kitbag
