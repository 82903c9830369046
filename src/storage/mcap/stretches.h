#pragma once

#include <algorithm>
#include <vector>

#include "storage/mcap/index.h"

namespace kitbag::mcap {

/// The messages of one chunk by channel, and their times.
class ChannelTally {
 public:
  void add(std::uint16_t channel_id, Time time) {
    if (channel_id >= counts_.size()) counts_.resize(std::size_t{channel_id} + 1, 0);
    if (counts_[channel_id]++ == 0) used_.push_back(channel_id);
    ++messages_;
    start_ = std::min(start_, time);
    end_ = std::max(end_, time);
  }
  std::uint64_t messages() const { return messages_; }
  void clear() {
    for (std::uint16_t id : used_) counts_[id] = 0;
    used_.clear();
    messages_ = 0;
    start_ = Time::max();
    end_ = Time::min();
  }
  /// Adds a chunk at `offset` with these messages, if there are any, and clears. The slots of its
  /// counts are channel ids.
  void add_chunk(std::uint64_t offset, ChunkTable& table) {
    if (messages_ > 0) {
      std::sort(used_.begin(), used_.end());
      table.chunks.push_back({offset, start_, end_, static_cast<std::uint32_t>(table.counts.size()),
                              static_cast<std::uint32_t>(used_.size())});
      for (std::uint16_t id : used_) table.counts.push_back({id, counts_[id]});
    }
    clear();
  }

 private:
  std::vector<std::uint32_t> counts_;  ///< by channel id
  std::vector<std::uint16_t> used_;
  std::uint64_t messages_ = 0;
  Time start_ = Time::max();
  Time end_ = Time::min();
};

/// Groups records that stand outside of chunks into stretches: chunks without a chunk record.
class Stretches {
 public:
  explicit Stretches(BagIndex& index) : index_(index) {}

  void message(std::uint64_t offset, std::uint64_t bytes, std::uint16_t channel_id, Time time) {
    // A large message is alone, so that nothing else is lost where it is too large to be read.
    bool is_large = bytes >= kStretchBytes;
    if (!is_open_ || is_large || offset != end_) open(offset);
    tally_.add(channel_id, time);
    end_ = message_end_ = offset + bytes;
    if (end_ - begin_ >= kStretchBytes) close();
  }
  /// A record that may stand in a chunk too.
  void other(std::uint64_t offset, std::uint64_t bytes) {
    if (is_open_ && offset == end_) end_ += bytes;
  }
  void close() {
    if (!is_open_) return;
    is_open_ = false;
    index_.stretches.push_back({begin_, message_end_});
    tally_.add_chunk(begin_, index_.table);
  }

 private:
  static constexpr std::uint64_t kStretchBytes = 512 << 10;

  void open(std::uint64_t offset) {
    close();
    is_open_ = true;
    begin_ = end_ = offset;
  }

  BagIndex& index_;
  ChannelTally tally_;
  bool is_open_ = false;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t message_end_ = 0;
};

}  // namespace kitbag::mcap
