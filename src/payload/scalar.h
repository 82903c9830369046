#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/time.h"
#include "kitbag/type.h"

namespace kitbag {

/// A value in an expression. Texts refer to memory of others. Nothing: there is none, as where a
/// number was divided by zero.
using Scalar = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                            std::string_view, Time, Duration>;

/// What a comparison asks for.
enum class Relation : std::uint8_t { equal, different, less, at_most, more, at_least };

/// Returns whether `relation` holds from a to b. Integers compare exactly, also above 2^63 with
/// negative ones; with a real, both are compared as doubles. A duration compares with a number of
/// seconds. Between other unlike kinds no relation holds but `different`, and none with nothing.
bool holds(Relation relation, const Scalar& a, const Scalar& b);

/// Returns a + b, a - b, a * b, a / b, a % b, or with 'd' the quotient rounded down. Integers stay
/// integers where they can; `%` has the sign of b, as in Python. Nothing for what has no result.
Scalar calculated(char sign, const Scalar& a, const Scalar& b);

bool is_number(const Scalar& value);
/// Returns a number as a double; durations in seconds; NaN for what is no number.
double real_of(const Scalar& value);

/// The values of one path in a message, one for each element if it goes through a list.
class PathValues {
 public:
  void clear();
  void add(const Scalar& value);
  /// Adds a copy of `text`.
  void add_text(std::string_view text);
  /// Adds scalars of `type` as they are stored; they take no more memory than in the message.
  void add_packed(const Type& type, ByteView bytes);

  std::size_t size() const { return packed_count_ > 0 ? packed_count_ : values_.size(); }
  Scalar at(std::size_t index) const;

  /// The path went through a list, so that one value is a list of one.
  bool is_list = false;

 private:
  void unpack();

  std::vector<Scalar> values_;
  std::deque<std::string> texts_;  ///< they do not move, and keep their memory
  std::size_t text_count_ = 0;
  const Type* packed_type_ = nullptr;
  std::size_t packed_count_ = 0;
  std::vector<std::byte> packed_;
};

}  // namespace kitbag
