#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/feed.h"
#include "kitbag/stream.h"
#include "kitbag/transport.h"

namespace kitbag {

/// The messages of a live system as they arrive; Session::listen() returns one. Destruction
/// unsubscribes.
class LiveSource : public Source {
 public:
  /// Stops listening. Messages that have arrived are still delivered, then the end. From any
  /// thread.
  virtual void stop() = 0;
  /// Gives up what waits to be read: it is dropped, and counted so. read() returns false then. From
  /// the thread that reads.
  virtual void abandon() = 0;
  /// Returns the number of messages dropped because there was no space, by slot. From any thread.
  virtual std::vector<std::uint64_t> dropped() const = 0;
  /// Returns the number of messages that were sent but never reached kitbag, as far as the
  /// transport can detect it, by slot. From any thread.
  virtual std::vector<std::uint64_t> lost() const = 0;
  /// Returns the size of the messages that wait to be read, in bytes, as FeedOptions::bytes counts
  /// it. From any thread.
  virtual std::size_t held_bytes() const = 0;
  /// Of several live systems, those that cannot be reached for now: their URIs without parameters.
  /// From any thread.
  virtual std::vector<std::string> missing() const { return {}; }
  /// As Subscriber::topics(): those of all systems that can say. From any thread.
  virtual std::optional<std::vector<LiveTopic>> topics() const { return std::nullopt; }
  /// As Subscriber::offer(), to all systems.
  virtual void offer(Recorder& /*recorder*/) {}
  /// As Subscriber::tell(), to all systems. From any thread.
  virtual void tell(const FileChange& /*change*/) {}
};

/// The buffer between a live system and its reader.
struct FeedOptions {
  /// Capacity in bytes: payload, and sizeof(Message) per message.
  std::size_t bytes = 64 << 20;
  /// Absent: senders wait if the transport can make them wait (Transport::holds_back); otherwise
  /// the oldest messages are dropped.
  std::optional<OnFull> on_full = std::nullopt;
};

}  // namespace kitbag
