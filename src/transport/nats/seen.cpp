#include "transport/nats/seen.h"

#include <algorithm>

// A ring of bits, one for each number of the window below the newest one: a jump of any size costs
// at most one pass over it, and a sender that makes numbers up cannot make it grow.

namespace kitbag::nats {

bool Seen::take(std::uint64_t number) {
  std::uint64_t size = seen_.size();
  if (number > newest_) {
    // The places of what lies between are still those of older numbers.
    std::uint64_t skipped = std::min(number - newest_, size);
    for (std::uint64_t i = 1; i < skipped; ++i) seen_[(number - i) % size] = false;
    newest_ = number;
  } else if (newest_ - number >= size) {
    return true;
  } else if (seen_[number % size]) {
    return false;
  }
  seen_[number % size] = true;
  return true;
}

}  // namespace kitbag::nats
