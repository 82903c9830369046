#include "kitbag/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "arrow/numbers.h"
#include "plot/curve_names.h"
#include "plot/growing_series.h"
#include "plot/path_points.h"
#include "plot/topic_reading.h"

// The source is read once. Each topic has a table of its fields (GivenTable), so topics need not
// agree about the type of a field. Messages wait until there are enough of them that each table
// gets many rows at a time.
//
// The channels of a pipe become known while it is read. So names are looked up whenever there are
// new channels, and a name that there is not is an error at the end; if channels are known at the
// beginning, it is one at once.

namespace kitbag {
namespace {

/// Messages wait until there are this many, or until they take so much.
constexpr std::size_t kMostWaiting = 1 << 13;
constexpr std::size_t kMostWaitingBytes = 8 << 20;
constexpr std::size_t kMostPinnedBytes = 32 << 20;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// A curve while it is read.
struct Curve {
  PlotCurve told;
  std::variant<GrowingSeries, PathPoints> points;
};

/// The values of the horizontal axis, if it is no time.
class Against {
 public:
  void add(std::int64_t ns, double value) { values_.emplace_back(ns, value); }
  /// The latest value at `ns`; NaN: there is none. `next` is 0 at first, and kept between calls.
  double at(std::int64_t ns, std::size_t& next) const {
    while (next < values_.size() && values_[next].first <= ns) ++next;
    return next == 0 ? latest_ : values_[next - 1].second;
  }
  /// Forgets all but the latest.
  void end_block() {
    if (!values_.empty()) latest_ = values_.back().second;
    values_.clear();
  }

 private:
  std::vector<std::pair<std::int64_t, double>> values_;
  double latest_ = kNone;
};

class Reading {
 public:
  Reading(std::unique_ptr<Source> source, const PlotRequest& request, const Session& session)
      : source_(std::move(source)), request_(request), session_(session) {
    columns_.has_topic = false;
    columns_.time = request.time;
    columns_.on_error = request.on_error;
    columns_.report = request.report;
    columns_.on_warning = [this](const Error& warning) { warn_once(warning); };
  }

  Plot read(const Wait& wait) {
    channels_ = source_->channels();
    bool are_known = std::any_of(channels_->begin(), channels_->end(),
                                 [](const ChannelPtr& channel) { return channel != nullptr; });
    if (are_known) find_names(true);
    Batch batch;
    for (bool is_more = true; is_more;) {
      throw_if_stopped(wait);
      batch.clear();
      is_more = source_->read(batch, wait);
      if (is_more) take(batch);
    }
    throw_if_stopped(wait);
    decode();
    find_names(true);
    return finish();
  }

 private:
  void warn_once(const Error& warning) {
    if (request_.on_warning && told_.insert(warning.message()).second) request_.on_warning(warning);
  }

  /// `is_final`: what there is not will not come.
  void find_names(bool is_final) {
    // Channels are only added, so their number says whether there are new ones.
    bool is_known = known_channels_ == channels_->size() && !(is_final && names_.missing);
    if (is_known) return;
    known_channels_ = channels_->size();
    CurveNames names = find_curves(*channels_, request_, session_);
    if (is_final && names.missing) throw Error(*names.missing);
    bool is_same = names.curves == names_.curves && names.against == names_.against;
    names_ = std::move(names);
    if (!is_same) begin_topics();
  }

  /// Makes the tables of all topics; curves that have been begun stay.
  void begin_topics() {
    std::map<std::string, std::vector<std::string>> fields;
    auto add = [&](const CurveName& name) {
      auto& of_topic = fields[name.topic];
      bool is_new = std::find(of_topic.begin(), of_topic.end(), name.field) == of_topic.end();
      if (is_new) of_topic.push_back(name.field);
    };
    for (const CurveName& name : names_.curves) add(name);
    if (!names_.against.topic.empty()) add(names_.against);
    topics_.clear();
    for (auto& [topic, of_topic] : fields) {
      columns_.fields = std::move(of_topic);
      topics_.emplace(topic, TopicReading(topic, channels_, columns_, session_));
    }
    for (const CurveName& name : names_.curves) begin_curve(name);
  }

  void begin_curve(const CurveName& name) {
    auto [place, is_new] = curves_.try_emplace({name.topic, name.field});
    if (!is_new) return;
    const TopicReading& topic = topics_.at(name.topic);
    const arrow::ColumnType& type = topic.type(topic.column_of(name.field));
    bool is_path = !request_.against.empty();
    auto& curve = place->second;
    curve = std::make_unique<Curve>(
        Curve{{.topic = name.topic, .field = name.field}, GrowingSeries(request_.parts)});
    // A part of a series has two values, its least and its greatest; a point of a path has one.
    if (is_path) curve->points = PathPoints(2 * request_.parts);
    curve->told.names = names_of(type);
    curve->told.is_state = !curve->told.names.empty() && !is_path;
    curve->told.is_whole =
        type.format.size() == 1 &&
        std::string_view("bcCsSiIlL").find(type.format[0]) != std::string_view::npos;
  }

  void take(Batch& batch) {
    if (batch.channels) channels_ = batch.channels;
    batch.extras.clear();
    for (const Message& message : std::as_const(batch).messages()) {
      Time time = request_.time == RowTime::publish_time ? message.publish_time : message.log_time;
      // Of all messages of the source, also of those that have no value.
      first_ = first_ ? std::min(*first_, time) : time;
    }
    waiting_.take_front(batch, batch.messages().size());
    // By number for the tables, by payload for decoding, and by what the batches keep in memory: a
    // small message may hold the chunk that it came in.
    bool is_enough = waiting_.messages().size() >= kMostWaiting ||
                     waiting_.payload() >= kMostWaitingBytes ||
                     waiting_.pinned() >= kMostPinnedBytes;
    if (is_enough) decode();
  }

  void decode() {
    find_names(false);
    for (const Message& message : std::as_const(waiting_).messages()) {
      auto topic = topics_.find(message.channel->topic);
      if (topic != topics_.end()) topic->second.add(message);
    }
    // The values of the horizontal axis first, which the curves of other topics need.
    auto first = topics_.find(names_.against.topic);
    if (first != topics_.end()) decode(first->first, first->second);
    for (auto& [topic, reading] : topics_) {
      if (topic != names_.against.topic) decode(topic, reading);
    }
    against_.end_block();
    waiting_.clear();
  }

  void decode(const std::string& topic, TopicReading& reading) {
    bool has_axis = topic == names_.against.topic;
    std::size_t axis = has_axis ? reading.column_of(names_.against.field) : TopicReading::kNoColumn;
    std::size_t next = 0;
    reading.decode(channels_, [&](const ArrowArray& rows) {
      RowTimes times(*rows.children[0]);
      std::vector<double> x;
      if (!request_.against.empty()) x = axis_values(reading, axis, times, rows, next);
      for (const CurveName& name : names_.curves) {
        if (name.topic != topic) continue;
        Curve& curve = *curves_.at({name.topic, name.field});
        add_rows(curve, times, x, reading.numbers(reading.column_of(name.field), rows),
                 rows.length);
      }
    });
  }

  /// The places of the rows on the horizontal axis.
  std::vector<double> axis_values(const TopicReading& reading, std::size_t axis,
                                  const RowTimes& times, const ArrowArray& rows,
                                  std::size_t& next) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(rows.length));
    for (std::int64_t row = 0; row < rows.length; ++row) {
      auto ns = times.at(row);
      double value = kNone;
      if (axis != TopicReading::kNoColumn) {
        // Fields of the topic of the axis itself take the value of their own message; those of
        // other topics the latest one before them.
        value = reading.numbers(axis, rows).at(row);
        if (ns && !names_.against.topic.empty()) against_.add(*ns, value);
      } else if (ns) {
        value = against_.at(*ns, next);
      }
      values.push_back(value);
    }
    return values;
  }

  static void add_rows(Curve& curve, const RowTimes& times, const std::vector<double>& x,
                       const arrow::Numbers& numbers, std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; ++row) {
      double value = numbers.at(row);
      if (std::isinf(value)) {
        ++curve.told.infinite;
        value = kNone;
      }
      if (!std::isnan(value)) ++curve.told.values;
      if (auto* path = std::get_if<PathPoints>(&curve.points)) {
        path->add(x[static_cast<std::size_t>(row)], value);
      } else if (auto ns = times.at(row)) {
        std::get<GrowingSeries>(curve.points).add(from_ns(*ns), value);
      }
    }
  }

  Plot finish() {
    Plot plot{.time = request_.time};
    if (!names_.against.topic.empty()) {
      plot.against = names_.against.topic + '.' + names_.against.field;
    }
    plot.start = request_.start ? *request_.start : first_time().value_or(Time{});
    for (const CurveName& name : names_.curves) {
      Curve& curve = *curves_.at({name.topic, name.field});
      if (auto* series = std::get_if<GrowingSeries>(&curve.points)) {
        curve.told.points = series->points(plot.start, request_.gap);
      } else {
        curve.told.points = std::get<PathPoints>(curve.points).points();
      }
      tell_about(curve.told);
      plot.curves.push_back(std::move(curve.told));
    }
    return plot;
  }

  std::optional<Time> first_time() const {
    if (request_.time != RowTime::header_stamp) return first_;
    std::optional<Time> first;
    for (const auto& [name, curve] : curves_) {
      auto* series = std::get_if<GrowingSeries>(&curve->points);
      if (!series || !series->first()) continue;
      first = first ? std::min(*first, *series->first()) : *series->first();
    }
    return first;
  }

  void tell_about(const PlotCurve& curve) {
    auto warn = [&](const std::string& sentence) {
      warn_once(Error(ErrorCode::remark, curve.name() + ": " + sentence));
    };
    if (curve.points.empty()) warn("there are no values to plot");
    if (curve.infinite > 0) {
      warn(fmt::format("{} infinite {} shown as gaps", curve.infinite,
                       curve.infinite == 1 ? "value is" : "values are"));
    }
  }

  std::unique_ptr<Source> source_;
  const PlotRequest& request_;
  Session session_;
  ColumnsRequest columns_;
  std::set<std::string> told_;
  ChannelsPtr channels_;
  std::optional<std::size_t> known_channels_;  ///< how many; absent: nobody has looked
  CurveNames names_;
  std::map<std::string, TopicReading> topics_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Curve>> curves_;
  Against against_;
  std::optional<Time> first_;  ///< of all messages
  Batch waiting_;
};

}  // namespace

std::string PlotCurve::name() const {
  return topic + '.' + field;
}

std::vector<std::string> plot_topics(const Channels& channels, const PlotRequest& request,
                                     const Session& session) {
  CurveNames names = find_curves(channels, request, session);
  if (names.missing) throw Error(*names.missing);
  std::set<std::string> topics;
  for (const CurveName& name : names.curves) topics.insert(name.topic);
  if (!names.against.topic.empty()) topics.insert(names.against.topic);
  return {topics.begin(), topics.end()};
}

Plot plot(std::unique_ptr<Source> source, const PlotRequest& request, const Session& session,
          const Wait& wait) {
  if (request.parts < 2 || request.parts > PlotRequest::kMostParts) {
    throw Error(ErrorCode::invalid,
                fmt::format("a curve has from 2 to {} parts", PlotRequest::kMostParts));
  }
  if (request.gap && *request.gap < Duration::zero()) {
    throw Error(ErrorCode::invalid, "invalid gap; it must not be negative");
  }
  return Reading(std::move(source), request, session).read(wait);
}

}  // namespace kitbag
