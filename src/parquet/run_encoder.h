#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer.h"

namespace kitbag::parquet {

/// Small numbers by the encoding RLE of Parquet: runs of one number as the number and how often it
/// comes, what lies between them as bits. For levels, and for indexes of dictionaries.
class RunEncoder {
 public:
  void add(std::uint32_t value, std::uint64_t count) {
    if (value != value_) {
      end_run();
      value_ = value;
    }
    count_ += count;
  }
  void add(std::span<const std::uint8_t> values);
  void add(std::span<const std::uint32_t> values) {
    for (std::uint32_t value : values) add(value, 1);
  }

  /// The numbers so far have at most `width` bits each: to be called before the first one is added.
  void begin(unsigned width);
  /// Ends with all numbers that were added. The result is valid until begin().
  ByteView end();

 private:
  static constexpr std::size_t kGroup = 8;  ///< numbers in bits come by groups

  void end_run();
  void end_groups();

  Buffer out_;
  Buffer groups_;  ///< the groups behind the last run, as bits
  std::uint64_t group_count_ = 0;
  std::array<std::uint32_t, kGroup> open_{};  ///< the next group
  std::size_t open_count_ = 0;
  std::uint32_t value_ = 0;
  std::uint64_t count_ = 0;
  unsigned width_ = 0;
};

}  // namespace kitbag::parquet
