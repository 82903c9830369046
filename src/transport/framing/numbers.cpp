#include "transport/framing/numbers.h"

#include <functional>

// Anybody may send any number, so there are bounds: for how many senders and channels a number is
// remembered, and how large a gap may be that counts as a loss.

namespace kitbag::framing {
namespace {

constexpr std::size_t kMostRemembered = 100'000;
/// A day of ten thousand messages a second.
constexpr std::uint64_t kLargestGap = 864'000'000;

/// How many numbers are missing from `last`, exclusively, to `to`.
std::uint64_t between(std::uint64_t last, std::uint64_t to) {
  return to - last <= kLargestGap ? to - last : 0;
}

}  // namespace

std::size_t Numbers::Hash::operator()(const Key& key) const {
  return std::hash<const void*>()(key.channel) * 31 ^ std::hash<std::uint64_t>()(key.sender);
}

Numbers::Verdict Numbers::take(const Channel& channel, std::uint64_t sender, std::uint64_t number) {
  if (sender == 0 || number == 0) return {};
  Key key{&channel, sender};
  auto known = heard_.find(key);
  if (known == heard_.end()) {
    if (heard_.size() < kMostRemembered) heard_.emplace(key, Heard{.last = number});
    return {};
  }
  std::uint64_t last = known->second.last;
  if (number <= last) return {.is_repeated = true};
  known->second.last = number;
  return {.lost = between(last, number - 1)};
}

void Numbers::end(const Channel& channel, std::uint64_t sender, std::uint64_t number) {
  auto known = heard_.find({&channel, sender});
  if (known != heard_.end()) known->second.end = number;
}

void Numbers::finish(const std::function<void(const Channel& channel, std::uint64_t lost)>& count) {
  for (auto& [key, heard] : heard_) {
    std::uint64_t lost = heard.end > heard.last ? between(heard.last, heard.end) : 0;
    if (lost > 0) count(*key.channel, lost);
    heard.end = 0;
  }
}

}  // namespace kitbag::framing
