#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kitbag/bag.h"

namespace kitbag {

/// When a message was received, and the slot of its channel.
struct ListedTime {
  Time time;
  std::uint32_t slot;
};

/// A Bag whose index lists the times of messages, so that they are known without reading the
/// messages.
class ListsTimes {
 public:
  virtual ~ListsTimes() = default;

  /// Calls `take` with the log times of all messages of the channels that `slots` selects, piece by
  /// piece and in order, unless millions of messages lie before one that was written earlier. Where
  /// the index is not sound, messages are read. Throws Error (cancelled) on `wait.stop`.
  virtual void list_times(const std::vector<std::uint8_t>& slots, const OnProblem& on_problem,
                          const std::function<void(std::span<const ListedTime>)>& take,
                          const Wait& wait) const = 0;
};

/// A Bag around another one with the same messages.
class WrapsBag {
 public:
  virtual ~WrapsBag() = default;
  virtual const Bag& inside() const = 0;
};

/// What lists the times of a bag; null: its messages have to be read. Valid as long as the bag.
inline const ListsTimes* find_listed_times(const Bag& bag) {
  const Bag* inside = &bag;
  while (const auto* wrap = dynamic_cast<const WrapsBag*>(inside)) inside = &wrap->inside();
  return dynamic_cast<const ListsTimes*>(inside);
}

}  // namespace kitbag
