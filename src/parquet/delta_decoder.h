#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kitbag/bytes.h"

namespace kitbag::parquet {

/// Reads the encoding DELTA_BINARY_PACKED, which put_deltas() writes.
class DeltaDecoder {
 public:
  DeltaDecoder() = default;
  /// `bytes` must outlive this. Throws Error (truncated, corrupt).
  explicit DeltaDecoder(ByteView bytes);

  /// How many values there are.
  std::uint64_t count() const { return count_; }
  /// Returns the next value; one of 32 bits has them as its lowest. Throws Error: truncated if
  /// there is none.
  std::uint64_t next();
  /// What follows behind all values. Throws Error likewise.
  ByteView behind() const;

 private:
  void next_block();
  void next_part();

  ByteView bytes_;  ///< behind the part
  std::uint64_t count_ = 0;
  std::uint64_t left_ = 0;  ///< values that next() has not given
  std::uint64_t block_values_ = 0;
  std::uint64_t part_values_ = 0;
  std::uint64_t value_ = 0;
  bool is_first_ = true;
  std::uint64_t least_ = 0;      ///< difference of the block
  ByteView widths_;              ///< of the parts of the block that follow
  std::uint64_t part_left_ = 0;  ///< values of the part that follow
  unsigned width_ = 0;           ///< of the part
  ByteView bits_;                ///< of the part
  std::uint64_t bit_ = 0;
};

}  // namespace kitbag::parquet
