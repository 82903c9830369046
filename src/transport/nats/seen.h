#pragma once

#include <cstdint>
#include <vector>

namespace kitbag::nats {

/// Which numbers came already, of messages that may come in any order and twice. Remembers those
/// below the newest one, as many as it was made for.
class Seen {
 public:
  explicit Seen(std::uint64_t numbers) : seen_(numbers) {}

  /// Whether `number` is new; from then on it is not. One that is further back than what is
  /// remembered counts as new: to store a message twice is better than not at all.
  bool take(std::uint64_t number);

 private:
  std::vector<bool> seen_;  ///< by the remainder of a number
  std::uint64_t newest_ = 0;
};

}  // namespace kitbag::nats
