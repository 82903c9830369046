#include <algorithm>
#include <cstring>
#include <iterator>

#include "kitbag/message.h"

// Messages point into memory that owners keep, and nobody knows which message needs which owner. So
// when a part of a batch moves to another one, all owners move with it, and what is taken keeps
// chunks alive of which it has one message. compact() ends that with a copy; who holds messages for
// long calls it.

namespace kitbag {
namespace {

/// Pointers into one object by different addresses have one owner.
bool is_same_owner(const Owner& a, const Owner& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

std::size_t payload_of(std::span<const Message> messages) {
  std::size_t bytes = 0;
  for (const Message& message : messages) bytes += message.data.size();
  return bytes;
}

std::size_t table_size(const ChannelsPtr& channels) {
  return channels ? channels->size() : 0;
}

}  // namespace

void Batch::keep(Owner owner, std::size_t bytes_pinned) {
  if (owner.use_count() == 0) return;  // stands for memory that nobody frees
  owners_.emplace_back(std::move(owner), bytes_pinned);
  pinned_ += bytes_pinned;
}

void Batch::keep(const Batch& other) {
  // A batch has few owners: a search is cheaper than a set.
  for (const auto& theirs : other.owners_) {
    auto is_kept = [&](const auto& own) { return is_same_owner(own.first, theirs.first); };
    if (std::none_of(owners_.begin(), owners_.end(), is_kept)) keep(theirs.first, theirs.second);
  }
}

void Batch::take_front(Batch& from, std::size_t count) {
  if (table_size(from.channels) >= table_size(channels)) channels = from.channels;
  keep(from);
  std::move(from.extras.begin(), from.extras.end(), std::back_inserter(extras));
  from.extras.clear();
  auto front = from.messages().first(count);
  std::size_t bytes = payload_of(front);
  messages_.insert(messages_.end(), front.begin(), front.end());
  payload_ += bytes;
  from.payload_ -= bytes;
  from.begin_ += count;
}

void Batch::compact() {
  messages_.erase(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
  auto block = std::make_shared_for_overwrite<std::byte[]>(payload_);
  std::byte* place = block.get();
  for (Message& message : messages_) {
    std::size_t size = message.data.size();
    if (size > 0) std::memcpy(place, message.data.data(), size);
    message.data = {place, size};
    place += size;
  }
  owners_.clear();
  pinned_ = 0;
  keep(std::move(block), payload_);
}

void Batch::clear() {
  extras.clear();
  messages_.clear();
  owners_.clear();
  begin_ = payload_ = pinned_ = 0;
}

}  // namespace kitbag
