#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/feed.h"
#include "kitbag/merge.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "kitbag/time.h"

namespace kitbag {

/// What went through a run.
struct Totals {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< of payload
};

/// The only loop: reads `source` to its end into `sink`, giving the sink its ticks. On `stop`
/// nothing new enters and what is inside is delivered. Does not close the sink: who calls decides
/// whether a stopped target is to appear.
KITBAG_API Totals run(Source& source, Sink& sink, Clock& clock, std::stop_token stop = {});

/// Keeps what `query` selects: channels and time range (by `query.by`). Order, nth and count are
/// not a stage's business.
KITBAG_API std::unique_ptr<Stage> filter(const Query& query);

/// Gives topics new names; names without an entry stay. Two channels may end on one topic.
KITBAG_API std::unique_ptr<Stage> rename(std::map<std::string, std::string> topics);

/// How often the messages of a topic are wanted at most.
struct Throttle {
  std::string topics;  ///< a name, or a glob as in Selection
  double hz = 0;       ///< above zero
};

/// Leaves out what comes sooner than each channel's rate allows, by log time. A channel that
/// several name has the first one's rate. Throws Error (invalid) for a rate that is not above zero.
KITBAG_API std::unique_ptr<Stage> throttle(const std::vector<Throttle>& rates);

/// Several bags as one source: read() of each, merged in the query's order; `nth` and `count` are
/// of them all together. Throws as Bag::read().
KITBAG_API std::unique_ptr<Source> read(const std::vector<BagPtr>& bags, const Query& query,
                                        const Wait& wait = {});

/// A clock that follows `clock`, but whose wall() never runs back: when that of `clock` is put
/// back, it runs on with steady() until `clock` has caught up. `on_jump` is called with how far the
/// clock was put back, on the thread that asked for the time.
KITBAG_API ClockPtr forward_clock(ClockPtr clock, std::function<void(Duration)> on_jump = {});

/// What the bag at `uri` holds of `query`, in the order of the file, and then what is added to it,
/// until it is complete (Bag::growth()) or has gone, or `query.count` messages were given. It is
/// looked at a few times a second; less often the longer a look takes. Damage of what is being
/// written is not told before the end. Throws Error (not_found) if there is no such bag at first.
KITBAG_API std::unique_ptr<Source> follow(const std::string& uri, const Query& query,
                                          const ReadOptions& options, const Session& session);

/// The messages of `source`, which a thread of its own reads ahead: up to `bytes` of them, as Queue
/// counts.
KITBAG_API std::unique_ptr<Source> read_ahead(std::unique_ptr<Source> source, std::size_t bytes,
                                              ClockPtr clock);

/// Gives the messages of `source` when their time has come: `rate` seconds of it in one of the
/// clock, from its first message on. None comes too soon, and what is late delays nothing behind
/// it; state (kState) comes at once. Throws Error (invalid) for a rate that is not above zero.
KITBAG_API std::unique_ptr<Source> pace(std::unique_ptr<Source> source, ClockPtr clock,
                                        double rate = 1);

/// When to go on to the next file. Nothing set: never.
struct SplitLimits {
  std::optional<std::uint64_t> bytes = std::nullopt;
  std::optional<Duration> duration = std::nullopt;  ///< of log time, from a file's first message
  std::optional<std::uint64_t> messages = std::nullopt;

  bool any() const { return bytes || duration || messages; }
};

/// Makes the `index`-th file, from 0.
using NextWriter = std::function<std::unique_ptr<Writer>(std::size_t index)>;

/// The files of a split.
struct SplitFiles {
  NextWriter next;
  /// Called when the last file is closed. It may be empty.
  std::function<void()> publish = {};
};

/// A sink that goes on to the next writer when a limit is reached. Every file declares every
/// channel known when it began.
KITBAG_API std::unique_ptr<Sink> split(SplitLimits limits, NextWriter next);
KITBAG_API std::unique_ptr<Sink> split(SplitLimits limits, SplitFiles files);

/// The files of a split to `uri`: one beside another, named by split_path(); or the files of one
/// directory. All appear when the split is closed, and none without that: they are written in a
/// hidden folder. With `options.is_visible` each appears when it is begun, and stays.
KITBAG_API SplitFiles split_to(const std::string& uri, const WriteOptions& options,
                               const Session& session);

/// The name of the `index`-th file of a split: "dir/run.bag", 2 gives "dir/run_2.bag".
KITBAG_API std::string split_path(const std::string& path, std::size_t index);

/// The border between two threads: one writes, one reads. Bounded in bytes: payload, and
/// sizeof(Message) for each message. What does not fit waits, or is dropped and counted. A batch
/// larger than the queue passes when it is empty.
class KITBAG_API Queue final : public Sink, public Source {
 public:
  Queue(std::size_t capacity_bytes, OnFull on_full, ClockPtr clock);
  ~Queue() override;

  /// With OnFull::block waits for room. Throws Error: cancelled after abandon(), invalid after
  /// close() or fail().
  void write(Batch&& batch) override;
  /// No more will be written; the reader gets what is inside, then the end.
  void close() override;
  /// The reader gets what is inside, then `error`.
  void fail(std::exception_ptr error);

  ChannelsPtr channels() const override;
  bool read(Batch& batch, const Wait& wait) override;
  /// The reader has gone: a writer that waits or comes gets Error (cancelled).
  void abandon();

  /// Messages dropped so far, by slot.
  std::vector<std::uint64_t> dropped() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kitbag
