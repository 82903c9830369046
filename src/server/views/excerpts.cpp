#include "server/views/excerpts.h"

#include <algorithm>
#include <utility>

// Making one can take much memory, so only one is made at a time; finding one that is known never
// waits for that. The last one made is kept even if it is too large: the viewer that asked for it
// will ask for its next range.

namespace kitbag::server {
namespace {

constexpr std::size_t kMostKept = 256;

std::uint64_t memory_of(const std::optional<Excerpt>& excerpt) {
  std::uint64_t bytes = 0;
  if (!excerpt) return bytes;
  for (const ExcerptPiece& piece : excerpt->pieces) {
    bytes += sizeof(piece) + (piece.bytes ? piece.size : 0);
  }
  return bytes;
}

}  // namespace

Excerpts::Result Excerpts::find(const std::string& key) {
  std::lock_guard lock(mutex_);
  auto known =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& each) { return each.key == key; });
  if (known == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, known);
  return known->result;
}

Excerpts::Result Excerpts::get(const std::string& key,
                               const std::function<std::optional<Excerpt>()>& make) {
  if (Result known = find(key)) return known;
  std::lock_guard one_at_a_time(making_);
  if (Result known = find(key)) return known;
  auto made = std::make_shared<const std::optional<Excerpt>>(make());
  std::lock_guard lock(mutex_);
  kept_.push_front({key, made, memory_of(*made)});
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  kept_.remove_if([&](const Kept& each) {
    bytes += each.bytes;
    return ++count > kMostKept || (count > 1 && bytes > max_bytes_);
  });
  return made;
}

}  // namespace kitbag::server
