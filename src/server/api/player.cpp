#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/fields.h"
#include "kitbag/pipeline.h"
#include "kitbag/print.h"
#include "kitbag/text.h"
#include "server/api/bag_api.h"
#include "server/api/parameters.h"
#include "server/api/seconds.h"

// The messages of a time slice: first the state before it, which is the last message of each
// latched channel, then the slice itself. Slices tile: the start is included, the end is not. But
// the times of the metadata are whole seconds, so a client that knows no others would never get
// what follows the last whole second: a slice that ends exactly there goes on to the end of the
// bag.
//
// The answer is made piece by piece as the client takes it. While a client does not read, the slice
// keeps only its position.

namespace kitbag::server {
namespace {

constexpr std::size_t kPieceBytes = 256 << 10;

struct Slice {
  Time begin{};
  Time end{};
};

std::string metadata_of(const Summary& summary) {
  bool is_empty = summary.messages == 0;
  return fmt::format("\"total_messages\": {},\n  \"start_time\": {},\n  \"end_time\": {}",
                     summary.messages, is_empty ? 0 : whole_seconds(summary.start),
                     is_empty ? 0 : whole_seconds(summary.end));
}

/// Absent: only the metadata is asked for. Throws Error (invalid).
std::optional<Slice> slice_of(const Request& request, const Summary& summary) {
  const std::string* start = request.parameter("start_time");
  const std::string* end = request.parameter("end_time");
  if (!start && !end) return std::nullopt;
  if (!start || !end) {
    throw Error(ErrorCode::invalid,
                fmt::format("{} is missing; a slice needs start_time and end_time",
                            start ? "end_time" : "start_time"));
  }
  Slice slice{time_of("start_time", *start), time_of("end_time", *end)};
  if (slice.end < slice.begin) throw Error(ErrorCode::invalid, "end_time is before start_time");
  Time last_second{std::chrono::seconds(whole_seconds(summary.end))};
  if (slice.begin < last_second && slice.end == last_second) slice.end = Time::max();
  return slice;
}

std::uint64_t limit_of(const Request& request) {
  const std::string* text = request.parameter("limit");
  if (!text) return UINT64_MAX;
  std::uint64_t limit = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), limit);
  if (error == std::errc() && end == text->data() + text->size()) return limit;
  throw Error(ErrorCode::invalid, "limit=" + escaped(*text) + " is not a number of messages");
}

/// Topics of which the last message before a slice belongs to it.
std::set<std::string> latched_topics(const Summary& summary, const std::set<std::string>& named) {
  std::set<std::string> topics;
  for (const ChannelPtr& channel : *summary.channels) {
    if (channel && (named.count(channel->topic) > 0 || is_latched(*channel))) {
      topics.insert(channel->topic);
    }
  }
  return topics;
}

/// Throws Error (invalid) before the answer has begun, also if no channel has the fields.
std::string where_of(const Request& request, const Summary& summary, const Session& session) {
  const std::string* expression = request.parameter("where");
  if (!expression) return {};
  auto filter = where(*expression, OnError::raw, nullptr, session);
  bool fits =
      std::any_of(summary.channels->begin(), summary.channels->end(),
                  [&](const ChannelPtr& channel) { return channel && filter->map(channel); });
  if (fits || summary.messages == 0) return *expression;
  throw Error(ErrorCode::invalid,
              "no topic has all fields of the condition " + escaped(*expression));
}

/// What a request asks for.
struct SliceRequest {
  Slice slice;
  Selection select;
  std::uint64_t limit = UINT64_MAX;
  std::vector<std::string> fields;
  std::string where;
};

/// Counts what passes.
class Counting final : public Source {
 public:
  Counting(std::unique_ptr<Source> source, std::uint64_t& count)
      : source_(std::move(source)), count_(count) {}

  ChannelsPtr channels() const override { return source_->channels(); }
  bool read(Batch& batch, const Wait& wait) override {
    bool more = source_->read(batch, wait);
    count_ += batch.messages().size();
    return more;
  }

 private:
  std::unique_ptr<Source> source_;
  std::uint64_t& count_;
};

class SliceStream final : public BodyStream {
 public:
  SliceStream(OpenBagPtr bag, SliceRequest asked, std::set<std::string> latched,
              const Session& session)
      : bag_(std::move(bag)),
        asked_(std::move(asked)),
        latched_(std::move(latched)),
        session_(session) {}

  bool next(std::string& text, std::stop_token stop) override {
    text_ = &text;
    if (!printer_) begin(stop);
    while (text.size() < kPieceBytes) {
      if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "the client has gone");
      if (!source_) source_ = rest_of_slice(stop);
      Batch batch;
      if (printed_ >= asked_.limit || !source_->read(batch, {stop})) {
        end();
        return false;
      }
      batch.drop_if(
          [&](const Message&) { return printed_ >= asked_.limit || (++printed_, false); });
      printer_->write(std::move(batch));
    }
    return true;
  }

  void rest() override { source_.reset(); }

 private:
  void begin(const std::stop_token& stop) {
    *text_ += "{\n  " + metadata_of(bag_->bag->summary()) + ",\n  \"messages\": [\n";
    std::size_t before = text_->size();
    if (!latched_.empty()) {
      Batch state = state_before(stop);
      new_printer()->write(std::move(state));
    }
    // A source has channels of its own, so what prints it is another one.
    if (text_->size() > before) divider_ = ",\n";
    printer_ = new_printer();
  }

  std::unique_ptr<Sink> new_printer() {
    PrintOptions print;
    print.format = PrintFormat::flat_json;
    print.fields = asked_.fields;
    print.on_error = OnError::raw;
    print.is_latched = [this](const Channel& channel) { return latched_.count(channel.topic) > 0; };
    auto write = [this](std::string_view text) {
      *text_ += std::exchange(divider_, {});
      *text_ += text;
    };
    return printer(print, {write}, report_, session_);
  }

  Batch state_before(const std::stop_token& stop) const {
    Selection select;
    for (const std::string& topic : latched_) select.topics.push_back(exact_pattern(topic));
    Batch state = bag_->bag->last_before(asked_.slice.begin, select, {stop});
    Selector selector(asked_.select);
    state.drop_if([&](const Message& message) { return !selector.matches(*message.channel); });
    if (asked_.where.empty() || state.empty()) return state;
    auto filter = where(asked_.where, OnError::raw, nullptr, session_);
    auto channels = std::make_shared<Channels>();
    for (const ChannelPtr& channel : *state.channels) {
      channels->push_back(channel ? filter->map(channel) : nullptr);
    }
    state.drop_if([&](const Message& message) { return !(*channels)[message.channel->slot]; });
    filter->apply(state);
    return state;
  }

  /// What follows the position that was reached.
  std::unique_ptr<Source> rest_of_slice(const std::stop_token& stop) {
    Query query;
    query.select = asked_.select;
    query.begin = asked_.slice.begin;
    query.end = asked_.slice.end;
    query.nth = position_;
    query.on_problem = [this](const Error& problem) { damage_.add(problem); };
    std::unique_ptr<Source> source =
        std::make_unique<Counting>(bag_->bag->read(query, {stop}), position_);
    if (asked_.where.empty()) return source;
    return through(std::move(source), where(asked_.where, OnError::raw, nullptr, session_));
  }

  void end() {
    *text_ += "\n  ]";
    Damage all = bag_->entry->damage;
    all.add(damage_);
    const std::vector<std::string>& damage = all.sentences();
    for (std::size_t i = 0; i < damage.size(); ++i) {
      *text_ += i == 0 ? ",\n  \"damage\": [" : ", ";
      *text_ += json_quoted(damage[i]);
    }
    *text_ += damage.empty() ? "\n}\n" : "]\n}\n";
  }

  OpenBagPtr bag_;
  SliceRequest asked_;
  std::set<std::string> latched_;
  Session session_;
  TranscodeReport report_;
  std::string* text_ = nullptr;
  std::string divider_;             ///< before the next text
  std::unique_ptr<Sink> printer_;   ///< null: nothing was made yet
  std::unique_ptr<Source> source_;  ///< null: it starts at position_
  std::uint64_t position_ = 0;      ///< messages of the slice that were read
  std::uint64_t printed_ = 0;       ///< of these, what passed the filter
  Damage damage_;                   ///< found while reading
};

Response player(Served& served, const Call& call) {
  OpenBagPtr open = open_readable(served, call.bag);
  const Summary& summary = open->bag->summary();
  auto slice = slice_of(call.request, summary);
  if (!slice) {
    return json_about(served, call, [&] { return "{\n  " + metadata_of(summary) + "\n}\n"; });
  }
  SliceRequest asked{*slice,
                     {.topics = words_of(call.request, "topics")},
                     limit_of(call.request),
                     words_of(call.request, "fields"),
                     where_of(call.request, summary, served.session)};
  return answer_about(served, call, [&](Response& response) {
    response.set("Content-Type", "application/json");
    response.stream = std::make_unique<SliceStream>(
        open, std::move(asked), latched_topics(summary, served.options.latched_topics),
        served.session);
  });
}

}  // namespace

void add_player(Routes& routes, Served& served) {
  routes.add(
      {.method = "GET",
       .path = "/bags/{bag}/player",
       .summary = "The number of messages and the times of a bag; with start_time and end_time "
                  "also the messages of that slice, and before them the state of latched topics",
       .media_type = "application/json",
       .parameters = {{"start_time", "number", "start of the slice, in seconds since 1970"},
                      {"end_time", "number", "end of the slice, which does not include it"},
                      {"topics", "string", "only these topics: names and globs, with commas"},
                      {"fields", "string", "only these fields, with commas"},
                      {"where", "string", "only messages for which this is true"},
                      {"limit", "integer", "at most this many messages of the slice"}},
       .answer = [&served](const Call& call) { return player(served, call); }});
}

}  // namespace kitbag::server
