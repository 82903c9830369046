#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kitbag/transport.h"
#include "transport/broker/fields.h"
#include "transport/framing/receiver.h"

namespace kitbag::broker {

/// Takes what a broker passes on, from kitbag and from anybody else. A payload of a sender that
/// says nothing of it is JSON if the first one on its topic is; otherwise it has no encoding. For
/// one thread, except for topics().
class Intake {
 public:
  /// `shown` is named in warnings.
  Intake(const Subscription& wanted, const std::string& shown, bool keeps_time,
         const Session& session, Feed& feed)
      : receiver_(wanted, shown, keeps_time, session, feed) {
    receiver_.add_with_first_message();
  }

  /// Takes a message. `topic` is what its name tells. True: the sender has ended.
  bool take(std::string topic, Fields& fields, ByteView payload,
            const framing::Receiver::Lend& lend);
  /// As framing::Receiver: pushes what waits for a description in vain.
  void tick() { receiver_.tick(); }
  bool holds_any() const { return receiver_.holds_any(); }
  /// No more will come.
  void finish() { receiver_.finish(); }
  void warn(ErrorCode code, const std::string& what) const { receiver_.warn(code, what); }
  /// Those that messages or descriptions came on so far, wanted or not. Any thread.
  std::vector<LiveTopic> topics() const { return receiver_.topics(); }

 private:
  bool is_json(const std::string& topic, ByteView payload);

  framing::Receiver receiver_;
  std::unordered_map<std::string, bool> json_topics_;  ///< those of senders that say nothing
};

}  // namespace kitbag::broker
