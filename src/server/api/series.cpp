#include "kitbag/series.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/arrow_ipc.h"
#include "kitbag/columns.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "server/api/bag_api.h"
#include "server/api/kept_series.h"
#include "server/api/parameters.h"
#include "server/bags/seconds.h"
#include "server/slices/slice.h"

// Numbers in messages over time, for plots. Who looks at a plot looks at the whole bag first, and
// then at parts of it, again and again. So the first request for the whole bag reads it with the
// most parts, which are kept in the cache; what is coarser than these is made of them, what is
// finer is read. A bag that is being recorded is read each time: what was kept would be old at
// once.

namespace kitbag::server {
namespace {

constexpr std::uint64_t kMostBuckets = 10'000;
constexpr std::size_t kMostMemoryBytes = 64 << 20;  ///< of series; the others are in files
/// Another text whenever the same bag and request give another series.
constexpr const char* kSeriesMaker = "series 1 of kitbag " KITBAG_VERSION;

/// A list with an element for each part; of a part without values it is `none`.
template <class Value>
void add_list(const Series& series, const FieldSeries& field, std::string_view name,
              std::string_view none, Value SeriesBucket::*value, std::string& text) {
  text += fmt::format(",\n      \"{}\": [", name);
  auto next = field.buckets.begin();
  for (std::uint64_t i = 0; i < series.buckets; ++i) {
    if (i > 0) text += ", ";
    bool has_values = next != field.buckets.end() && next->index == i;
    // JSON has no infinity.
    if (has_values && std::isfinite(static_cast<double>((*next).*value))) {
      text += fmt::format("{}", (*next).*value);
    } else {
      text += none;
    }
    if (has_values) ++next;
  }
  text += "]";
}

std::string series_text(const Series& series, const std::vector<std::string>& damage) {
  std::string text = fmt::format(
      "{{\n  \"start_time\": {},\n  \"bucket_duration\": {},\n  \"buckets\": {},\n  \"series\": [",
      seconds_text(series.start), seconds_text(series.bucket_duration), series.buckets);
  for (const FieldSeries& field : series.fields) {
    text += &field == &series.fields.front() ? "\n" : ",\n";
    text += fmt::format("    {{\n      \"topic\": {},\n      \"field\": {}",
                        json_quoted(field.topic), json_quoted(field.field));
    add_list(series, field, "count", "0", &SeriesBucket::count, text);
    add_list(series, field, "min", "null", &SeriesBucket::min, text);
    add_list(series, field, "max", "null", &SeriesBucket::max, text);
    add_list(series, field, "mean", "null", &SeriesBucket::mean, text);
    add_list(series, field, "last", "null", &SeriesBucket::last, text);
    text += "\n    }";
  }
  text += "\n  ]";
  if (!damage.empty()) text += ",\n  \"damage\": " + json_list(damage);
  return text + "\n}\n";
}

SeriesRequest request_of(const Served& served, const Call& call) {
  SeriesRequest asked;
  asked.select.topics = words_of(call.request, "topics");
  asked.fields = words_of(call.request, "fields");
  asked.buckets = number_of(call.request, "buckets", asked.buckets, 1, kMostBuckets);
  if (auto slice = slice_of(call.request)) {
    asked.begin = slice->begin;
    asked.end = slice->end;
  }
  asked.most_time = served.options.limits.work;
  if (asked.fields.empty()) {
    throw Error(ErrorCode::invalid, "fields is missing; it names numbers in messages");
  }
  return asked;
}

/// What `asked` finds in the bag, and what it leaves out.
ReadSeries read_series(Served& served, const Call& call, const Bag& bag, SeriesRequest asked,
                       const std::stop_token& stop) {
  DamageList damage = call.bag->damage;
  TranscodeReport report;
  asked.on_problem = [&](const Error& problem) { damage.add(problem); };
  asked.report = &report;
  ReadSeries made{series(bag, asked, served.session, {stop}), damage.sentences()};
  for (std::string& each : left_out(report)) made.damage.push_back(std::move(each));
  return made;
}

/// What a finest series depends on.
std::string key_of(Served& served, const BagEntryPtr& bag, const SeriesRequest& asked) {
  std::vector<std::string> parts = {kSeriesMaker, bag->place, bag->version, made_with(served, bag),
                                    std::to_string(asked.fields.size())};
  parts.insert(parts.end(), asked.fields.begin(), asked.fields.end());
  parts.insert(parts.end(), asked.select.topics.begin(), asked.select.topics.end());
  return cache_key(parts);
}

/// The series from which that for `asked` may be made; null: there is none, and it is not worth it.
ReadSeriesPtr finest_series(Served& served, const Call& call, const Bag& bag,
                            const SeriesRequest& asked, KeptSeries& kept) {
  if (call.bag->is_recording) return nullptr;
  std::string key = key_of(served, call.bag, asked);
  bool is_whole = asked.begin == Time::min() && asked.end == Time::max();
  if (!is_whole) return kept.find(key);
  auto read = [&](const std::stop_token& stop) {
    SeriesRequest all = asked;
    all.buckets = SeriesRequest::kMostBuckets;
    ReadSeries made = read_series(served, call, bag, std::move(all), stop);
    return KeptSeries::Made{std::move(made), served.bags.is_current(*call.bag)};
  };
  return kept.get(key, read, call.request.stop);
}

ReadSeries make_series(Served& served, const Call& call, KeptSeries& kept) {
  SeriesRequest asked = request_of(served, call);
  OpenBagPtr open = open_readable(served, call.bag);
  if (ReadSeriesPtr finest = finest_series(served, call, *open->bag, asked, kept)) {
    auto made = coarser_series(finest->series, open->bag->summary(), asked);
    if (made) return {std::move(*made), finest->damage};
  }
  return read_series(served, call, *open->bag, std::move(asked), call.request.stop);
}

Response answer_series(Served& served, const Call& call, KeptSeries& kept) {
  bool is_arrow = choice_of(call.request, "format", {"json", "arrow"}) == "arrow";
  return answer_about(served, call, [&](Response& response) {
    ReadSeries read = make_series(served, call, kept);
    response.set("Content-Type", is_arrow ? kArrowMediaType : "application/json");
    if (!is_arrow) {
      response.content.add(series_text(read.series, read.damage));
      return;
    }
    if (!read.damage.empty()) response.set(kDamageHeader, json_list(read.damage));
    std::string bytes;
    write_arrow_ipc(*series_columns(std::move(read.series)),
                    [&](ByteView more) { bytes += as_text(more); });
    response.content.add(std::move(bytes));
  });
}

}  // namespace

void add_series(Routes& routes, Served& served) {
  auto kept =
      std::make_shared<KeptSeries>(kMostMemoryBytes, served.cache, served.options.on_warning);
  routes.add(
      {.method = "GET",
       .path = "/bags/{bag}/series",
       .summary = "Numbers in messages over time: how many, the least and the greatest, their mean "
                  "and the last one in each part of the time",
       .media_type = "application/json",
       .parameters = {{"fields", "string", "paths of the numbers, with commas", kList},
                      {"topics", "string",
                       "only of these topics: names and globs, with commas; default: all that "
                       "have such fields",
                       kList},
                      {"buckets", "integer", "into at most how many parts; default 1000"},
                      {"start_time", "number", "only messages from here on, in seconds"},
                      {"end_time", "number", "only messages before this"},
                      {"format", "string", "json or arrow; default json"}},
       .answer = [&served, kept](const Call& call) { return answer_series(served, call, *kept); }});
}

}  // namespace kitbag::server
