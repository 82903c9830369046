#include "storage/rosbag/recovery/tally.h"

namespace kitbag::rosbag {

std::uint64_t Tally::index_bytes() const {
  constexpr std::uint64_t kRecordBytes = 55;  // without its entries
  return (used_.size() + sparse_.size()) * kRecordBytes + messages_ * kIndexEntryBytes;
}

void Tally::clear() {
  for (std::uint32_t connection : used_) dense_[connection] = 0;
  used_.clear();
  sparse_.clear();
  messages_ = 0;
  start_ = Time::max();
  end_ = Time::min();
}

void Tally::add_chunk(std::uint64_t offset, ChunkTable& table) {
  if (messages_ == 0) return;
  auto first_count = static_cast<std::uint32_t>(table.counts.size());
  std::sort(used_.begin(), used_.end());
  for (std::uint32_t connection : used_) table.counts.push_back({connection, dense_[connection]});
  for (auto [connection, count] : sparse_) table.counts.push_back({connection, count});
  table.chunks.push_back({offset, start_, end_, first_count,
                          static_cast<std::uint32_t>(table.counts.size()) - first_count});
  clear();
}

}  // namespace kitbag::rosbag
