#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/export.h"
#include "kitbag/live.h"
#include "kitbag/message.h"
#include "kitbag/selector.h"
#include "kitbag/session.h"
#include "kitbag/time.h"
#include "kitbag/transport.h"

// What a live system has: its topics, who sends and receives them, whether these get along with
// each other, and how much comes on each.
//
//   LiveTopics system("ros2://", {.measures = true}, session);
//   system.look({stop, clock.steady() + std::chrono::seconds(5)});
//   for (const WatchedTopic& topic : system.topics()) {
//     if (topic.rates) print(topic.topic, topic.rates->hz());
//   }
//
// A program that has a LiveSource already asks it: LiveSource::topics(), and a RateMeter that is
// given its batches.

namespace kitbag {

/// A subscriber that gets nothing from a publisher, because it requests more than that one offers.
struct QosConflict {
  std::size_t publisher = 0;   ///< index in LiveTopic::publishers
  std::size_t subscriber = 0;  ///< index in LiveTopic::subscribers
  std::string policy = {};     ///< the first one that does not fit: "reliability"
};

/// Returns the pairs of `topic` that cannot talk to each other, the first thousand of them.
/// Endpoints without a quality of service, or with one that cannot be parsed, have none.
KITBAG_API std::vector<QosConflict> qos_conflicts(const LiveTopic& topic);

/// Returns the quality of service of an endpoint in words: "reliable, volatile, keep last 10".
/// Returns "" if the endpoint has none or it cannot be parsed.
KITBAG_API std::string describe_qos(const LiveEndpoint& endpoint);

/// What has come on a topic of one type, by log time and size of payload.
struct TopicRates {
  std::string topic = {};         ///< its name
  std::string type = {};          ///< as in LiveTopic
  std::string encoding = {};      ///< of the payloads
  std::uint64_t messages = 0;     ///< how many
  std::uint64_t bytes = 0;        ///< of payload, of all messages
  std::uint64_t least_bytes = 0;  ///< size of the smallest message
  std::uint64_t most_bytes = 0;   ///< size of the largest message
  std::uint64_t intervals = 0;    ///< between two messages; 0: the following are zero
  Duration least{};               ///< shortest interval
  Duration mean{};                ///< mean interval
  Duration most{};                ///< longest interval
  Duration deviation{};           ///< standard deviation of the intervals

  /// Returns how many messages come in a second; 0 if there are no intervals or they take no time.
  KITBAG_API double hz() const;
  /// Returns the mean size of a message, in bytes; 0 without messages.
  KITBAG_API double mean_bytes() const;
  /// Returns the bytes of payload that come in a second: mean size times rate.
  KITBAG_API double bytes_per_second() const;
};

/// Counts messages by topic and type, over all time or over the last periods. Memory is taken for
/// each topic and not for messages. One thread.
class KITBAG_API RateMeter {
 public:
  /// `periods`: how many periods rates() covers, the current one included; 0: all.
  explicit RateMeter(std::size_t periods = 0);
  ~RateMeter();
  /// A moved-from meter can only be destroyed or assigned to.
  RateMeter(RateMeter&&) noexcept;
  RateMeter& operator=(RateMeter&&) noexcept;

  /// Counts the messages of a batch.
  void add(const Batch& batch);
  /// Begins a new period. Without a number of periods, nothing changes.
  void begin_period();
  /// Returns what the covered periods have, sorted by topic and type. A topic on which nothing came
  /// in them, but did before, has no messages.
  std::vector<TopicRates> rates() const;

 private:
  struct KITBAG_PRIVATE State;
  std::unique_ptr<State> state_;
};

/// Which topics are looked at, and how.
struct LiveTopicsOptions {
  Selection select = {};      ///< which topics
  bool measures = false;      ///< receives their messages and counts them
  std::size_t periods = 0;    ///< as for RateMeter
  OnWarning on_warning = {};  ///< called with problems of the system, from any thread
  FeedOptions feed = {};      ///< the buffer, if messages are received
};

/// A topic of a live system, and what was found out about it.
struct WatchedTopic : LiveTopic {
  std::vector<QosConflict> conflicts = {};         ///< as qos_conflicts()
  std::optional<TopicRates> rates = std::nullopt;  ///< absent: nothing has come, or not measured
  std::uint64_t dropped = 0;  ///< messages that had no space in the buffer, in all
  std::uint64_t lost = 0;     ///< messages that were sent and never came, in all
};

/// A live system that is looked at. One thread.
class KITBAG_API LiveTopics {
 public:
  /// Connects to the system at `uri`. Throws Error as Session::listen() does.
  LiveTopics(const std::string& uri, const LiveTopicsOptions& options, const Session& session);
  ~LiveTopics();
  LiveTopics(const LiveTopics&) = delete;
  LiveTopics& operator=(const LiveTopics&) = delete;

  /// Takes what comes, and counts it if it is to be measured, until `wait` ends. Returns false if
  /// the system has ended before. Throws Error as Source::read() does.
  bool look(const Wait& wait);
  /// As RateMeter::begin_period().
  void begin_period();
  /// Returns the selected topics that the system has now, and those on which messages have come,
  /// sorted by name and type. Throws Error (io) if messages are not received and the system does
  /// not say what it has: it does not answer, or its transport cannot list topics.
  std::vector<WatchedTopic> topics() const;

 private:
  struct KITBAG_PRIVATE State;
  std::unique_ptr<State> state_;
};

/// Returns how long after the connection a system of this kind needs until its list of topics is
/// complete: no time for ros1:// and demo://, which are asked for all of it, and 1.5 s where
/// participants are discovered one by one or say what they have when they are connected.
KITBAG_API Duration settling_time(const std::string& uri);

/// Returns the systems that can be looked for without an address: ros1:// and ros2://, as far as
/// their transports are installed. Loads no plugin.
KITBAG_API std::vector<std::string> usual_systems(const Session& session);

}  // namespace kitbag
