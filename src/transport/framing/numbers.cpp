#include "transport/framing/numbers.h"

#include <functional>

// Anybody may send any number, so there are bounds: for how many senders and channels a number is
// remembered, and how large a gap may be that counts as a loss.

namespace kitbag::framing {
namespace {

constexpr std::size_t kMostRemembered = 100'000;
/// A day of ten thousand messages a second.
constexpr std::uint64_t kLargestGap = 864'000'000;

}  // namespace

std::size_t Numbers::Hash::operator()(const Key& key) const {
  return std::hash<const void*>()(key.channel) * 31 ^ std::hash<std::uint64_t>()(key.sender);
}

Numbers::Verdict Numbers::take(const Channel& channel, std::uint64_t sender, std::uint64_t number) {
  if (sender == 0 || number == 0) return {};
  Key key{&channel, sender};
  auto known = last_.find(key);
  if (known == last_.end()) {
    if (last_.size() < kMostRemembered) last_.emplace(key, number);
    return {};
  }
  std::uint64_t last = known->second;
  if (number <= last) return {.is_repeated = true};
  known->second = number;
  std::uint64_t lost = number - last - 1;
  return {.lost = lost <= kLargestGap ? lost : 0};
}

}  // namespace kitbag::framing
