#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/columns.h"
#include "kitbag/error.h"
#include "kitbag/export.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "kitbag/time.h"
#include "kitbag/transcode.h"

// Topics that come at different times, as one table. align() brings them to one clock: the times of
// a topic, or a rate.
//
//   AlignRequest request;
//   request.topics = {{"/camera/image", {"height"}},
//                     {"/odom", {"pose.pose.position.x"}, AlignMethod::linear},
//                     {"/battery", {"voltage"}, AlignMethod::previous, std::chrono::seconds(2)}};
//   request.clock = "/camera/image";
//   auto table = align(*bag, {}, request, session);
//
// A row is a time of the clock. Its columns are `time`, and the fields of each topic, named
// "/odom.pose.pose.position.x" (a name that is taken gets "_" behind it). A value is null if there
// is no message that it could come from, or none within the tolerance.
//
// All topics are read in one pass, in the order of time. Of each topic, the messages are held that
// the next rows may need; if these take too much memory, because a topic has a long gap, next()
// throws Error (limit).

namespace kitbag {

/// Which messages of a topic give the values at a time. If several messages have the same time, the
/// last of them counts before it, and the first of them after it.
enum class AlignMethod {
  previous,  ///< the last message that is not later
  nearest,   ///< that one, or the first later one if it is nearer
  /// Between these two, in proportion to the time: real numbers as they are, integers as float64.
  /// Other values (times, booleans, enumerations, texts, structures, lists) are those of
  /// `previous`. Quaternions are not treated specially: their four numbers are interpolated one by
  /// one.
  linear,
};

/// A topic, and how it is brought to the clock.
struct AlignedTopic {
  std::string topic;  ///< its name
  /// As ColumnsRequest::fields. Empty: all fields.
  std::vector<std::string> fields = {};
  AlignMethod method = AlignMethod::previous;  ///< how its values are chosen
  /// Messages that are farther away than this do not count. With AlignMethod::linear, both must be
  /// within it.
  Duration tolerance = Duration::max();
};

/// Rows at equal distances: `begin`, `begin` + 1 / `hz`, and so on, up to `end`, which is not
/// included.
struct AlignRate {
  double hz = 0;             ///< rows in a second; more than 0
  Time begin = Time::min();  ///< Time::min(): the time of the first message
  Time end = Time::max();    ///< Time::max(): up to the time of the last message
};

/// What align() is to read.
struct AlignRequest {
  /// A topic may be listed several times, with other fields.
  std::vector<AlignedTopic> topics = {};
  /// The topic whose messages are the rows, or a rate. The first of `topics` with that topic gives
  /// the values of these messages themselves, whatever its method. The topic need not be listed.
  std::variant<std::string, AlignRate> clock = {};
  /// The time of messages. With RowTime::header_stamp, messages are put in order within
  /// `reorder_window`.
  RowTime time = RowTime::log_time;
  /// Header stamps may run backwards, and differ between topics. A message whose stamp is more than
  /// this before the latest one so far is left out; next() tells how many there were, at the end.
  Duration reorder_window = std::chrono::seconds(1);
  /// A batch ends with this many rows, or with about this many bytes.
  std::uint64_t batch_rows = 1 << 16;
  std::uint64_t batch_bytes = 64 << 20;  ///< of Arrow buffers
  /// Memory for messages that are held.
  std::uint64_t held_bytes = 256 << 20;
  /// Messages that cannot be decoded: with OnError::raw, their fields are null.
  OnError on_error = OnError::stop;
  /// Updated as messages are read, once for each of `topics`; may be null, otherwise it must
  /// outlive the Columns. Messages that are left out because of their time are counted as skipped.
  TranscodeReport* report = nullptr;
  /// Called by align() as by columns(), and for fields that cannot be interpolated; at the end of
  /// the table, by next(), with how many messages were left out because of their time.
  OnWarning on_warning = {};
};

/// Returns the topics of `source` as one table. `source` is in the order of `request.time`; if that
/// is the header stamp, of the log time. Its channels must be known. Throws Error: not_found if
/// there is no such topic, or a topic has no such field, with similar names; invalid if no topic is
/// named, or for a rate, a path or a tolerance that is none; and as columns() does.
KITBAG_API std::unique_ptr<Columns> align(std::unique_ptr<Source> source,
                                          const AlignRequest& request, const Session& session);

/// The same for what `query` selects of a bag. Its order does not count; its times are those of
/// `request.time`, or log times for header stamps. Only the topics that are needed are read, and if
/// the clock is a rate from `begin` to `end`, only what lies within the tolerances.
KITBAG_API std::unique_ptr<Columns> align(const Bag& bag, const Query& query,
                                          const AlignRequest& request, const Session& session);

}  // namespace kitbag
