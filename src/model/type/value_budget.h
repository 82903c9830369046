#pragma once

#include <cstddef>
#include <cstdint>

namespace kitbag {

/// How many values a payload may have beyond its own bytes: elements that take none, and the
/// defaults of absent fields. It grows with the payload, so that a definition of a few lines cannot
/// make a message of a few bytes endless (three nested arrays of 60,000 empty structures), and no
/// real message comes near it.
class ValueBudget {
 public:
  explicit ValueBudget(std::size_t payload_bytes)
      : left_(kFreeValues + kValuesPerByte * payload_bytes) {}

  /// Throws Error (limit) where `values` are more than what is left.
  void charge(std::uint64_t values) {
    if (!try_charge(values)) fail();
  }
  /// Returns false instead.
  [[nodiscard]] bool try_charge(std::uint64_t values) {
    if (values > left_) return false;
    left_ -= values;
    return true;
  }

 private:
  static constexpr std::uint64_t kFreeValues = 1 << 16;
  static constexpr std::uint64_t kValuesPerByte = 32;

  [[noreturn]] static void fail();

  std::uint64_t left_;
};

}  // namespace kitbag
