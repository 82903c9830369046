#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "kitbag/time.h"

namespace kitbag {

/// Limits how many bytes a second pass: after each piece, the time that it should have taken must
/// be over before the next one. One thread.
class Bandwidth {
 public:
  /// Absent: no limit. `clock` must outlive it.
  Bandwidth(std::optional<std::uint64_t> bytes_per_second, Clock& clock)
      : rate_(bytes_per_second), clock_(clock) {}

  /// How much is to pass at once, at most: an eighth of a second, or 1 MiB.
  std::size_t piece_bytes() const;
  /// Waits until `bytes` more may pass, or `stop` is requested.
  void pass(std::uint64_t bytes, const std::stop_token& stop);

 private:
  std::optional<std::uint64_t> rate_;
  Clock& clock_;
  SteadyTime free_ = SteadyTime::min();  ///< when the next piece may pass
};

}  // namespace kitbag
