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

#include "kitbag/error.h"
#include "kitbag/feed.h"
#include "kitbag/selector.h"
#include "kitbag/session.h"
#include "kitbag/time.h"
#include "kitbag/transport.h"
#include "model/known_topics.h"
#include "transport/framing/channel_book.h"
#include "transport/framing/framing.h"
#include "transport/framing/numbers.h"

// A message of a channel whose description has not come yet is held until it comes, for a while: a
// subscriber may be there before it hears of all. Anybody may send, so what is held, how many
// channels there are and what their descriptions take is bounded, and what is no message is
// counted, reported once for each kind of fault, and left out: it never ends a recording.

namespace kitbag::framing {

struct ReceiverLimits {
  Duration held_time = std::chrono::seconds(2);
  std::size_t held_bytes = 16 << 20;  ///< of all that is held of the messages
  BookLimits channels = {};
};

/// Pushes what senders send into a feed, where it is wanted. Messages whose number says that they
/// came before are left out, and numbers that are missing are counted as lost. Knows nothing of
/// sockets. For one thread, except for topics().
class Receiver {
 public:
  /// `from` is named in warnings. `keeps_time`: log times are the sender's.
  Receiver(const Subscription& wanted, std::string from, bool keeps_time, const Session& session,
           Feed& feed, const ReceiverLimits& limits = {});

  /// From now on a channel is added to the feed with its first message, not when it is described:
  /// where descriptions outlive their senders, most may be of channels that are no more.
  void add_with_first_message() { adds_described_ = false; }

  /// Gives what keeps the payload alive. Called while the frames are taken, and only for a payload
  /// of kLendBytes or more, which must stay where it is; others are copied. Null: all are copied.
  using Lend = std::function<Owner()>;

  /// Takes the frames of one message. True: the sender has ended.
  bool take(std::span<const ByteView> frames, const Lend& lend);
  /// Takes a message or description. True: the sender has ended.
  bool take(Parsed& parsed, const Lend& lend);
  /// Counts something that is no message.
  void leave_out(Fault fault) { leave_out(static_cast<std::size_t>(fault)); }
  /// Reports a problem of the system.
  void warn(ErrorCode code, const std::string& what) const;

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
  /// The channel in the feed; null: it is not wanted.
  const Channel* added(ChannelBook::Entry& entry);
  void push(const Channel* channel, const Header& header, ByteView payload, const Owner& owner,
            Time log_time);
  void leave_out(std::size_t why);
  void tell(const std::string& what) const { warn(ErrorCode::corrupt, what); }

  Selector selector_;
  OnWarning on_warning_;
  std::string from_;
  bool keeps_time_;
  bool adds_described_ = true;
  Session session_;
  Clock& clock_ = *session_.clock();
  Feed& feed_;
  ReceiverLimits limits_;
  ChannelBook book_;
  KnownTopics topics_;
  Numbers numbers_;
  std::list<Held> held_;                                        ///< in the order of arrival
  std::unordered_map<std::string, std::deque<Place>> waiting_;  ///< for a description
  std::size_t held_bytes_ = 0;
  std::array<std::uint64_t, kFaults + 1> left_out_{};
};

}  // namespace kitbag::framing
