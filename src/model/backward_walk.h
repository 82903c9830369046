#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "kitbag/error.h"
#include "model/kept_message.h"

namespace kitbag {

/// Bag::find_last() for bags whose index does not say where a channel's messages are: one walk
/// backwards for all channels, until each is found.
///
/// A walk may go far: to the only message of a map, an hour back. So what it finds is remembered:
/// when the last message of a channel before 12:00 came at 11:00, that is the answer for every time
/// between the two, and a walk from 13:00 need not go further back than 12:00. A player that seeks
/// around walks each part of a bag once. The damage that the walks have met is remembered with it:
/// an answer from memory reports it again. Any thread; two that ask at once may both walk.
class BackwardWalk {
 public:
  /// What is remembered is forgotten when it takes more.
  static constexpr std::size_t kMostBytes = 32 << 20;
  /// More damage than this is not remembered.
  static constexpr std::size_t kMostProblems = 100;

  Batch find_last(const Bag& bag, const LastQuery& query, const Wait& wait);

 private:
  /// The last message before any time of (`message`'s time, `until`]. Null: there is none.
  struct Known {
    Time until;
    std::shared_ptr<const KeptMessage> message;
  };
  /// By the time of the message; none: Time::min().
  using KnownOfChannel = std::map<Time, Known>;
  class Walk;

  /// The one that holds for the latest time up to `time`; nothing where none is known.
  std::optional<Known> known_before(std::uint32_t slot, Time time) const;
  void remember(std::uint32_t slot, Time time, std::shared_ptr<const KeptMessage> found);
  void remember(const std::vector<Error>& problems);
  void report_known(const OnProblem& on_problem) const;

  mutable std::mutex mutex_;
  std::map<std::uint32_t, KnownOfChannel> known_;  ///< by slot
  std::size_t bytes_ = 0;
  std::vector<Error> problems_;  ///< met by the walks behind known_, each once
};

}  // namespace kitbag
