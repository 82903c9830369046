#include "live/upload/bandwidth.h"

#include <algorithm>

namespace kitbag {
namespace {

constexpr std::uint64_t kMostPieceBytes = 1 << 20;
constexpr std::uint64_t kLeastPieceBytes = 256;

}  // namespace

std::size_t Bandwidth::piece_bytes() const {
  if (!rate_) return kMostPieceBytes;
  return std::clamp(*rate_ / 8, kLeastPieceBytes, kMostPieceBytes);
}

void Bandwidth::pass(std::uint64_t bytes, const std::stop_token& stop) {
  if (!rate_) return;
  // What was not used before, while nothing was sent, is not made up for.
  free_ = std::max(free_, clock_.steady());
  clock_.sleep({stop, free_});
  double seconds = static_cast<double>(bytes) / static_cast<double>(*rate_);
  free_ += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace kitbag
