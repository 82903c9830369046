#include "kitbag/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "columns/field_path.h"
#include "kitbag/columns.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"

// One pass over the columns of the fields. Values come in the order of their times, so the part of
// a value is nearly always the last one that there is; parts without values take no memory.
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

/// Between two looks at the clock.
constexpr std::uint64_t kBatchRows = 1024;
constexpr std::size_t kFirstField = 2;  ///< behind the columns of time and topic

/// Into which parts a time is divided.
struct Parts {
  Time start{};
  std::uint64_t width = 1;
  std::uint64_t count = 0;

  std::uint64_t index_of(Time time) const { return time <= start ? 0 : ns_since(time) / width; }
  std::uint64_t ns_since(Time time) const {
    return static_cast<std::uint64_t>(to_ns(time)) - static_cast<std::uint64_t>(to_ns(start));
  }
  /// Time::max(): beyond what a time can represent.
  Time end() const {
    std::uint64_t left =
        static_cast<std::uint64_t>(INT64_MAX) - static_cast<std::uint64_t>(to_ns(start));
    if (width > left / count) return Time::max();
    return after_ns(width * count);
  }
  /// `ns` after the start; it must not be beyond what a time can represent.
  Time after_ns(std::uint64_t ns) const {
    return from_ns(static_cast<std::int64_t>(static_cast<std::uint64_t>(to_ns(start)) + ns));
  }
};

constexpr std::uint64_t divided_up(std::uint64_t number, std::uint64_t by) {
  return number / by + (number % by != 0 ? 1 : 0);
}

/// The finest width that is kept: of the parts of the whole bag.
std::uint64_t finest_width(const Summary& summary) {
  Parts whole{summary.start};
  return whole.ns_since(summary.end) / SeriesRequest::kMostBuckets + 1;
}

Parts parts_of(const Summary& summary, const SeriesRequest& request) {
  Parts parts{std::max(request.begin, summary.start)};
  Time end = std::min(request.end, saturating_add(summary.end, Duration(1)));
  if (summary.messages == 0 || end <= parts.start) return parts;
  std::uint64_t finest = finest_width(summary);
  parts.width = divided_up(parts.ns_since(end), request.buckets);
  if (parts.width >= finest) {
    Parts whole{summary.start, finest};
    parts.start = whole.after_ns(whole.index_of(parts.start) * finest);
    parts.width = divided_up(parts.width, finest) * finest;
    // Since it begins earlier, the last part may lie beyond those that were asked for.
    if (divided_up(parts.ns_since(end), parts.width) > request.buckets) parts.width += finest;
  }
  parts.count = std::min(divided_up(parts.ns_since(end), parts.width), request.buckets);
  return parts;
}

Series empty_series(const Parts& parts) {
  Series made;
  made.start = parts.start;
  if (parts.count == 0) return made;
  made.bucket_duration =
      Duration(static_cast<std::int64_t>(std::min<std::uint64_t>(parts.width, INT64_MAX)));
  made.buckets = parts.count;
  return made;
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

/// Adds values that are later than those that are there.
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

/// A column of numbers.
class Numbers {
 public:
  Numbers(std::string_view format, const ArrowArray& array) : format_(format), array_(array) {}

  static bool can_read(std::string_view format) {
    bool is_number = format.size() == 1 && std::strchr("bcCsSiIlLfg", format[0]) != nullptr;
    return is_number || format.starts_with("ts") || format.starts_with("tD");
  }

  /// NaN: there is none.
  double at(std::int64_t row) const {
    std::int64_t index = array_.offset + row;
    if (array_.buffers[0] && !bit(array_.buffers[0], index)) return std::nan("");
    switch (format_[0]) {
      case 'b':
        return bit(array_.buffers[1], index) ? 1 : 0;
      case 'c':
        return value<std::int8_t>(index);
      case 'C':
        return value<std::uint8_t>(index);
      case 's':
        return value<std::int16_t>(index);
      case 'S':
        return value<std::uint16_t>(index);
      case 'i':
        return value<std::int32_t>(index);
      case 'I':
        return value<std::uint32_t>(index);
      case 'l':
        return static_cast<double>(value<std::int64_t>(index));
      case 'L':
        return static_cast<double>(value<std::uint64_t>(index));
      case 'f':
        return static_cast<double>(value<float>(index));
      case 'g':
        return value<double>(index);
      default:  // a time or a duration, in nanoseconds
        return static_cast<double>(value<std::int64_t>(index)) / 1e9;
    }
  }

 private:
  static bool bit(const void* bits, std::int64_t index) {
    unsigned byte = static_cast<const unsigned char*>(bits)[index / 8];
    return (byte >> (index % 8) & 1U) != 0;
  }
  template <class T>
  T value(std::int64_t index) const {
    return static_cast<const T*>(array_.buffers[1])[index];
  }

  std::string_view format_;
  const ArrowArray& array_;
};

/// What is handed over by the Arrow C data interface, released in the end.
template <class Arrow>
class Taken {
 public:
  Taken() = default;
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  ~Taken() { release(); }

  Arrow* in() {
    release();
    return &taken_;
  }
  const Arrow* operator->() const { return &taken_; }

 private:
  void release() {
    if (taken_.release) taken_.release(&taken_);
  }

  Arrow taken_{};
};

/// The series of one topic, by field of the request; null: it does not have the field.
using OfTopic = std::vector<FieldSeries*>;

class Reading {
 public:
  Reading(const Bag& bag, const SeriesRequest& request, const Session& session)
      : bag_(bag),
        request_(request),
        session_(session),
        parts_(parts_of(bag.summary(), request)),
        made_(empty_series(parts_)) {
    for (const std::string& text : request.fields) {
      bool is_known = std::any_of(paths_.begin(), paths_.end(),
                                  [&](const FieldPath& path) { return path.text() == text; });
      if (!is_known) paths_.emplace_back(text);
    }
    find_fields();
  }

  Series read(const Wait& wait) {
    SteadyTime begun = session_.clock()->steady();
    ColumnsRequest columns_request;
    for (const FieldPath& path : paths_) columns_request.fields.push_back(path.text());
    columns_request.batch_rows = kBatchRows;
    columns_request.on_error = OnError::skip;
    columns_request.report = request_.report;
    Query query;
    query.select = request_.select;
    query.on_problem = request_.on_problem;
    query.begin = parts_.start;
    if (parts_.count > 0) query.end = parts_.end();
    auto table = columns(bag_, query, columns_request, session_);  // which refuses unknown fields
    if (parts_.count == 0) return std::move(made_);
    Taken<ArrowSchema> schema;
    table->schema(schema.in());
    check(*schema.operator->());
    Taken<ArrowArray> batch;
    while (table->next(batch.in(), wait)) {
      add_rows(*schema.operator->(), *batch.operator->());
      if (session_.clock()->steady() - begun > request_.most_time) {
        throw Error(ErrorCode::limit,
                    "the series takes longer than is allowed; select fewer topics or a shorter "
                    "time");
      }
    }
    return std::move(made_);
  }

 private:
  /// Which topics have which fields.
  void find_fields() {
    Selector selector(request_.select);
    std::map<std::string, std::vector<bool>> has;
    for (const ChannelPtr& channel : *bag_.summary().channels) {
      if (!channel || !selector.matches(*channel)) continue;
      TypePtr type = type_of_channel(*channel);
      if (!type) continue;
      std::vector<bool>& of_topic = has[channel->topic];
      of_topic.resize(paths_.size());
      for (std::size_t i = 0; i < paths_.size(); ++i) {
        auto column = paths_[i].column_type(*type);
        if (!column) continue;
        require_number(column->format, paths_[i].text(), channel->topic);
        of_topic[i] = true;
      }
    }
    std::size_t series = 0;
    for (const auto& [topic, of_topic] : has) {
      series += static_cast<std::size_t>(std::count(of_topic.begin(), of_topic.end(), true));
    }
    if (series > SeriesRequest::kMostSeries) {
      throw Error(ErrorCode::limit,
                  fmt::format("there are {} topics with such fields, counted for each field, and "
                              "{} can be read at once; select fewer",
                              series, SeriesRequest::kMostSeries));
    }
    made_.fields.reserve(series);  // so that pointers stay valid
    for (const auto& [topic, of_topic] : has) {
      OfTopic& fields = by_topic_[topic];
      for (std::size_t i = 0; i < of_topic.size(); ++i) {
        if (of_topic[i]) made_.fields.push_back({topic, paths_[i].text()});
        fields.push_back(of_topic[i] ? &made_.fields.back() : nullptr);
      }
    }
  }

  /// Null: its messages cannot be decoded, as the report will say.
  TypePtr type_of_channel(const Channel& channel) const {
    if (!is_decodable(channel, session_)) return nullptr;
    try {
      return type_of(channel, session_);
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      return nullptr;
    }
  }

  static void require_number(std::string_view format, const std::string& field,
                             const std::string& topic) {
    if (Numbers::can_read(format)) return;
    throw Error(ErrorCode::invalid,
                fmt::format("the field {} of {} is no number; name one, such as a field inside of "
                            "it, or an element: ranges[3]",
                            escaped(field), escaped(topic)));
  }

  /// Topics can have types that a column cannot unite.
  void check(const ArrowSchema& schema) const {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      require_number(schema.children[kFirstField + i]->format, paths_[i].text(),
                     "topics of different types");
    }
  }

  void add_rows(const ArrowSchema& schema, const ArrowArray& batch) {
    const ArrowArray& times = *batch.children[0];
    const ArrowArray& topics = *batch.children[1];
    std::vector<const OfTopic*> of_topics = topics_of(*topics.dictionary);
    const auto* indexes = static_cast<const std::int32_t*>(topics.buffers[1]) + topics.offset;
    const auto* ns = static_cast<const std::int64_t*>(times.buffers[1]) + times.offset;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      Numbers numbers(schema.children[kFirstField + i]->format, *batch.children[kFirstField + i]);
      for (std::int64_t row = 0; row < batch.length; ++row) {
        const OfTopic* of_topic = of_topics[static_cast<std::size_t>(indexes[row])];
        FieldSeries* field = of_topic ? (*of_topic)[i] : nullptr;
        double value = field ? numbers.at(row) : std::nan("");
        if (std::isnan(value)) continue;
        std::uint64_t index = std::min(parts_.index_of(from_ns(ns[row])), parts_.count - 1);
        add({0, 1, value, value, value, value}, bucket_at(*field, index));
      }
    }
  }

  /// What each text of the dictionary stands for.
  std::vector<const OfTopic*> topics_of(const ArrowArray& dictionary) const {
    std::vector<const OfTopic*> all;
    const auto* ends = static_cast<const std::int32_t*>(dictionary.buffers[1]) + dictionary.offset;
    const auto* texts = static_cast<const char*>(dictionary.buffers[2]);
    for (std::int64_t i = 0; i < dictionary.length; ++i) {
      std::string topic(texts + ends[i], texts + ends[i + 1]);
      auto found = by_topic_.find(topic);
      all.push_back(found == by_topic_.end() ? nullptr : &found->second);
    }
    return all;
  }

  const Bag& bag_;
  const SeriesRequest& request_;
  Session session_;
  Parts parts_;
  Series made_;
  std::vector<FieldPath> paths_;
  std::map<std::string, OfTopic> by_topic_;
};

void check_request(const SeriesRequest& request) {
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

}  // namespace

Series series(const Bag& bag, const SeriesRequest& request, const Session& session,
              const Wait& wait) {
  check_request(request);
  return Reading(bag, request, session).read(wait);
}

std::optional<Series> coarser_series(const Series& finest, const Summary& summary,
                                     const SeriesRequest& request) {
  check_request(request);
  Parts parts = parts_of(summary, request);
  std::uint64_t finest_ns = finest_width(summary);
  if (parts.count > 0 && parts.width < finest_ns) return std::nullopt;
  Series made = empty_series(parts);
  std::uint64_t first = Parts{summary.start, finest_ns}.index_of(parts.start);
  std::uint64_t joined = parts.width / finest_ns;
  for (const FieldSeries& field : finest.fields) {
    FieldSeries& coarse = made.fields.emplace_back(FieldSeries{field.topic, field.field});
    for (const SeriesBucket& fine : field.buckets) {
      if (fine.index < first || parts.count == 0) continue;
      std::uint64_t index = (fine.index - first) / joined;
      if (index >= parts.count) break;
      add(fine, bucket_at(coarse, index));
    }
  }
  return made;
}

}  // namespace kitbag
