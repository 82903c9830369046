#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/error.h"
#include "kitbag/feed.h"
#include "kitbag/merge.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "kitbag/time.h"

// The parts between a Source and a Sink, and run(), the only loop. Every verb of the program
// consists of these parts:
//
//   auto source = read(bags, {.begin = from});
//   source = through(std::move(source), rename({{"/tf", "/tf_old"}}));
//   auto sink = split({.bytes = 1 << 30}, split_to("part.mcap", {}, session));
//   run(*source, *sink, *session.clock());
//   sink->close();
//
// Stages change messages; sources around sources (merge, read_ahead, pace, follow) change when
// messages come; sinks around sinks (split) change where they go. Each part works on whole batches
// and holds at most a few of them; Queue and read_ahead() hold as much as their capacity allows.

namespace kitbag {

/// What a run has delivered.
struct Totals {
  std::uint64_t messages = 0;  ///< how many
  std::uint64_t bytes = 0;     ///< of payload
};

/// Reads `source` to its end and writes everything to `sink`; calls Sink::tick() when it is due,
/// and flush() at the end. When `stop` is requested, it stops reading and flushes what it has
/// written. It does not close the sink: the caller decides whether a target that was stopped may
/// appear. Throws what source and sink throw.
KITBAG_API Totals run(Source& source, Sink& sink, Clock& clock, std::stop_token stop = {});

/// Returns a stage that keeps the channels and the time range that `query` selects (`select`,
/// `begin`, `end`, `by`). The other members of `query` are ignored.
KITBAG_API std::unique_ptr<Stage> filter(const Query& query);

/// Returns a stage that renames topics, by their old names. Other topics keep their names. Two
/// channels may get the same topic. Throws Error (invalid) if a new name is empty.
KITBAG_API std::unique_ptr<Stage> rename(std::map<std::string, std::string> topics);

/// The maximum rate of a topic.
struct Throttle {
  std::string topics;  ///< a name, or a glob as in Selection
  double hz = 0;       ///< from 1e-6 to 1e9
};

/// Returns a stage that drops messages so that no channel exceeds its rate, by log time. If several
/// entries match a channel, the first one counts. Throws Error (invalid) for a rate outside of 1e-6
/// to 1e9 Hz.
KITBAG_API std::unique_ptr<Stage> throttle(const std::vector<Throttle>& rates);

/// How many messages of topics are kept: one of `count`.
struct Every {
  std::string topics;       ///< a name, or a glob as in Selection
  std::uint64_t count = 1;  ///< at least 1
};

/// Returns a stage that keeps the first message of each topic and then every `count`-th one. If
/// several entries match a topic, the first one counts; a topic that none matches stays whole.
/// State (kState) stays, and is not counted. Throws Error (invalid) for a count of 0.
KITBAG_API std::unique_ptr<Stage> every(std::vector<Every> topics);

/// Returns a stage that drops each message that equals an earlier one: in topic, type, encoding,
/// log time, publish time and payload. Messages must come in the order of their log times; memory
/// is taken for those with one log time. If `dropped` is not null, it counts them, and must outlive
/// the stage. apply() throws Error (limit) if there are more than a million messages at one log
/// time.
KITBAG_API std::unique_ptr<Stage> dedupe(std::uint64_t* dropped = nullptr);

/// Returns a stage that adds `by`, which may be negative, to the log times and publish times of
/// messages, and to the log times of attachments. Stamps in payloads stay. apply() throws Error
/// (invalid) if a time leaves the range of Time.
KITBAG_API std::unique_ptr<Stage> shift(Duration by);

/// What align_to_header() has met.
struct AlignReport {
  std::uint64_t without_stamp = 0;  ///< messages that have kept their log times
  std::uint64_t out_of_order = 0;   ///< messages behind one with a later log time
  /// The first message, or definition, that could not be decoded.
  std::optional<Error> problem = std::nullopt;
};

/// Returns a stage that sets the log time of each message to its `header.stamp`, and its publish
/// time too where it was equal to the log time. Messages without a stamp, with one of zero, or that
/// cannot be decoded keep their times. The messages keep their order, which need not be that of the
/// new log times. `report` must outlive the stage.
KITBAG_API std::unique_ptr<Stage> align_to_header(AlignReport& report, const Session& session);

/// Returns a source that gives the messages of `source` in the opposite order. It holds them all in
/// memory, so `source` should give few: those behind a Query with Order::reverse_time and a count
/// are the last ones of a bag, in time order. Its read() throws Error (limit) if they take more
/// than `most_bytes`.
KITBAG_API std::unique_ptr<Source> reversed(std::unique_ptr<Source> source,
                                            std::size_t most_bytes = std::size_t{1} << 30);

/// Returns several bags as one source: the result of Bag::read() for each, merged in the order of
/// the query. `nth` and `count` apply to the merged messages. Repeats (is_repeated()) that a bag
/// which starts earlier has, too, are left out. Throws as Bag::read() does.
KITBAG_API std::unique_ptr<Source> read(const std::vector<BagPtr>& bags, const Query& query,
                                        const Wait& wait = {});
/// The same, but one bag follows the other; each is in the order of the query.
KITBAG_API std::unique_ptr<Source> read_in_turn(const std::vector<BagPtr>& bags, const Query& query,
                                                const Wait& wait = {});

/// Returns a clock that follows `clock`, but whose wall() never runs back. If the wall time of
/// `clock` is set back by 100 ms or more, wall() continues with steady() until `clock` has caught
/// up, and `on_jump` is called with the length of the step, on the thread that asked for the time.
/// A smaller step only makes wall() stand still.
KITBAG_API ClockPtr forward_clock(ClockPtr clock, std::function<void(Duration)> on_jump = {});

/// Returns a source that gives what `query` selects in the bag at `uri`, in file order, and then
/// what is added to the bag. It ends when the bag is complete (Bag::growth()) or has disappeared,
/// or after `query.count` messages. It looks for new data a few times a second, less often if a
/// look takes long. Damage that is passed to `options.on_problem` is reported at the end only,
/// because a bag that is still being written looks damaged. Throws Error (not_found) if the bag
/// does not exist now.
KITBAG_API std::unique_ptr<Source> follow(const std::string& uri, const Query& query,
                                          const ReadOptions& options, const Session& session);

/// Returns a source that reads `source` ahead on a thread of its own: up to `bytes` of messages,
/// counted as Queue does.
KITBAG_API std::unique_ptr<Source> read_ahead(std::unique_ptr<Source> source, std::size_t bytes,
                                              ClockPtr clock);

/// Returns a source that gives the messages of `source` in real time, by log time: `rate` seconds
/// of messages per second of `clock`, beginning with the first message. No message comes too early,
/// and a late message does not delay later ones. State (kState) comes at once. Throws Error
/// (invalid) unless `rate` is above zero.
KITBAG_API std::unique_ptr<Source> pace(std::unique_ptr<Source> source, ClockPtr clock,
                                        double rate = 1);

/// When to begin the next file. Nothing set: never.
struct SplitLimits {
  std::optional<std::uint64_t> bytes = std::nullopt;  ///< size of a file (Writer::size_bytes())
  /// Log time since the first message of the file.
  std::optional<Duration> duration = std::nullopt;
  std::optional<std::uint64_t> messages = std::nullopt;  ///< messages in a file

  /// Returns whether there is a limit.
  bool any() const { return bytes || duration || messages; }
};

/// Creates the file with this index, which starts at 0.
using NextWriter = std::function<std::unique_ptr<Writer>(std::size_t index)>;

/// The files of a split: how to create and how to complete them.
struct SplitFiles {
  NextWriter next;  ///< creates each
  /// Called after the last file was closed. May be empty.
  std::function<void()> publish = {};
};

/// Returns a sink that begins the next file when a limit is reached. Each file declares all
/// channels that are known when it begins. Throws Error (invalid) for a limit that is zero or
/// negative.
KITBAG_API std::unique_ptr<Sink> split(SplitLimits limits, NextWriter next);
/// The same, of files that appear together, for example.
KITBAG_API std::unique_ptr<Sink> split(SplitLimits limits, SplitFiles files);

/// Returns the files of a split to `uri`: files next to each other with names from split_path(), or
/// the files of one directory. They are written in a hidden folder and appear together when the
/// split is closed; without close(), none appears. With `options.is_visible`, each appears when it
/// begins, and stays. Throws Error (invalid) if the format cannot be determined.
KITBAG_API SplitFiles split_to(const std::string& uri, const WriteOptions& options,
                               const Session& session);

/// Returns the name of a file of a split: ("dir/run.bag", 2) gives "dir/run_2.bag".
KITBAG_API std::string split_path(const std::string& path, std::size_t index);

/// A bounded buffer between two threads: one writes batches, one reads them. The capacity bounds
/// memory in bytes: payload, and sizeof(Message) per message. If a batch does not fit, the writer
/// waits, or messages are dropped and counted. A batch that is larger than the queue is accepted
/// when the queue is empty.
class KITBAG_API Queue final : public Sink, public Source {
 public:
  /// `clock` is used to wait; not null.
  Queue(std::size_t capacity_bytes, OnFull on_full, ClockPtr clock);
  ~Queue() override;

  /// With OnFull::block, waits for space. Throws Error: cancelled after abandon(), invalid after
  /// close() or fail().
  void write(Batch&& batch) override;
  /// Ends the queue: the reader gets the remaining messages, then the end.
  void close() override;
  /// Ends the queue with an error: the reader gets the remaining messages, then `error`.
  void fail(std::exception_ptr error);

  ChannelsPtr channels() const override;
  bool read(Batch& batch, const Wait& wait) override;
  /// Says that the reader is gone. A writer that waits now or writes later gets Error (cancelled).
  void abandon();

  /// Returns the number of messages dropped so far, by slot. From any thread.
  std::vector<std::uint64_t> dropped() const;

 private:
  struct KITBAG_PRIVATE State;
  std::unique_ptr<State> state_;
};

}  // namespace kitbag
