#pragma once

#include <cstdint>
#include <span>

#include "kitbag/bytes.h"

namespace kitbag::parquet {

/// Numbers of several bytes, seven bits each, the lowest first, as put_unsigned() writes them; what
/// is read is taken from the front of `bytes`. Throws Error (truncated, corrupt).
std::uint64_t take_unsigned(ByteView& bytes);
/// The same as put_signed() writes them.
std::int64_t take_signed(ByteView& bytes);

/// The bits from bit `first` on, at most 64 of them, the lowest bits of a byte first. The caller
/// has checked that they are there.
std::uint64_t bits_at(ByteView bytes, std::uint64_t first, unsigned width);

/// Reads what RunEncoder writes: levels, and indexes of dictionaries.
class RunDecoder {
 public:
  RunDecoder() = default;
  /// `bytes` must outlive this. Throws Error (corrupt) for a width above 32.
  RunDecoder(ByteView bytes, unsigned width);

  /// Fills `out`. Throws Error: truncated if there are fewer numbers, corrupt for runs that make no
  /// sense.
  void read(std::span<std::uint32_t> out);
  void read(std::span<std::uint8_t> out);

 private:
  template <class T>
  void fill(std::span<T> out);
  void next_run();

  ByteView bytes_;  ///< behind the run
  ByteView bits_;   ///< of a run of different numbers
  unsigned width_ = 0;
  std::uint64_t left_ = 0;  ///< of the run
  std::uint64_t bit_ = 0;   ///< the next one in `bits_`
  bool is_repeated_ = false;
  std::uint32_t value_ = 0;
};

}  // namespace kitbag::parquet
