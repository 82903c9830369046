#include "kitbag/align.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "arrow/column.h"
#include "columns/column_reader.h"
#include "columns/rate_clock.h"
#include "columns/stamps.h"
#include "columns/topic_rows.h"
#include "kitbag/text.h"

// One pass over the messages of all topics. Each topic has its rows (TopicRows), which are decoded
// a batch at a time. `complete_` says how far they are known: no row before it is still to come. A
// time of the clock that is before it becomes a row of the result when all topics are decided; a
// topic that wants the next message waits for it, or until `complete_` shows that it would be too
// far away.
//
// In the order of log or publish times, `complete_` is the time of the last message. Header stamps
// have no order that could be relied on: `complete_` is the latest stamp so far, less the window,
// and a message before it is left out. For this, stamps are read before anything else, of all
// topics together in the order of the messages: what is left out depends neither on batches nor on
// which fields are asked for. A message whose stamp cannot be read does not move `complete_`.

namespace kitbag {

namespace {

constexpr std::size_t kMostSimilarTopics = 5;
constexpr double kMostHz = 1e9;
constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

void require_valid(const AlignRequest& request) {
  auto fail = [](const std::string& sentence) { throw Error(ErrorCode::invalid, sentence); };
  if (request.topics.empty()) fail("no topics to align; name at least one");
  for (const AlignedTopic& each : request.topics) {
    if (each.tolerance < Duration::zero()) {
      fail(fmt::format("{}: invalid tolerance; it must not be negative", each.topic));
    }
  }
  if (request.reorder_window < Duration::zero()) {
    fail("invalid reorder window; it must not be negative");
  }
  const auto* rate = std::get_if<AlignRate>(&request.clock);
  if (rate && !(rate->hz > 0 && rate->hz <= kMostHz)) {
    fail(fmt::format("invalid rate {} Hz; it must be above 0 and at most 1e9", rate->hz));
  }
}

/// The topics that are read: those that are aligned, and the clock.
std::set<std::string> topics_of(const AlignRequest& request) {
  std::set<std::string> topics;
  for (const AlignedTopic& each : request.topics) topics.insert(each.topic);
  if (const auto* topic = std::get_if<std::string>(&request.clock)) topics.insert(*topic);
  return topics;
}

void require_topics(const AlignRequest& request, const Channels& channels) {
  std::set<std::string> known;
  for (const ChannelPtr& channel : channels) {
    if (channel) known.insert(channel->topic);
  }
  for (const std::string& topic : topics_of(request)) {
    if (known.contains(topic)) continue;
    auto nearest = nearest_texts(topic, {known.begin(), known.end()}, kMostSimilarTopics);
    throw Error(ErrorCode::not_found,
                fmt::format("there is no topic \"{}\"{}{}", topic,
                            nearest.empty() ? "" : "; similar topics: ", fmt::join(nearest, ", ")));
  }
}

class Aligner final : public Columns {
 public:
  Aligner(std::unique_ptr<Source> source, const AlignRequest& request, const Session& session)
      : source_(std::move(source)), request_(request), session_(session) {
    require_valid(request);
    ChannelsPtr channels = source_->channels();
    require_topics(request, *channels);
    tell_once();
    for (const AlignedTopic& each : request.topics) add_topic(each, true, *channels);
    if (const auto* topic = std::get_if<std::string>(&request.clock)) {
      auto found = std::find_if(topics_.begin(), topics_.end(),
                                [&](const auto& each) { return each->topic().topic == *topic; });
      if (found != topics_.end()) {
        clock_topic_ = found->get();
      } else {
        add_topic({*topic}, false, *channels);
        clock_topic_ = topics_.back().get();
      }
    } else {
      rate_.emplace(std::get<AlignRate>(request.clock));
    }
    if (request.time == RowTime::header_stamp) stamps_.emplace(channels, session);
    describe_table();
  }

  void schema(ArrowSchema* out) const override { export_schema(type_, out); }

  bool next(ArrowArray* out, const Wait& wait) override {
    out->release = nullptr;
    if (has_failed_) return false;
    while (!is_full()) {
      throw_if_stopped(wait);
      if (add_row()) continue;
      if (is_over_) break;
      if (!read(wait) && session_.clock()->steady() >= wait.until) break;
    }
    if (is_over_) tell_left_out();
    if (rows_ == 0 && is_over_) return false;
    hand_over(out);
    return true;
  }

 private:
  /// Each warning once, although several parts of the request can find the same.
  void tell_once() {
    if (!request_.on_warning) return;
    request_.on_warning = [told = std::make_shared<std::set<std::string>>(),
                           tell = std::move(request_.on_warning)](const Error& warning) {
      if (told->insert(warning.message()).second) tell(warning);
    };
  }

  void add_topic(const AlignedTopic& topic, bool has_fields, const Channels& channels) {
    topics_.push_back(
        std::make_unique<TopicRows>(topic, has_fields, channels, request_, session_, held_bytes_));
  }

  void describe_table() {
    type_.format = "+s";
    type_.is_nullable = false;
    type_.children = {arrow::time_type("time")};
    type_.children.front().is_nullable = false;
    std::set<std::string> names = {"time"};
    for (const auto& topic : topics_) {
      for (arrow::ColumnType type : topic->types()) {
        while (!names.insert(type.name).second) type.name += '_';
        type_.children.push_back(std::move(type));
      }
    }
    table_.emplace(type_, std::make_shared<arrow::MemoryPool>(kIdleBytes), replaced_bytes_);
  }

  bool is_full() const {
    return rows_ > 0 && (rows_ >= request_.batch_rows || table_->bytes() >= request_.batch_bytes);
  }

  /// Adds the row at the next time of the clock. False: more messages must be read, or the clock
  /// is over.
  bool add_row() {
    std::optional<std::int64_t> time = clock_topic_ ? clock_topic_->next_time() : rate_time();
    is_over_ = !time && (is_read_ || (rate_ && rate_->has_begun()));
    bool is_next = time && (is_read_ || *time < complete_);
    waits_for_ = nullptr;
    for (const auto& topic : topics_) {
      if (topic.get() == clock_topic_) continue;
      topic->advance_to(is_next ? *time : last_complete(time));
      if (is_next && !is_read_ && !topic->is_decided(*time, complete_)) waits_for_ = topic.get();
    }
    if (!is_next || waits_for_) return false;
    if (clock_topic_) clock_topic_->advance();
    if (rate_) rate_->advance();
    add_values(*time);
    return true;
  }

  /// The last time, `time` at most, before which only the last row can still be wanted.
  std::int64_t last_complete(std::optional<std::int64_t> time) const {
    std::int64_t last = complete_ == kFirst ? kFirst : complete_ - 1;
    return time ? std::min(*time, last) : last;
  }

  /// The next time of the rate; nothing before the first message is known, and after the end.
  std::optional<std::int64_t> rate_time() {
    if (!rate_->has_begun()) {
      if (first_ == kLast || !(is_read_ || first_ < complete_)) return std::nullopt;
      rate_->begin_at(first_);
    }
    auto time = rate_->time();
    bool is_behind = time && is_read_ && rate_->ends_with_messages() && *time > latest_;
    return is_behind ? std::nullopt : time;
  }

  void add_values(std::int64_t time) {
    table_->children().front().add(time);
    std::span<arrow::Column> columns = std::span(table_->children()).subspan(1);
    for (const auto& topic : topics_) {
      auto own = columns.first(topic->types().size());
      columns = columns.subspan(own.size());
      if (topic.get() == clock_topic_) {
        topic->add_own_values(own);
      } else {
        topic->add_values(time, own);
      }
    }
    ++rows_;
  }

  /// Reads more messages. False: there are none at hand.
  bool read(const Wait& wait) {
    require_room();
    batch_.clear();
    has_failed_ = true;  // until all has gone well
    is_read_ = !source_->read(batch_, wait);
    if (!batch_.messages().empty()) take_batch();
    has_failed_ = false;
    return is_read_ || !batch_.messages().empty();
  }

  void take_batch() {
    messages_.clear();
    for (const Message& message : std::as_const(batch_).messages()) {
      if (!topics_of(*message.channel).empty()) messages_.push_back(message);
    }
    times_.clear();
    if (stamps_) {
      stamps_->read(messages_, batch_.channels, times_);
    } else {
      for (const Message& each : messages_) {
        bool is_published = request_.time == RowTime::publish_time;
        times_.emplace_back(to_ns(is_published ? each.publish_time : each.log_time));
      }
    }
    std::int64_t complete_before = complete_;
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (times_[i] && *times_[i] < complete_) {
        leave_out(messages_[i].channel->topic, 1);
        continue;
      }
      bool is_state = (messages_[i].flags & kState) != 0;
      for (TopicRows* topic : topics_of(*messages_[i].channel)) {
        if (!is_state || topic != clock_topic_) topic->add(messages_[i]);
      }
      if (times_[i] && !is_state) see(*times_[i]);
    }
    for (const auto& topic : topics_) {
      std::uint64_t count = topic->decode(complete_before, batch_.channels);
      if (count > 0) leave_out(topic->topic().topic, count);
    }
  }

  /// A message has that time.
  void see(std::int64_t time) {
    first_ = std::min(first_, time);
    latest_ = std::max(latest_, time);
    Duration window = stamps_ ? request_.reorder_window : Duration::zero();
    if (distance_ns(kFirst, latest_) > static_cast<std::uint64_t>(window.count())) {
      complete_ = std::max(complete_, latest_ - window.count());
    }
  }

  const std::vector<TopicRows*>& topics_of(const Channel& channel) {
    if (channel.slot >= by_slot_.size()) by_slot_.resize(channel.slot + 1);
    auto& known = by_slot_[channel.slot];
    if (!known) {
      known.emplace();
      for (const auto& topic : topics_) {
        if (topic->topic().topic == channel.topic) known->push_back(topic.get());
      }
    }
    return *known;
  }

  void require_room() const {
    if (held_bytes_ <= request_.held_bytes) return;
    std::string size = format_size(request_.held_bytes);
    throw Error(ErrorCode::limit,
                waits_for_ ? fmt::format("the messages that wait for the next one of {} take more "
                                         "than {}; set a tolerance for this topic",
                                         waits_for_->topic().topic, size)
                           : fmt::format("the messages that are put in order take more than {}; "
                                         "use a shorter reorder window",
                                         size));
  }

  void leave_out(const std::string& topic, std::uint64_t count) {
    left_out_[topic] += count;
    if (request_.report) request_.report->topics[topic].skipped += count;
  }

  void tell_left_out() {
    for (const auto& [topic, count] : std::exchange(left_out_, {})) {
      if (!request_.on_warning) continue;
      std::string why = "they are not in the order of time";
      if (stamps_) {
        why = fmt::format("their stamps are more than {} before that of an earlier message",
                          format_duration(request_.reorder_window));
      }
      request_.on_warning(Error(
          ErrorCode::remark, fmt::format("{}: {} messages are left out; {}", topic, count, why)));
    }
  }

  void hand_over(ArrowArray* out) {
    table_->add_parents(rows_);
    table_->move_to(out);
    rows_ = 0;
  }

  std::unique_ptr<Source> source_;
  AlignRequest request_;
  Session session_;
  std::uint64_t held_bytes_ = 0;
  std::vector<std::unique_ptr<TopicRows>> topics_;
  TopicRows* clock_topic_ = nullptr;  ///< null: the clock is `rate_`
  std::optional<RateClock> rate_;
  std::optional<Stamps> stamps_;
  TopicRows* waits_for_ = nullptr;  ///< the topic that the next row waits for

  arrow::ColumnType type_;
  std::uint64_t replaced_bytes_ = 0;
  std::optional<arrow::Column> table_;
  std::uint64_t rows_ = 0;

  Batch batch_;
  std::vector<Message> messages_;  ///< those of `batch_` that are wanted
  Stamps::Times times_;            ///< of `messages_`
  std::vector<std::optional<std::vector<TopicRows*>>> by_slot_;
  bool is_read_ = false;        ///< the source is at its end
  bool is_over_ = false;        ///< there are no more rows
  bool has_failed_ = false;     ///< reading has thrown
  std::int64_t first_ = kLast;  ///< of all times so far
  std::int64_t latest_ = kFirst;
  std::int64_t complete_ = kFirst;  ///< all messages before it are known
  std::map<std::string, std::uint64_t> left_out_;
};

/// What of `query` the table needs.
Query narrowed(const Query& query, const AlignRequest& request) {
  Query narrow = query;
  narrow.order = Order::time;
  narrow.by = request.time == RowTime::publish_time ? TimeField::publish_time : TimeField::log_time;
  narrow.select.topics.clear();
  narrow.select.topic_expressions.clear();
  for (const std::string& topic : topics_of(request)) {
    narrow.select.topics.push_back(exact_pattern(topic));
  }
  const auto* rate = std::get_if<AlignRate>(&request.clock);
  bool is_whole = query.nth == 0 && query.count == UINT64_MAX;
  // Stamps may be far from log times, and `nth` counts from the beginning of the query: nothing is
  // left out then.
  if (!rate || !is_whole || request.time == RowTime::header_stamp) return narrow;
  Duration tolerance{};
  for (const AlignedTopic& each : request.topics) tolerance = std::max(tolerance, each.tolerance);
  if (rate->begin != Time::min()) {
    narrow.begin = std::max(query.begin, saturating_add(rate->begin, -tolerance));
  }
  if (rate->end != Time::max()) {
    narrow.end = std::min(query.end, saturating_add(rate->end, tolerance));
  }
  return narrow;
}

}  // namespace

std::unique_ptr<Columns> align(std::unique_ptr<Source> source, const AlignRequest& request,
                               const Session& session) {
  return std::make_unique<Aligner>(std::move(source), request, session);
}

std::unique_ptr<Columns> align(const Bag& bag, const Query& query, const AlignRequest& request,
                               const Session& session) {
  require_valid(request);
  require_topics(request, *bag.read(query)->channels());
  return align(bag.read(narrowed(query, request)), request, session);
}

}  // namespace kitbag
