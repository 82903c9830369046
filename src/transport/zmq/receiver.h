#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "kitbag/feed.h"
#include "kitbag/selector.h"
#include "kitbag/session.h"
#include "kitbag/time.h"
#include "kitbag/transport.h"
#include "stream/known_topics.h"
#include "transport/zmq/channel_book.h"
#include "transport/zmq/framing.h"

// A message of a channel whose description has not come yet is held until it comes, for a while: a
// subscriber may be there before it hears of all. Anybody may send, so what is held, how many
// channels there are and what their descriptions take is bounded, and what is no message is
// counted, reported once for each kind of fault, and left out: it never ends a recording.

namespace kitbag::zmq_transport {

struct ReceiverLimits {
  Duration held_time = std::chrono::seconds(2);
  std::size_t held_bytes = 16 << 20;  ///< of all that is held of the messages
  BookLimits channels = {};
};

/// Makes messages of frames and pushes those that are wanted into a feed. Knows nothing of sockets.
/// For one thread, except for topics().
class Receiver {
 public:
  /// `from` is named in warnings. `keeps_time`: log times are the sender's.
  Receiver(const Subscription& wanted, std::string from, bool keeps_time, const Session& session,
           Feed& feed, const ReceiverLimits& limits = {});

  /// Gives what keeps the payload alive. Called while the frames are taken, and only for a payload
  /// of kLendBytes or more, which must stay where it is; others are copied.
  using Lend = std::function<Owner()>;

  /// Takes the frames of one message. True: the sender has ended.
  bool take(std::span<const ByteView> frames, const Lend& lend);

  bool holds_any() const { return !held_.empty(); }
  /// Pushes what has been held for too long, on channels as its own headers have them.
  void tick();
  /// No more will come: pushes all that is held, and reports how much was left out.
  void finish();

  std::size_t held_bytes() const { return held_bytes_; }
  const ChannelBook& channels() const { return book_; }
  /// Those of all channels that were described so far. Any thread.
  std::vector<LiveTopic> topics() const { return topics_.topics(); }

 private:
  /// A message without its channel's description.
  struct Held {
    std::string topic;
    Header header;
    std::vector<std::byte> copy;  ///< of the payload, where nobody lends it
    Owner owner;
    ByteView payload;
    Time log_time;
    SteadyTime since;
    std::size_t bytes = 0;
  };
  using Place = std::list<Held>::iterator;
  /// Why something is left out: a Fault, or kNoRoom.
  static constexpr std::size_t kNoRoom = kFaults;

  void accept(Parsed& parsed, const Lend& lend);
  void describe(const Parsed& parsed);
  void hold(Parsed& parsed, const Lend& lend, Time log_time);
  void release(Place place, const Channel* channel);
  void push_by_own_header(Place place);
  /// The channel of such a header, in the feed where it is wanted. Null: there is no room.
  const ChannelBook::Entry* entry_of(std::string_view topic, const Header& header);
  void push(const Channel* channel, const Header& header, ByteView payload, const Owner& owner,
            Time log_time);
  void leave_out(std::size_t why);
  void tell(const std::string& what);

  Selector selector_;
  OnWarning on_warning_;
  std::string from_;
  bool keeps_time_;
  Session session_;
  Clock& clock_ = *session_.clock();
  Feed& feed_;
  ReceiverLimits limits_;
  ChannelBook book_;
  KnownTopics topics_;
  std::list<Held> held_;                                        ///< in the order of arrival
  std::unordered_map<std::string, std::deque<Place>> waiting_;  ///< for a description
  std::size_t held_bytes_ = 0;
  std::array<std::uint64_t, kFaults + 1> left_out_{};
};

}  // namespace kitbag::zmq_transport
