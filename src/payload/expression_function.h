#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "payload/scalar.h"

namespace kitbag {

/// A function of expressions, such as abs(x).
struct ExpressionFunction {
  /// What it does with its arguments.
  enum class Form : std::uint8_t {
    each,    ///< a value for each element of its arguments
    reduce,  ///< with one argument, one value for all its elements; with several, as `each`
    length,  ///< of a list or text that a path leads to
  };
  enum class Domain : std::uint8_t { numbers, amounts, texts, times, any };

  std::string_view name;
  Form form;
  Domain takes;  ///< amounts: numbers, durations or times
  Domain gives;  ///< amounts: what it takes; any: true or false
  std::size_t least;
  std::size_t most;
  /// Of `each`, and of `reduce` with several arguments.
  Scalar (*of)(std::span<const Scalar> values);
};

/// Null if there is none of this name.
const ExpressionFunction* find_function(std::string_view name);
/// For messages to people.
std::vector<std::string> function_names();

/// Gathers the elements of the one argument of a function that reduces.
class Reduction {
 public:
  explicit Reduction(const ExpressionFunction& function) : function_(function) {}
  void add(const Scalar& value);
  Scalar result() const;

 private:
  const ExpressionFunction& function_;
  Scalar so_far_;
  double squares_ = 0;
  std::size_t count_ = 0;
};

}  // namespace kitbag
