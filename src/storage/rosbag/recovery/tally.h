#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "storage/chunked/chunk_store.h"
#include "storage/rosbag/records.h"

namespace kitbag::rosbag {

/// The messages of one chunk by connection, and their times.
class Tally {
 public:
  void add(std::uint32_t connection, std::uint64_t stored) {
    ++(connection < kDense ? dense_count(connection) : sparse_[connection]);
    ++messages_;
    Time time = time_of(stored);
    start_ = std::min(start_, time);
    end_ = std::max(end_, time);
  }
  std::uint64_t messages() const { return messages_; }
  /// The earliest and the latest; only where there are messages.
  Time start() const { return start_; }
  Time end() const { return end_; }
  /// What an index of these messages takes, as every writer makes it.
  std::uint64_t index_bytes() const;

  void clear();
  /// Adds a chunk at `offset` with these messages, if there are any, and clears. The slots of its
  /// counts are connections.
  void add_chunk(std::uint64_t offset, ChunkTable& table);

 private:
  /// Ids are small numbers in every bag seen; others cost a look-up.
  static constexpr std::uint32_t kDense = 1 << 16;

  std::uint32_t& dense_count(std::uint32_t connection) {
    if (connection >= dense_.size()) dense_.resize(connection + 1, 0);
    if (dense_[connection] == 0) used_.push_back(connection);
    return dense_[connection];
  }

  std::vector<std::uint32_t> dense_;               ///< by connection
  std::vector<std::uint32_t> used_;                ///< those in it
  std::map<std::uint32_t, std::uint32_t> sparse_;  ///< the others
  std::uint64_t messages_ = 0;
  Time start_ = Time::max();
  Time end_ = Time::min();
};

}  // namespace kitbag::rosbag
