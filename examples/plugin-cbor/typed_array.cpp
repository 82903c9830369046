#include <algorithm>
#include <array>
#include <utility>

#include "cbor.h"

namespace cbor {
namespace {

using kitbag::Kind;

/// RFC 8746, 2.1 and 2.2.
constexpr std::array<std::pair<std::uint64_t, Kind>, 10> kTags = {{
    {64, Kind::uint8},
    {69, Kind::uint16},
    {70, Kind::uint32},
    {71, Kind::uint64},
    {72, Kind::int8},
    {77, Kind::int16},
    {78, Kind::int32},
    {79, Kind::int64},
    {85, Kind::float32},
    {86, Kind::float64},
}};

kitbag::TypePtr sequence_of(Kind kind) {
  kitbag::TypeBuilder builder;
  return builder.finish(builder.sequence(builder.add(kind)));
}

const std::array<kitbag::TypePtr, kTags.size()>& sequences() {
  static const auto kSequences = [] {
    std::array<kitbag::TypePtr, kTags.size()> made;
    std::transform(kTags.begin(), kTags.end(), made.begin(),
                   [](const auto& tag) { return sequence_of(tag.second); });
    return made;
  }();
  return kSequences;
}

}  // namespace

std::optional<std::uint64_t> tag_of(const kitbag::Type& element) {
  auto found = std::find_if(kTags.begin(), kTags.end(),
                            [&](const auto& tag) { return tag.second == element.kind; });
  return found == kTags.end() ? std::nullopt : std::optional(found->first);
}

const kitbag::Type* sequence_of_tag(std::uint64_t tag) {
  auto found =
      std::find_if(kTags.begin(), kTags.end(), [&](const auto& each) { return each.first == tag; });
  if (found == kTags.end()) return nullptr;
  return sequences()[static_cast<std::size_t>(found - kTags.begin())].get();
}

const kitbag::Type& bytes_type() {
  return *sequences().front();
}

}  // namespace cbor
