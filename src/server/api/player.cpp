#include <fmt/format.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/fields.h"
#include "server/api/bag_api.h"
#include "server/api/parameters.h"
#include "server/bags/seconds.h"
#include "server/http/ranges.h"
#include "server/slices/places.h"
#include "server/slices/slice.h"
#include "server/slices/slice_form.h"
#include "server/slices/video_form.h"
#include "server/views/file_cache.h"
#include "server/views/write_slice.h"

// The messages of a time slice: first the state before it, which is the last message of each
// channel of some topics (the latched ones unless others are asked for), then the slice itself.
// Slices tile: the start is included, the end is not. But the times of the metadata are whole
// seconds, so a client that knows no others would never get what follows the last whole second: a
// slice that ends exactly there goes on to the end of the bag.

namespace kitbag::server {
namespace {

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

/// Throws Error (limit) for a slice of which the index says that it is too large. A bag whose
/// chunks cannot hold as much is not looked at; what is selected of a slice is known only when it
/// is read.
void check_size(const SliceRequest& asked, const Bag& bag, const WorkLimits& limits) {
  constexpr std::uint64_t kMostExpansion = 16;
  constexpr std::size_t kMostChunks = 4096;
  bool is_whole = asked.select == Selection() && !asked.filter && asked.limit == UINT64_MAX;
  if (!is_whole || bag.summary().size_bytes <= limits.slice_bytes / kMostExpansion) return;
  std::uint64_t bytes = 0;
  for (const ChunkSummary& chunk : bag.some_chunks(kMostChunks)) {
    bool is_within_slice = chunk.start >= asked.slice.begin &&
                           is_within(chunk.end, asked.slice.begin, asked.slice.end);
    if (is_within_slice) bytes += chunk.bytes;
  }
  if (bytes <= limits.slice_bytes) return;
  throw Error(ErrorCode::limit,
              fmt::format("the slice has more than {} bytes; ask for a shorter one or fewer topics",
                          limits.slice_bytes));
}

/// Messages that cannot be decoded stay: the condition cannot be evaluated for them.
std::function<std::unique_ptr<Stage>(TranscodeReport& report)> filter_of(const Request& request,
                                                                         const Summary& summary,
                                                                         const Session& session) {
  std::string condition = where_of(request, "where", summary, session);
  if (condition.empty()) return {};
  return [condition, session](TranscodeReport&) {
    return where(condition, OnError::raw, nullptr, session);
  };
}

constexpr std::string_view kBagForm = "bag";
/// Another text whenever the same bag and request give other bytes.
constexpr std::string_view kSliceMaker = "slice 3 of kitbag " KITBAG_VERSION;

std::vector<std::string> format_names() {
  std::vector<std::string> names = form_names();
  names.emplace_back(kBagForm);
  return names;
}

/// Stands for a slice as a file, in the cache and as its ETag.
std::string slice_key_of(Served& served, const Call& call) {
  std::vector<std::string> parts = {std::string(kSliceMaker), call.bag->place, call.bag->version,
                                    made_with(served, call.bag)};
  add_asked(call.request,
            {"start_time", "end_time", "topics", "state", "where", "limit", "key_frames"}, parts);
  return cache_key(parts);
}

/// The slice as a rosbag, which is made as a file and kept in the cache.
Response bag_of_slice(Served& served, const Call& call, const OpenBagPtr& open,
                      const SliceRequest& asked) {
  std::string key = slice_key_of(served, call);
  Validator validator{"\"" + key + "\"", call.bag->dated};
  TextPairs headers = {{"Content-Type", "application/octet-stream"}};
  // A client that has it already, or wants another state of it, need not wait.
  Response response = answer(call.request, {}, validator, headers);
  if (response.status != 304 && response.status != 412) {
    auto make = [&](const std::string& path, const FileCache::Grown& grown,
                    const std::stop_token& none_waits) {
      SliceReader reader(open, asked, served.open_slices, served.session);
      write_slice(reader, path, grown, none_waits, served.options.limits, served.session);
    };
    OpenedFile made = served.cache.get(key + std::string(kSliceExtension), make, call.request.stop);
    Content content;
    content.add(made.file, 0, made.size);
    response = answer(call.request, content, validator, headers);
  }
  add_damage(*call.bag, response);
  return std::move(response.set("Cache-Control", cache_control(served, *call.bag)));
}

/// Each holds a row group while its client does not read, and cannot let go of it.
constexpr std::size_t kMostTables = 32;

Response player(Served& served, const Call& call, Places& tables) {
  OpenBagPtr open = open_readable(served, call.bag);
  const Summary& summary = open->bag->summary();
  std::string metadata = metadata_of(summary);
  std::vector<std::string> fields = words_of(call.request, "fields");
  std::set<std::string> latched = latched_topics(summary, served.options.latched_topics);
  SliceRequest asked{.select = selection_of(call.request, summary, served.session, fields),
                     .limit = number_of(call.request, "limit", UINT64_MAX, 0, UINT64_MAX),
                     .filter = filter_of(call.request, summary, served.session),
                     .state = state_of(call.request, summary, latched)};
  FormRequest form{
      .format = choice_of(call.request, "format", format_names()),
      .metadata = metadata + ",\n  ",
      .fields = std::move(fields),
      .quotes_int64 = choice_of(call.request, "int64", {"number", "string"}) == "string",
      .is_latched = [latched = std::move(latched)](const Channel& channel) {
        return latched.count(channel.topic) > 0;
      }};
  auto slice = slice_of(call.request, summary);
  if (!slice && form.format != "json") {
    throw Error(ErrorCode::invalid,
                "format=" + form.format + " is for a slice; it needs start_time and end_time");
  }
  if (!slice) {
    return json_about(served, call, [&] { return "{\n  " + metadata + "\n}\n"; });
  }
  asked.slice = *slice;
  bool is_bag = form.format == kBagForm || form.format == "mcap";
  asked.has_key_frames = number_of(call.request, "key_frames", is_bag ? 1 : 0, 0, 1) == 1;
  check_size(asked, *open->bag, served.options.limits);
  check_form(form, chosen_channels(summary, asked.select), served.session);
  if (form.format == "mp4") {
    form.topic = topic_of_video(chosen_channels(summary, asked.select), served.session);
  }
  if (form.format == kBagForm) {
    require_ros1(chosen_channels(summary, asked.select), served.session);
    return bag_of_slice(served, call, open, asked);
  }
  return answer_about(served, call, [&](Response& response) {
    response.set("Content-Type", media_type_of_form(form.format));
    add_damage(*call.bag, response);
    if (std::string name = trailer_of_form(form.format); !name.empty()) {
      response.set("Trailer", name);
    }
    std::shared_ptr<void> place = form.format == "parquet" ? tables.take() : nullptr;
    response.stream =
        slice_stream(SliceReader(open, std::move(asked), served.open_slices, served.session),
                     make_form(form, served.session), served);
    if (!place) return;
    response.stream = std::make_unique<PlacedStream>(std::move(place), std::move(response.stream));
  });
}

}  // namespace

void add_player(Routes& routes, Served& served) {
  auto tables = std::make_shared<Places>(
      kMostTables, "too many slices are on their way as Parquet; try again later");
  routes.add(
      {.method = "GET",
       .path = "/bags/{bag}/player",
       .summary = "The number of messages and the times of a bag; with start_time and end_time "
                  "also the messages of that slice, and first the state before it",
       .media_type = "application/json",
       .parameters = {{"start_time", "number", "start of the slice, in seconds since 1970"},
                      {"end_time", "number", "end of the slice, which does not include it"},
                      {"topics", "string", "only these topics: names and globs, with commas",
                       kList},
                      {"state", "string",
                       "whose last messages before the slice come first: latched (default), none, "
                       "all, or names and globs of topics, with commas, besides the latched ones",
                       kList},
                      {"key_frames", "integer",
                       "1: frames of videos from before the slice come first, if its first ones "
                       "need them; default: 1 with format=mcap and format=bag, else 0"},
                      {"fields", "string",
                       "only these fields, with commas, of the topics that have them", kList},
                      {"where", "string", "only messages for which this is true"},
                      {"limit", "integer", "at most this many messages of the slice"},
                      {"format", "string",
                       "json (default), ndjson, csv, parquet, mcap, mp4 or bag"},
                      {"int64", "string",
                       "number (default), or string: 64-bit integers as decimal "
                       "strings, in json and ndjson"}},
       .answer = [&served, tables](const Call& call) { return player(served, call, *tables); }});
}

}  // namespace kitbag::server
