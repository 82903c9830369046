#include "catalog/drops.h"

#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <variant>

namespace kitbag::catalog {
namespace {

constexpr std::string_view kDropped = "dropped ";  // and the topic
constexpr std::string_view kLost = "lost ";

/// Nothing: it is no number, as anything may be in a bag.
std::optional<std::uint64_t> count_in(std::string_view text) {
  std::uint64_t count = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count;
}

/// The database has numbers of 63 bits.
void add(std::uint64_t count, std::uint64_t& sum) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  sum = count > kMost - sum ? kMost : sum + count;
}

}  // namespace

std::vector<CatalogDrops> drops_of(const Bag& bag) {
  std::map<std::string, CatalogDrops> by_topic;
  for (const Extra& extra : bag.extras()) {
    const auto* metadata = std::get_if<Metadata>(&extra);
    // A bag may have several, which add up.
    if (!metadata || metadata->name != "kitbag_recording") continue;
    for (const auto& [key, value] : metadata->values) {
      bool is_dropped = key.starts_with(kDropped);
      if (!is_dropped && !key.starts_with(kLost)) continue;
      std::string topic = key.substr(is_dropped ? kDropped.size() : kLost.size());
      auto count = count_in(value);
      if (count.value_or(0) == 0) continue;
      CatalogDrops& drops = by_topic[topic];
      add(*count, is_dropped ? drops.dropped : drops.lost);
      drops.topic = topic;
    }
  }
  std::vector<CatalogDrops> made;
  made.reserve(by_topic.size());
  for (auto& [topic, drops] : by_topic) made.push_back(std::move(drops));
  return made;
}

}  // namespace kitbag::catalog
