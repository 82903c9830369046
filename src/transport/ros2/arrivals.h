#pragma once

#include <cstdint>

namespace kitbag::ros2 {

/// Which messages of one publisher have come in, by the numbers that it gives them one after the
/// other. Several readers may get the same ones; those of one reader count.
class Arrivals {
 public:
  /// Counts those that come in by `reader`, which is only compared.
  explicit Arrivals(const void* reader) : reader_(reader) {}

  struct Verdict {
    bool counts = false;
    std::uint64_t missing = 0;  ///< messages between this one and the one before
  };
  /// A message has come in by `reader`. `number` 0: it is not known.
  Verdict arrived(const void* reader, std::uint64_t number);

  /// Those that come in by `reader` count from the first on that the reader so far did not have,
  /// which may be an older one: what the publisher has kept.
  void move_to(const void* reader) { next_reader_ = reader == reader_ ? nullptr : reader; }
  /// The number of the last one that counted; 0: there was none.
  std::uint64_t last() const { return last_; }

 private:
  const void* reader_;
  const void* next_reader_ = nullptr;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t had_first_ = 0;  ///< by the reader before, up to the next
  std::uint64_t had_last_ = 0;
};

}  // namespace kitbag::ros2
