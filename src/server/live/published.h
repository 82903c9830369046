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

// What clients publish. It goes to all clients of the hub at once, and to a recorder, which reads
// it as a source of its own: whether and how fast somebody records changes nothing for viewers.
//
// Channels are shared: two clients that advertise equal channels publish on the same one, and a
// channel stays when its client goes, as a topic does for whoever has seen it. So a client that
// comes and goes adds nothing, and the number of channels can be bounded.

namespace kitbag::server {

class LiveHub;

struct PublishLimits {
  std::size_t channels = 1000;                ///< of all clients, as long as the server runs
  std::size_t definition_bytes = 16 << 20;    ///< of their topics and definitions
  std::uint64_t messages_per_second = 1000;   ///< of a client; as many may come at once
  std::uint64_t bytes_per_second = 10 << 20;  ///< likewise
  std::size_t recorder_bytes = 8 << 20;       ///< that wait for the recorder
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

  /// What is published from now on, until the source is destroyed. It never ends.
  std::unique_ptr<Source> source();

 private:
  friend class PublishingClient;
  class Reader;

  /// The slot of the channel with such content. Throws Error: unsupported for an encoding that is
  /// not accepted, limit if there are too many channels.
  std::size_t slot_of(const Channel& content);
  /// False: the recorder has no room for it.
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

/// The channels of one client, by its own numbers, and its rate. One thread at a time.
class PublishingClient {
 public:
  /// `warn` is called with what a client should know of its messages.
  PublishingClient(PublishedMessages& published, ClockPtr clock,
                   std::function<void(const std::string& what)> warn);

  // What a client sends. Throws Error if it makes no sense or is not accepted.

  void advertise(const foxglove::AdvertisedChannel& channel);
  void unadvertise(std::uint64_t id);
  void publish(const foxglove::PublishedData& message);

 private:
  /// Whether another message may come now.
  bool has_allowance(std::size_t bytes);
  void count_dropped(std::string_view why);

  PublishedMessages& published_;
  ClockPtr clock_;
  std::function<void(const std::string& what)> warn_;
  std::map<std::uint64_t, std::size_t> slots_;  ///< by the client's number
  double messages_left_;                        ///< of what may come at once
  double bytes_left_;
  SteadyTime filled_;  ///< when these were worked out
  std::uint64_t dropped_ = 0;
  SteadyTime next_warning_ = SteadyTime::min();
};

}  // namespace kitbag::server
