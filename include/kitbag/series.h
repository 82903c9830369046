#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/columns.h"
#include "kitbag/export.h"
#include "kitbag/selector.h"
#include "kitbag/session.h"
#include "kitbag/transcode.h"

// The values of fields over time, for plots: how many there are in each of so many equal parts of a
// time range, the least and the greatest one, their mean and the last one.
//
//   Series plot = series(*bag, {.select = {.topics = {"/odom"}},
//                               .fields = {"twist.twist.linear.x"}, .buckets = 1000}, session);
//
// Times are log times. The length of a part is rounded up to a multiple of 1/65,536 of the bag, and
// the first part begins at such a multiple, unless the parts are shorter than that. So the series
// of the whole bag with the most parts, which can be kept, answers all requests for longer parts
// (coarser_series()) as a new read of the bag does.

namespace kitbag {

/// The values of a field in one part of the time.
struct SeriesBucket {
  std::uint64_t index = 0;  ///< of the part
  std::uint64_t count = 0;  ///< at least 1
  double min = 0;           ///< the least value
  double max = 0;           ///< the greatest value
  double mean = 0;          ///< of all values
  double last = 0;          ///< by log time

  bool operator==(const SeriesBucket&) const = default;
};

/// A field of the messages of one topic.
struct FieldSeries {
  std::string topic;                       ///< its name
  std::string field;                       ///< its path
  std::vector<SeriesBucket> buckets = {};  ///< those with values, by index
};

/// Fields over time.
struct Series {
  Time start{};                          ///< of the first part
  Duration bucket_duration{};            ///< of each part; 0: there are none
  std::uint64_t buckets = 0;             ///< how many parts there are
  std::vector<FieldSeries> fields = {};  ///< by topic, then in the order of the request
};

/// What series() is to read.
struct SeriesRequest {
  Selection select = {};  ///< which channels
  /// Paths as in ColumnsRequest. Each must lead to one number, boolean, time or duration in a
  /// message; times and durations are given in seconds.
  std::vector<std::string> fields = {};
  /// Only messages with begin <= time < end, as far as the bag goes. The parts in which `begin` and
  /// `end` lie are whole.
  Time begin = Time::min();
  Time end = Time::max();        ///< exclusive
  std::uint64_t buckets = 1000;  ///< at most this many parts, from 1 to kMostBuckets
  /// The most time that it may take.
  Duration most_time = Duration::max();
  /// Called with damage. Empty: ReadOptions::on_problem of the bag.
  OnProblem on_problem = {};
  /// Says which messages could not be decoded; they are left out. May be null.
  TranscodeReport* report = nullptr;

  static constexpr std::uint64_t kMostBuckets = 1 << 16;  ///< most of `buckets`
  static constexpr std::size_t kMostSeries = 16;          ///< fields of all topics together
};

/// Returns the fields of a bag over time. NaN is no value. Takes memory for the parts, not for the
/// messages. Throws Error: not_found for a field that no selected topic has, invalid for one that
/// is no number and for options out of range, limit if there are more than kMostSeries or if it
/// takes longer than `most_time`, cancelled on `wait.stop`.
KITBAG_API Series series(const Bag& bag, const SeriesRequest& request, const Session& session,
                         const Wait& wait = {});

/// Returns what series() returns for `request`, from `finest`, which is the series of the same
/// fields of the whole bag with kMostBuckets; means may differ in the last digit. Absent: `finest`
/// is not fine enough.
KITBAG_API std::optional<Series> coarser_series(const Series& finest, const Summary& summary,
                                                const SeriesRequest& request);

/// Returns a series as a table, a batch for each field that has values. A row is a part with
/// values: `topic`, `field`, `time` (when the part begins), `count`, `min`, `max`, `mean` and
/// `last`. In the metadata of the schema, "kitbag.start_time" and "kitbag.bucket_duration", in
/// nanoseconds, and "kitbag.buckets" say where all parts are.
KITBAG_API std::unique_ptr<Columns> series_columns(Series series);

}  // namespace kitbag
