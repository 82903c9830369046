#include "live/record/moments.h"

#include <algorithm>

// Orders come from the threads of services, and the thread of the recording looks for their moments
// in each batch. `are_set_` tells it without the lock that there is nothing to look for, which is
// so nearly always.

namespace kitbag {

namespace {

bool comes_with(const Message& message, const RecordMoment& moment) {
  Time time = moment.by_publish_time ? message.publish_time : message.log_time;
  return time >= moment.time && (moment.topic.empty() || message.channel->topic == moment.topic);
}

}  // namespace

void RecordingMoments::pause() {
  std::lock_guard lock(mutex_);
  resume_.reset();
  are_set_ = split_.has_value();
  is_paused_ = true;
}

void RecordingMoments::resume() {
  std::lock_guard lock(mutex_);
  resume_.reset();
  are_set_ = split_.has_value();
  is_paused_ = false;
}

void RecordingMoments::resume_at(const RecordMoment& moment) {
  std::lock_guard lock(mutex_);
  resume_ = moment;
  are_set_ = true;
}

void RecordingMoments::split_at(const RecordMoment& moment) {
  std::lock_guard lock(mutex_);
  split_ = moment;
  are_set_ = true;
}

std::size_t RecordingMoments::find(std::span<const Message> messages) const {
  std::lock_guard lock(mutex_);
  auto found = std::find_if(messages.begin(), messages.end(), [this](const Message& message) {
    return (resume_ && comes_with(message, *resume_)) || (split_ && comes_with(message, *split_));
  });
  return static_cast<std::size_t>(found - messages.begin());
}

template <class HasCome>
bool RecordingMoments::reach_if(HasCome has_come) {
  std::lock_guard lock(mutex_);
  if (resume_ && has_come(*resume_)) {
    resume_.reset();
    is_paused_ = false;
  }
  bool splits = split_ && has_come(*split_);
  if (splits) split_.reset();
  are_set_ = resume_ || split_;
  return splits;
}

bool RecordingMoments::reach(const Message& message) {
  return reach_if([&](const RecordMoment& moment) { return comes_with(message, moment); });
}

bool RecordingMoments::reach(Time wall) {
  return reach_if([&](const RecordMoment& moment) {
    return wall >= moment.time && !moment.by_publish_time && moment.topic.empty();
  });
}

}  // namespace kitbag
