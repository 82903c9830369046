#pragma once

#include <deque>
#include <string>

#include "kitbag/session.h"
#include "transport/ros2/heard.h"
#include "transport/ros2/participant.h"
#include "transport/ros2/settings.h"
#include "transport/ros2/type_hashes.h"
#include "transport/ros2/wait_set.h"

namespace kitbag::ros2 {

/// The topics that a subscriber listens to, and the readers by which it does. One thread.
class Readers {
 public:
  /// `participant` and `wait_set` must outlive it.
  Readers(const Settings& settings, OnWarning on_warning, Participant& participant,
          const WaitSet& wait_set, const Session& session)
      : settings_(settings),
        on_warning_(std::move(on_warning)),
        participant_(participant),
        wait_set_(wait_set),
        type_hashes_(session) {}

  std::deque<Topic>& topics() { return topics_; }  ///< places stay

  /// Throws Error (io), as all do that make readers. `type_hash`: "" if it is not known.
  Topic& topic_of(const TopicName& name, bool is_keyed, const std::string& type_hash);
  /// `type_hash` may be "".
  static void learn_type_hash(Topic& topic, const std::string& type_hash);

  /// The reader of a publisher that has just been discovered.
  Reader& hear(Topic& topic, const Offer& offer);
  /// The reader that asks for just that.
  Reader& reader_for(Topic& topic, const Offer& offer);
  /// A reader that every publisher gets along with, unless there is one already.
  void hear_anybody(Topic& topic);

  /// From now on, samples of the topic end a wait.
  void watch(Topic& topic) const;
  /// Warns of publishers that offer less than the user requests.
  void tell_mismatches() const;

 private:
  Reader& add_reader(Topic& topic, const Offer& offer, const Qos& qos);
  void tell_mismatches(const Reader& reader) const;

  Settings settings_;
  OnWarning on_warning_;
  Participant& participant_;
  const WaitSet& wait_set_;
  TypeHashes type_hashes_;
  std::deque<Topic> topics_;
};

}  // namespace kitbag::ros2
