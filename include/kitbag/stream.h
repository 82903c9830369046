#pragma once

#include <memory>
#include <stop_token>

#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/time.h"

// Messages move in batches from a Source through Stages to a Sink. These three interfaces connect
// everything in kitbag: a cursor over a bag, a live system and a merge are Sources; a bag that is
// being written, a split and a publisher are Sinks; a filter and a transcoder are Stages. run()
// (pipeline.h) is the loop that connects them:
//
//   auto source = through(bag->read(), filter({.select = {.topics = {"/tf"}}}));
//   run(*source, *writer, *session.clock());
//
// A batch holds up to 256 messages or about 1 MiB, so a call through an interface is paid for once
// per batch. Messages are views, and are not copied on the way from a Source to a Sink.

namespace kitbag {

/// Gives batches of messages. One thread at a time.
class Source {
 public:
  virtual ~Source() = default;

  /// Returns the channels known so far. The tables of the following batches begin with these.
  virtual ChannelsPtr channels() const = 0;

  /// Fills `batch`, which must be empty, with messages until it is full() or no more are at hand.
  ///
  /// Returns false at the end, and only there; the batch is then empty. Returns true with no
  /// messages if `wait.until` has come, if `wait.stop` is requested, if new channels were declared,
  /// or if there are only extras; call again to go on. So a loop that is to be stopped looks at its
  /// stop token, as run() does.
  ///
  /// A stop request ends the wait, not the source: nothing is lost, and a call with another `wait`
  /// goes on where this one stopped. A source of a file never waits for `wait.until`; it checks
  /// `wait.stop` at every chunk, and while it decompresses one. Throws Error; after that the source
  /// is at its end.
  virtual bool read(Batch& batch, const Wait& wait) = 0;
};

/// Takes batches of messages. One thread at a time. Destroyed without close(), it abandons its
/// target: a file that is being written does not appear. Errors are sticky: later calls throw the
/// same one. But a batch with a time that a format cannot store is refused alone (unsupported).
class Sink {
 public:
  virtual ~Sink() = default;

  /// Takes the messages, and declares all channels of the batch, also those without messages.
  virtual void write(Batch&& batch) = 0;
  /// Returns when tick() should be called next.
  virtual SteadyTime due() const { return kNever; }
  /// Does the work that is due at `now`: closes a chunk, syncs.
  virtual void tick(SteadyTime /*now*/) {}
  /// Passes everything taken so far to the operating system.
  virtual void flush() {}
  /// Completes the target. Nothing may be written after it.
  virtual void close() = 0;
};

/// Changes batches between a source and a sink. One thread at a time. A stage may keep state for
/// each channel, indexed by slot.
class Stage {
 public:
  virtual ~Stage() = default;

  /// Returns the channel that replaces `channel`: itself, another one in the same slot, or null to
  /// drop its messages. Called once per channel.
  virtual ChannelPtr map(const ChannelPtr& channel) { return channel; }
  /// Changes or drops messages of a batch. Their channels are already the mapped ones.
  virtual void apply(Batch& /*batch*/) {}
};

/// Returns a source that passes the batches of `source` through `stage`. Its read() throws Error
/// (invalid) if the stage moves a channel to another slot.
KITBAG_API std::unique_ptr<Source> through(std::unique_ptr<Source> source,
                                           std::unique_ptr<Stage> stage);

/// Returns a source that skips the first `nth` messages of `source` and gives the next `count`.
/// State (kState) is passed on and not counted.
KITBAG_API std::unique_ptr<Source> slice(std::unique_ptr<Source> source, std::uint64_t nth,
                                         std::uint64_t count);

}  // namespace kitbag
