#pragma once

#include <deque>
#include <vector>

#include "kitbag/message.h"

namespace kitbag {

/// A few small messages must not hold the chunks that they came in.
void compact_if_wasteful(Batch& batch);

/// Batches that wait for their reader, bounded in bytes: payload, and sizeof(Message) for each
/// message; and the numbers of dropped messages. Its owner locks it.
class Backlog {
 public:
  explicit Backlog(std::size_t capacity_bytes) : capacity_(capacity_bytes) {}

  static std::size_t cost(const Message& message) { return message.data.size() + sizeof(Message); }
  static std::size_t cost(const Batch& batch) {
    return batch.payload() + batch.messages().size() * sizeof(Message);
  }

  bool empty() const { return batches_.empty(); }
  /// A batch that is larger than the capacity fits if there is no other.
  bool has_room(std::size_t bytes) const {
    return used_ == 0 || (bytes <= capacity_ && used_ <= capacity_ - bytes);
  }

  std::size_t used() const { return used_; }
  Batch& front() { return batches_.front(); }
  const Batch& front() const { return batches_.front(); }
  Batch& back() { return batches_.back(); }
  std::size_t batches() const { return batches_.size(); }
  void push(Batch&& batch);
  /// The last batch got a message.
  void add(const Message& message);
  Batch take();
  void clear();
  /// clear(), and its messages count as dropped.
  void drop_all();

  /// Drops the oldest messages until there is room for `bytes`. The extras of dropped batches are
  /// moved to the front of `extras`.
  void make_room(std::size_t bytes, std::vector<Extra>& extras);
  /// Drops messages from the end of `incoming` until it fits.
  void cut(Batch& incoming);
  void count_dropped(const Channel& channel, std::uint64_t messages = 1);
  /// By slot; as long as there are slots with any.
  const std::vector<std::uint64_t>& dropped() const { return dropped_; }

 private:
  void drop_front(Batch& batch, std::size_t count);

  std::size_t capacity_;
  std::deque<Batch> batches_;
  std::size_t used_ = 0;  ///< cost of `batches_`
  std::vector<std::uint64_t> dropped_;
};

}  // namespace kitbag
