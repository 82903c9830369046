#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/foxglove.h"
#include "kitbag/message.h"
#include "kitbag/stream.h"
#include "kitbag/time.h"

// Messages that clients publish. They go to the clients of the hub at once, and to the recorder,
// which reads them as a source of their own. So viewers get them whether somebody records or not,
// and a slow recorder delays nobody.
//
// Clients that advertise equal channels publish on the same one, and a channel stays when its
// client has gone. So a client that connects again and again adds no channels, and their number can
// be limited.

namespace kitbag::server {

class LiveHub;

struct PublishLimits {
  std::size_t channels = 1000;                ///< in all, while the server runs
  std::size_t definition_bytes = 16 << 20;    ///< of these, with their topics
  std::uint64_t messages_per_second = 1000;   ///< of a client; also at once
  std::uint64_t bytes_per_second = 10 << 20;  ///< likewise
  std::size_t recorder_bytes = 8 << 20;       ///< waiting for the recorder
};

/// Any thread. Outlives the clients and the sources that it makes.
class PublishedMessages {
 public:
  /// `hub` outlives this.
  PublishedMessages(LiveHub& hub, ClockPtr clock, const PublishLimits& limits = {});
  ~PublishedMessages();
  PublishedMessages(const PublishedMessages&) = delete;
  PublishedMessages& operator=(const PublishedMessages&) = delete;

  /// The encodings that messages may have; those that viewers prefer come first.
  static const std::vector<std::string>& encodings();

  /// A source of the messages that are published while it exists. It never ends.
  std::unique_ptr<Source> source();

 private:
  friend class PublishingClient;
  class Reader;

  /// Returns the slot of the channel with that content, which is added if it is new. Throws Error:
  /// unsupported for an encoding that is not accepted, limit if there are too many channels.
  std::size_t slot_of(const Channel& content);
  /// Returns false if the recorder has no room for the message.
  bool publish(std::size_t slot, ByteView payload);

  ClockPtr clock_;
  PublishLimits limits_;

  std::mutex mutex_;  ///< for all below
  std::unique_ptr<Sink> viewers_;
  ChannelsPtr channels_ = std::make_shared<const Channels>();
  std::multimap<std::string, std::size_t, std::less<>> slots_;  ///< by topic
  std::size_t definition_bytes_ = 0;
  std::set<Reader*> readers_;
};

/// The channels of one client, by its ids, and its rate. One thread at a time.
class PublishingClient {
 public:
  /// `warn` is called with warnings for the client.
  PublishingClient(PublishedMessages& published, ClockPtr clock,
                   std::function<void(const std::string& what)> warn);

  // Messages of the client. Throws Error if they make no sense or are not accepted.

  void advertise(const foxglove::AdvertisedChannel& channel);
  void unadvertise(std::uint64_t id);
  void publish(const foxglove::PublishedData& message);

 private:
  /// Returns whether the rate allows another message now, and counts it.
  bool has_allowance(std::size_t bytes);
  void count_dropped(std::string_view why);

  PublishedMessages& published_;
  ClockPtr clock_;
  std::function<void(const std::string& what)> warn_;
  std::map<std::uint64_t, std::size_t> slots_;  ///< by the client's id
  double messages_left_;                        ///< that may come at once
  double bytes_left_;
  SteadyTime filled_;  ///< when these were last increased
  std::uint64_t dropped_ = 0;
  SteadyTime next_warning_ = SteadyTime::min();
};

}  // namespace kitbag::server
