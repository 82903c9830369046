#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "kitbag/bag.h"
#include "kitbag/export.h"
#include "kitbag/session.h"
#include "kitbag/time.h"

// Which of many bags hold something, and when it happened: what `kitbag find` prints.

namespace kitbag {

/// What is looked for.
struct FindQuery {
  Selection select;          ///< `topics` and `types` alone; the bag must have all of them
  Time begin = Time::min();  ///< log times from here on
  Time end = Time::max();    ///< up to here, not included
  Duration longer_than{};    ///< zero: any duration
  std::string where;         ///< a condition as for where(); empty: none
};

/// Messages of a channel, one after the other, that meet the condition.
struct Moment {
  std::string topic;           ///< of the channel
  Time start{};                ///< log time of the first of them
  Time end{};                  ///< and of the last
  std::uint64_t messages = 0;  ///< how many they are
  std::string value;  ///< the fields that the condition names, in the first of them, as JSON
};

/// Returns whether the bag has the topics and types, messages in the time range, and the duration.
/// Does not look at the condition.
KITBAG_API bool fits(const Summary& summary, const FindQuery& query);

/// Calls `on_moment` for each moment of the bag, ordered by their ends. A message that cannot be
/// decoded does not meet the condition. Throws Error: invalid for a condition that is not valid,
/// cancelled on `stop`.
KITBAG_API void find_moments(const Bag& bag, const FindQuery& query, const Session& session,
                             const std::function<void(const Moment& moment)>& on_moment,
                             const std::stop_token& stop = {});

}  // namespace kitbag
