#pragma once

#include "kitbag/feed.h"
#include "kitbag/session.h"
#include "transport/ros2/descriptions.h"
#include "transport/ros2/heard.h"
#include "transport/ros2/participant.h"
#include "transport/ros2/readers.h"

namespace kitbag::ros2 {

/// Gives topics their channels, with definitions. One thread.
class Declarer {
 public:
  /// `participant`, `readers` and `feed` must outlive it.
  Declarer(OnWarning on_warning, Participant& participant, Readers& readers, Feed& feed,
           const Session& session)
      : on_warning_(std::move(on_warning)),
        participant_(participant),
        readers_(readers),
        feed_(feed),
        descriptions_(participant, session) {}

  /// The node of `publisher` may have the topic's definition.
  void look_for_definition(Topic& topic, dds_builtintopic_endpoint_t& publisher);
  /// Sends questions for definitions and takes answers.
  void work() { descriptions_.work(); }

  /// Declares those whose publishers and definition are known, or no longer awaited; `at_once`: all
  /// that have a publisher.
  void declare_those_ready(bool at_once);
  /// Also what has a channel already: the next one differs from it.
  void declare(Topic& topic);

 private:
  bool awaits_definition(Topic& topic);

  OnWarning on_warning_;
  Participant& participant_;
  Readers& readers_;
  Feed& feed_;
  Descriptions descriptions_;
};

}  // namespace kitbag::ros2
