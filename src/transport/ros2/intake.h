#pragma once

#include <utility>
#include <vector>

#include "kitbag/feed.h"
#include "transport/ros2/heard.h"
#include "transport/ros2/participant.h"
#include "transport/ros2/readers.h"

namespace kitbag::ros2 {

/// Takes samples from readers and pushes them into a feed, in the order in which they came in. One
/// thread.
class Intake {
 public:
  /// All must outlive it.
  Intake(Readers& readers, Participant& participant, Feed& feed)
      : readers_(readers), participant_(participant), feed_(feed) {}

  /// Of the topics that have a channel; the samples of others wait in their readers.
  void take_all();

 private:
  /// A sample on its way into the feed.
  struct Taken {
    Topic* topic;
    RawSamplePtr sample;
    Time publish_time;
  };

  void take(Reader& reader);
  void push_taken();
  void count_missing(Topic& topic, Talker& talker, std::uint64_t missing);
  void hear_reliably();

  Readers& readers_;
  Participant& participant_;
  Feed& feed_;
  std::vector<Taken> taken_;
  std::vector<std::pair<Topic*, Talker*>> unreliable_;  ///< that should be heard reliably
};

}  // namespace kitbag::ros2
