#include "columns/series_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kitbag/error.h"

// Values come in the order of their times, so the part of a value is nearly always the last one
// that there is; parts without values take no memory.
//
// Unless they are shorter than that, parts begin at multiples of the finest width, counted from the
// start of the bag, and are a multiple of it long. So the parts of any request are whole numbers of
// finest parts, and a series that was kept once answers every zoom that is not finer by adding
// parts up (coarser_series()). Means are carried along with their counts, as sums of large values
// would lose digits.
//
// Differences of times are unsigned, because two times can be further apart than an int64 holds.

namespace kitbag {
namespace {

constexpr std::uint64_t divided_up(std::uint64_t number, std::uint64_t by) {
  return number / by + (number % by != 0 ? 1 : 0);
}

/// The part `index` of a field. It is the last one, unless the times of a bag are out of order.
SeriesBucket& bucket_at(FieldSeries& field, std::uint64_t index) {
  auto& all = field.buckets;
  auto is_before = [](const SeriesBucket& bucket, std::uint64_t wanted) {
    return bucket.index < wanted;
  };
  auto place = all.empty() || all.back().index < index
                   ? all.end()
                   : std::lower_bound(all.begin(), all.end(), index, is_before);
  if (place != all.end() && place->index == index) return *place;
  return *all.insert(place, SeriesBucket{.index = index});
}

/// The mean of `a` and of `b`, which has that share. That of equal values is the same value; very
/// large ones of different signs do not overflow.
double mean_of(double a, double b, double share) {
  double mean = a + (b - a) * share;
  return std::isfinite(mean) ? mean : a * (1 - share) + b * share;
}

void add(const SeriesBucket& more, SeriesBucket& to) {
  bool is_first = to.count == 0;
  to.count += more.count;
  to.min = is_first ? more.min : std::min(to.min, more.min);
  to.max = is_first ? more.max : std::max(to.max, more.max);
  to.mean = is_first ? more.mean
                     : mean_of(to.mean, more.mean,
                               static_cast<double>(more.count) / static_cast<double>(to.count));
  to.last = more.last;
}

}  // namespace

Time SeriesParts::end() const {
  std::uint64_t left =
      static_cast<std::uint64_t>(INT64_MAX) - static_cast<std::uint64_t>(to_ns(start));
  if (width_ns > left / count) return Time::max();
  return after_ns(width_ns * count);
}

std::uint64_t finest_width_ns(const Summary& summary) {
  SeriesParts whole{summary.start};
  return whole.ns_since(summary.end) / SeriesRequest::kMostBuckets + 1;
}

SeriesParts series_parts(const Summary& summary, const SeriesRequest& request) {
  SeriesParts parts{std::max(request.begin, summary.start)};
  Time end = std::min(request.end, saturating_add(summary.end, Duration(1)));
  if (summary.messages == 0 || end <= parts.start) return parts;
  std::uint64_t finest = finest_width_ns(summary);
  parts.width_ns = divided_up(parts.ns_since(end), request.buckets);
  if (parts.width_ns >= finest) {
    SeriesParts whole{summary.start, finest};
    parts.start = whole.after_ns(whole.index_of(parts.start) * finest);
    parts.width_ns = divided_up(parts.width_ns, finest) * finest;
    // Since it begins earlier, the last part may lie beyond those that were asked for.
    if (divided_up(parts.ns_since(end), parts.width_ns) > request.buckets) parts.width_ns += finest;
  }
  parts.count = std::min(divided_up(parts.ns_since(end), parts.width_ns), request.buckets);
  return parts;
}

Series empty_series(const SeriesParts& parts) {
  Series made;
  made.start = parts.start;
  if (parts.count == 0) return made;
  made.bucket_duration =
      Duration(static_cast<std::int64_t>(std::min<std::uint64_t>(parts.width_ns, INT64_MAX)));
  made.buckets = parts.count;
  return made;
}

void add(const SeriesBucket& more, FieldSeries& field, std::uint64_t index) {
  add(more, bucket_at(field, index));
}

void check_series_request(const SeriesRequest& request) {
  if (request.fields.empty()) throw Error(ErrorCode::invalid, "a series needs a field");
  if (request.fields.size() > SeriesRequest::kMostSeries) {
    throw Error(ErrorCode::limit,
                fmt::format("{} fields are too many; at most {} can be read at once",
                            request.fields.size(), SeriesRequest::kMostSeries));
  }
  if (request.buckets < 1 || request.buckets > SeriesRequest::kMostBuckets) {
    throw Error(ErrorCode::invalid,
                fmt::format("a series has from 1 to {} buckets", SeriesRequest::kMostBuckets));
  }
}

std::optional<Series> coarser_series(const Series& finest, const Summary& summary,
                                     const SeriesRequest& request) {
  check_series_request(request);
  SeriesParts parts = series_parts(summary, request);
  std::uint64_t finest_ns = finest_width_ns(summary);
  if (parts.count > 0 && parts.width_ns < finest_ns) return std::nullopt;
  Series made = empty_series(parts);
  std::uint64_t first = SeriesParts{summary.start, finest_ns}.index_of(parts.start);
  std::uint64_t joined = parts.width_ns / finest_ns;
  for (const FieldSeries& field : finest.fields) {
    FieldSeries& coarse = made.fields.emplace_back(FieldSeries{field.topic, field.field});
    for (const SeriesBucket& fine : field.buckets) {
      if (fine.index < first || parts.count == 0) continue;
      std::uint64_t index = (fine.index - first) / joined;
      if (index >= parts.count) break;
      add(fine, coarse, index);
    }
  }
  return made;
}

}  // namespace kitbag
