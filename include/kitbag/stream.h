#pragma once

#include <memory>
#include <stop_token>

#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/time.h"

namespace kitbag {

/// Gives batches of messages. One thread at a time.
class Source {
 public:
  virtual ~Source() = default;

  /// The channels known so far; the table of the batches to come starts with these.
  virtual ChannelsPtr channels() const = 0;

  /// Fills `batch`, which is empty on entry, with one message at least and at most what makes it
  /// full(). False: the end, and `batch` is empty. True and empty: `wait.stop` is requested,
  /// `wait.until` came, channels were declared, or there are only extras; the next call goes on. A
  /// source of a file never waits for `until`; it looks at `stop` with every chunk. Throws Error;
  /// after a throw the source is at its end.
  virtual bool read(Batch& batch, const Wait& wait) = 0;
};

/// Takes batches of messages. One thread at a time. A Sink destroyed without close() abandons what
/// it was making: a file being written does not appear. Errors are sticky: after a throw every
/// later call throws the same.
class Sink {
 public:
  virtual ~Sink() = default;

  /// Takes the messages; declares the channels of the batch, even those without messages.
  virtual void write(Batch&& batch) = 0;
  /// When tick() is wanted next.
  virtual Steady due() const { return kNever; }
  /// Does what has become due: closes a chunk, syncs.
  virtual void tick(Steady /*now*/) {}
  /// Hands everything taken so far to the system.
  virtual void flush() {}
  /// Completes the target. Nothing may be written after it.
  virtual void close() = 0;
};

/// Changes batches on their way. One thread at a time.
class Stage {
 public:
  virtual ~Stage() = default;

  /// What becomes of a channel: itself, another one in the same slot, or null: its messages are
  /// dropped. Called once a channel.
  virtual ChannelPtr map(const ChannelPtr& channel) { return channel; }
  /// Changes the messages of a batch; their channels are mapped already.
  virtual void apply(Batch& /*batch*/) {}
};

/// A source whose batches pass through `stage`.
KITBAG_API std::unique_ptr<Source> through(std::unique_ptr<Source> source,
                                           std::unique_ptr<Stage> stage);

/// Of the messages of `source`: skips `nth`, then gives `count`; state (kState) is not counted.
KITBAG_API std::unique_ptr<Source> slice(std::unique_ptr<Source> source, std::uint64_t nth,
                                         std::uint64_t count);

}  // namespace kitbag
