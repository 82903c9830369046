#include "kitbag/message_timeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "server/api/bag_api.h"
#include "server/api/parameters.h"
#include "server/bags/seconds.h"

// When messages come. Every page that shows a bag asks for the same, and without an index it takes
// a read of the whole bag, so the last answers about bags that do not change are kept.

namespace kitbag::server {
namespace {

/// With kMostKeptBytes, 64 MiB at most in all.
constexpr std::size_t kKeptAnswers = 64;
constexpr std::size_t kMostKeptBytes = 1 << 20;  ///< of one answer
constexpr std::uint64_t kMostGapFactor = 1'000'000;

/// The answers that were asked for last. Any thread.
class KeptAnswers {
 public:
  /// Null: it is not there.
  std::shared_ptr<const std::string> find(const std::string& key) {
    std::lock_guard lock(mutex_);
    for (auto each = kept_.begin(); each != kept_.end(); ++each) {
      if (each->first != key) continue;
      kept_.splice(kept_.begin(), kept_, each);
      return each->second;
    }
    return nullptr;
  }
  void keep(const std::string& key, std::shared_ptr<const std::string> text) {
    if (text->size() > kMostKeptBytes) return;
    std::lock_guard lock(mutex_);
    // Two requests may make one answer at once. It is then kept twice, and the older one falls out.
    kept_.emplace_front(key, std::move(text));
    if (kept_.size() > kKeptAnswers) kept_.pop_back();
  }

 private:
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const std::string>>> kept_;
};

void add_topic(const TopicTimeline& topic, std::string& text) {
  text +=
      fmt::format("    {{\n      \"topic\": {},\n      \"type\": {},\n      \"messages\": {},\n",
                  json_quoted(topic.topic), json_quoted(topic.type), topic.messages);
  text += fmt::format("      \"counts\": [{}]", fmt::join(topic.counts, ", "));
  if (topic.median_period) {
    text += ",\n      \"median_period\": " + seconds_text(*topic.median_period);
    text += ",\n      \"gaps\": [";
    for (const TimelineGap& gap : topic.gaps) {
      text += fmt::format("{}{{\"start_time\": {}, \"end_time\": {}}}",
                          &gap == &topic.gaps.front() ? "" : ", ", seconds_text(gap.begin),
                          seconds_text(gap.end));
    }
    text += "]";
    if (topic.has_more_gaps) text += ",\n      \"has_more_gaps\": true";
  }
  if (topic.delay) {
    text += fmt::format(",\n      \"delay\": {{\"least\": {}, \"median\": {}, \"most\": {}}}",
                        seconds_text(topic.delay->least), seconds_text(topic.delay->median),
                        seconds_text(topic.delay->most));
  }
  if (topic.missing) text += fmt::format(",\n      \"missing\": {}", *topic.missing);
  text += "\n    }";
}

std::string timeline_text(const MessageTimeline& timeline, const std::vector<std::string>& damage) {
  std::string text =
      fmt::format("{{\n  \"start_time\": {},\n  \"bucket_duration\": {},\n  \"topics\": [",
                  seconds_text(timeline.start), seconds_text(timeline.bucket_duration));
  for (const TopicTimeline& topic : timeline.topics) {
    text += &topic == &timeline.topics.front() ? "\n" : ",\n";
    add_topic(topic, text);
  }
  text += "\n  ]";
  if (!damage.empty()) text += ",\n  \"damage\": " + json_list(damage);
  return text + "\n}\n";
}

std::string make_timeline(Served& served, const Call& call) {
  OpenBagPtr open = open_readable(served, call.bag);
  TimelineOptions options;
  options.buckets = number_of(call.request, "buckets", 100, 1, TimelineOptions::kMostBuckets);
  options.select = selection_of(call.request, open->bag->summary(), served.session);
  options.gap_factor =
      static_cast<double>(number_of(call.request, "gap_factor", 5, 2, kMostGapFactor));
  options.reads_messages = number_of(call.request, "delay", 0, 0, 1) == 1;
  options.most_time = served.options.limits.work;
  DamageList damage = call.bag->damage;
  options.on_problem = [&](const Error& problem) { damage.add(problem); };
  MessageTimeline timeline =
      message_timeline(*open->bag, options, served.session, {call.request.stop});
  return timeline_text(timeline, damage.sentences());
}

/// What the answer depends on.
std::string key_of(Served& served, const Call& call) {
  std::vector<std::string> parts = {call.bag->place, call.bag->version,
                                    made_with(served, call.bag)};
  add_asked(call.request, {"buckets", "topics", "gap_factor", "delay"}, parts);
  return cache_key(parts);
}

}  // namespace

void add_timeline(Routes& routes, Served& served) {
  auto kept = std::make_shared<KeptAnswers>();
  routes.add({.method = "GET",
              .path = "/bags/{bag}/timeline",
              .summary = "How many messages each topic has in each part of the bag, and where it "
                         "has none for long",
              .media_type = "application/json",
              .parameters = {{"buckets", "integer", "into how many parts; default 100"},
                             {"topics", "string", "only these topics: names and globs, with commas",
                              kList},
                             {"gap_factor", "integer",
                              "a gap is longer than this many median periods; default 5"},
                             {"delay", "integer",
                              "1: read the messages, for the delay since the stamp in the header "
                              "and for missing sequence numbers"}},
              .answer = [&served, kept](const Call& call) {
                return json_about(served, call, [&] {
                  std::string key = key_of(served, call);
                  auto text = kept->find(key);
                  if (!text) {
                    text = std::make_shared<const std::string>(make_timeline(served, call));
                    if (!call.bag->is_recording) kept->keep(key, text);
                  }
                  return *text;
                });
              }});
}

}  // namespace kitbag::server
