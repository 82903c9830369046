#pragma once

#include <cstddef>
#include <cstdint>
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

 private:
  struct Key {
    const Channel* channel;
    std::uint64_t sender;

    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  std::unordered_map<Key, std::uint64_t, Hash> last_;
};

}  // namespace kitbag::framing
