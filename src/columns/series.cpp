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

#include "arrow/numbers.h"
#include "arrow/owned.h"
#include "columns/field_path.h"
#include "columns/series_parts.h"
#include "kitbag/columns.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"

// One pass over the columns of the fields. A field of a topic is a series; which topics have which
// fields is known before the first message is read, so a field that is no number, or too many
// series, are refused at once.

namespace kitbag {
namespace {

/// Between two looks at the clock.
constexpr std::uint64_t kBatchRows = 1024;
constexpr std::size_t kFirstField = 2;  ///< behind the columns of time and topic

/// The series of one topic, by field of the request; null: it does not have the field.
using OfTopic = std::vector<FieldSeries*>;

class Reading {
 public:
  Reading(const Bag& bag, const SeriesRequest& request, const Session& session)
      : bag_(bag),
        request_(request),
        session_(session),
        parts_(series_parts(bag.summary(), request)),
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
    arrow::Owned<ArrowSchema> schema;
    table->schema(schema.get());
    check(*schema);
    arrow::Owned<ArrowArray> batch;
    while (table->next(batch.get(), wait)) {
      add_rows(*schema, *batch);
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
    for (const ChannelPtr& channel : *bag_.channels()) {
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
    if (arrow::Numbers::can_read(format)) return;
    throw Error(ErrorCode::invalid,
                fmt::format("{}.{} is not a number; choose a number in it, or an element: "
                            "ranges[3]",
                            escaped(topic), escaped(field)));
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
      arrow::Numbers numbers(schema.children[kFirstField + i]->format,
                             *batch.children[kFirstField + i]);
      for (std::int64_t row = 0; row < batch.length; ++row) {
        const OfTopic* of_topic = of_topics[static_cast<std::size_t>(indexes[row])];
        FieldSeries* field = of_topic ? (*of_topic)[i] : nullptr;
        double value = field ? numbers.at(row) : std::nan("");
        if (std::isnan(value)) continue;
        // Where the parts reach to the last time that there is, the query has no end
        // (SeriesParts::end()).
        std::uint64_t index = std::min(parts_.index_of(from_ns(ns[row])), parts_.count - 1);
        add({0, 1, value, value, value, value}, *field, index);
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
  SeriesParts parts_;
  Series made_;
  std::vector<FieldPath> paths_;
  std::map<std::string, OfTopic> by_topic_;
};

}  // namespace

Series series(const Bag& bag, const SeriesRequest& request, const Session& session,
              const Wait& wait) {
  check_series_request(request);
  return Reading(bag, request, session).read(wait);
}

}  // namespace kitbag
