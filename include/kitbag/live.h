#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/feed.h"
#include "kitbag/stream.h"

namespace kitbag {

/// A live system that is being listened to: its messages as they come. Destroyed, it is over.
class LiveSource : public Source {
 public:
  /// Nothing new comes in; what has come is still given, then the end. From any thread.
  virtual void stop() = 0;
  /// Messages for which there was no room, by slot. From any thread.
  virtual std::vector<std::uint64_t> dropped() const = 0;
  /// Messages that were sent but never reached kitbag, as far as the transport knows, by slot. From
  /// any thread.
  virtual std::vector<std::uint64_t> lost() const = 0;
  /// What waits to be read, as FeedOptions::bytes counts it. From any thread.
  virtual std::size_t held_bytes() const = 0;
};

/// What a listener keeps until its reader has it.
struct FeedOptions {
  std::size_t bytes = 64 << 20;
  /// Absent: who sends is made to wait where the transport can do that; else the oldest go.
  std::optional<OnFull> on_full = std::nullopt;
};

}  // namespace kitbag
