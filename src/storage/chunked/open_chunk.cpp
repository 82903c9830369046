#include "storage/chunked/open_chunk.h"

#include <cstring>
#include <utility>

#include "base/buffer.h"

namespace kitbag {

void OpenChunk::shrink(std::size_t most_bytes) {
  const std::vector<Message>& all = loaded.messages;
  std::size_t end = front;
  std::size_t payload = 0;
  for (; end < all.size(); ++end) {
    std::size_t bytes = payload + all[end].data.size() + (end - front + 1) * sizeof(Message);
    if (end > front && bytes > most_bytes) break;
    payload += all[end].data.size();
  }
  std::vector<Message> kept(all.begin() + static_cast<std::ptrdiff_t>(front),
                            all.begin() + static_cast<std::ptrdiff_t>(end));
  auto copy = std::make_shared<Buffer>();
  copy->reserve(payload);
  for (Message& message : kept) {
    if (message.data.empty()) continue;
    std::byte* place = copy->extend(message.data.size());
    std::memcpy(place, message.data.data(), message.data.size());
    message.data = {place, message.data.size()};
  }
  has_more |= end < all.size();
  first += front;
  front = 0;
  kept_by_batch = 0;
  loaded.messages = std::move(kept);
  loaded.bytes_pinned = copy->capacity();
  loaded.base = nullptr;
  loaded.owner = std::move(copy);
}

}  // namespace kitbag
