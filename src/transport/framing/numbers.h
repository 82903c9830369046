#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>

#include "kitbag/message.h"

namespace kitbag::framing {

/// What the numbers of messages tell. Messages of one sender on one channel come in the order of
/// their numbers, also those that are sent again. For one thread.
class Numbers {
 public:
  /// About a message.
  struct Verdict {
    bool is_repeated = false;  ///< it came before
    std::uint64_t lost = 0;    ///< messages between the one before and this one
  };

  /// `channel` must stay where it is. A `sender` or `number` of 0 tells nothing.
  Verdict take(const Channel& channel, std::uint64_t sender, std::uint64_t number);
  /// The sender has ended, and `number` was its last on that channel; messages may still be on
  /// their way. Of a sender that was never heard there, this tells nothing: it may have sent them
  /// before.
  void end(const Channel& channel, std::uint64_t sender, std::uint64_t number);
  /// No more will come: calls `count` with what is missing behind the last messages.
  void finish(const std::function<void(const Channel& channel, std::uint64_t lost)>& count);

 private:
  struct Key {
    const Channel* channel;
    std::uint64_t sender;

    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  struct Heard {
    std::uint64_t last = 0;  ///< number that came
    std::uint64_t end = 0;   ///< the last that was sent; 0: not known
  };

  std::unordered_map<Key, Heard, Hash> heard_;
};

}  // namespace kitbag::framing
