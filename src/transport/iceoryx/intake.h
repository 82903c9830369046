#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "transport/broker/intake.h"
#include "transport/iceoryx/endpoint.h"
#include "transport/iceoryx/header.h"
#include "transport/iceoryx/runtime.h"

namespace kitbag::iceoryx_transport {

/// A name that is listened to. For one thread.
class HeardPort {
 public:
  /// What is taken of it and is not given on yet, at most.
  static constexpr std::size_t kMostTaken = iox::MAX_CHUNKS_HELD_PER_SUBSCRIBER_SIMULTANEOUSLY - 2;

  HeardPort(std::string topic, iox::popo::SubscriberPortData* data,
            iox::popo::ConditionVariableData& condition);
  /// Gives it back to RouDi.
  ~HeardPort();
  HeardPort(const HeardPort&) = delete;
  HeardPort& operator=(const HeardPort&) = delete;

  /// A message, where it lies.
  struct Taken {
    std::int64_t order_ns;  ///< see UserHeader::sent_ns; of a stranger when it was taken
    const iox::mepoo::ChunkHeader* chunk;
  };

  /// Takes what has come since. False: more may have come.
  bool take(std::int64_t now_ns);
  std::deque<Taken>& taken() { return taken_; }
  const std::deque<Taken>& taken() const { return taken_; }
  void release(const iox::mepoo::ChunkHeader* chunk) { port_.releaseChunk(chunk); }
  bool is_empty() const { return taken_.empty() && !port_.hasNewChunks(); }

  const std::string& topic() const { return topic_; }
  std::uint64_t messages = 0;  ///< that were taken

 private:
  std::string topic_;
  iox::popo::SubscriberPortUser port_;
  std::deque<Taken> taken_;
};

/// The payload and the user header of a chunk.
ByteView payload_of(const iox::mepoo::ChunkHeader& chunk);
ByteView user_header_of(const iox::mepoo::ChunkHeader& chunk);

/// Gives on what several ports have taken, in the order in which it was sent. For one thread, but
/// for topics() and is_described().
class Intake {
 public:
  Intake(const Endpoint& endpoint, const Subscription& wanted, const Session& session, Feed& feed)
      : endpoint_(endpoint), intake_(wanted, endpoint.shown, endpoint.keeps_time, session, feed) {}

  using Ports = std::map<Name, std::unique_ptr<HeardPort>>;

  /// Takes descriptions. True: a sender has ended.
  bool describe(HeardPort& port);
  /// Takes what has come and gives on what can be. True: there may be more.
  bool take(Ports& ports);
  /// Whether a sender that is kitbag has described what it sends on that name. Any thread.
  bool is_described(const Name& name) const;
  broker::Intake& rest() { return intake_; }
  const broker::Intake& rest() const { return intake_; }

 private:
  void note(const Name& name);
  void give(const HeardPort& port, const iox::mepoo::ChunkHeader& chunk);

  Endpoint endpoint_;
  broker::Intake intake_;
  mutable std::mutex mutex_;
  std::set<Name> described_;  ///< with the lock
};

}  // namespace kitbag::iceoryx_transport
