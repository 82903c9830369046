#include <fmt/format.h>

#include <memory>
#include <utility>

#include "kitbag/error.h"
#include "server/api/bag_api.h"
#include "server/api/parameters.h"
#include "server/api/seconds.h"
#include "server/api/slice.h"
#include "server/api/slice_form.h"

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
/// A piece that is not empty leaves after this time, however small it is.
constexpr std::chrono::milliseconds kPieceDuration{100};

std::string metadata_of(const Summary& summary) {
  bool is_empty = summary.messages == 0;
  return fmt::format("\"total_messages\": {},\n  \"start_time\": {},\n  \"end_time\": {}",
                     summary.messages, is_empty ? 0 : whole_seconds(summary.start),
                     is_empty ? 0 : whole_seconds(summary.end));
}

/// Absent: only the metadata is asked for.
std::optional<Slice> slice_of(const Request& request, const Summary& summary) {
  auto slice = slice_of(request);
  Time last_second{std::chrono::seconds(whole_seconds(summary.end))};
  if (slice && slice->begin < last_second && slice->end == last_second) slice->end = Time::max();
  return slice;
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

/// Those that are selected and have messages.
std::vector<ChannelPtr> chosen_channels(const Summary& summary, const Selection& select) {
  Selector selector(select);
  std::vector<ChannelPtr> chosen;
  for (std::size_t slot = 0; slot < summary.channels->size(); ++slot) {
    const ChannelPtr& channel = (*summary.channels)[slot];
    if (channel && summary.message_counts.at(slot) > 0 && selector.matches(*channel)) {
      chosen.push_back(channel);
    }
  }
  return chosen;
}

class SliceStream final : public BodyStream {
 public:
  SliceStream(SliceReader reader, std::unique_ptr<SliceForm> form, ClockPtr clock)
      : reader_(std::move(reader)), form_(std::move(form)), clock_(std::move(clock)) {}

  bool next(std::string& text, std::stop_token stop) override {
    if (!std::exchange(has_begun_, true)) form_->begin(text);
    SteadyTime begin = clock_->steady();
    while (text.size() < kPieceBytes) {
      Batch batch;
      if (!reader_.read(batch, stop)) {
        form_->end(reader_.damage(), text);
        return false;
      }
      form_->write(std::move(batch), text);
      if (!text.empty() && clock_->steady() - begin >= kPieceDuration) break;
    }
    return true;
  }

  void rest() override { reader_.rest(); }
  TextPairs trailers() const override { return form_->trailers(); }

 private:
  SliceReader reader_;
  std::unique_ptr<SliceForm> form_;
  ClockPtr clock_;
  bool has_begun_ = false;
};

Response player(Served& served, const Call& call) {
  OpenBagPtr open = open_readable(served, call.bag);
  const Summary& summary = open->bag->summary();
  SliceRequest asked{.select = {.topics = words_of(call.request, "topics")},
                     .limit = number_of(call.request, "limit", UINT64_MAX, 0, UINT64_MAX),
                     .where = where_of(call.request, "where", summary, served.session),
                     .latched = latched_topics(summary, served.options.latched_topics)};
  FormRequest form{
      .format = choice_of(call.request, "format", form_names()),
      .metadata = metadata_of(summary),
      .fields = words_of(call.request, "fields"),
      .quotes_int64 = choice_of(call.request, "int64", {"number", "string"}) == "string",
      .is_latched = [latched = asked.latched](const Channel& channel) {
        return latched.count(channel.topic) > 0;
      }};
  auto slice = slice_of(call.request, summary);
  if (!slice && form.format != "json") {
    throw Error(ErrorCode::invalid,
                "format=" + form.format + " is for a slice; it needs start_time and end_time");
  }
  if (!slice) {
    return json_about(served, call, [&] { return "{\n  " + form.metadata + "\n}\n"; });
  }
  asked.slice = *slice;
  check_form(form, chosen_channels(summary, asked.select), served.session);
  return answer_about(served, call, [&](Response& response) {
    response.set("Content-Type", media_type_of_form(form.format));
    if (std::string name = trailer_of_form(form.format); !name.empty()) {
      response.set("Trailer", name);
    }
    response.stream =
        std::make_unique<SliceStream>(SliceReader(open, std::move(asked), served.session),
                                      make_form(form, served.session), served.session.clock());
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
                      {"limit", "integer", "at most this many messages of the slice"},
                      {"format", "string", "json (default), ndjson, csv or mcap"},
                      {"int64", "string",
                       "number (default), or string: 64-bit integers as decimal "
                       "strings, in json and ndjson"}},
       .answer = [&served](const Call& call) { return player(served, call); }});
}

}  // namespace kitbag::server
