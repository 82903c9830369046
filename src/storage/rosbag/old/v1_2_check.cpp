#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kitbag/text.h"
#include "storage/chunked/run_walk.h"
#include "storage/rosbag/old/run_check.h"
#include "storage/rosbag/old/v1_2_index.h"

// The index lists places of messages by topic, and the bag has them by node and latching, too. So
// the messages of all channels of a topic are put together and sorted, and each entry of the index
// is looked up: 16 bytes and a bit a message. An unknown entry and an unlisted message can then
// both be named, with place and time, which the sums that reading uses (v1_2_index.cpp) cannot do.
//
// The first entry of a topic may point at the topic's definition instead of at a message. It stands
// anywhere before that message, so such an entry counts as the message of its time.

namespace kitbag::rosbag {

namespace {

/// A message's record and time, as the content or the index has them.
struct Place1_2 {
  Time time;
  std::uint64_t offset;

  auto operator<=>(const Place1_2&) const = default;
};

/// The messages of a topic: 16 bytes each.
struct TopicPlaces1_2 {
  std::vector<Place1_2> content;        ///< sorted before the index is read
  std::vector<bool> is_listed;          ///< by place in `content`
  std::uint64_t listed = 0;             ///< entries of the index
  std::uint64_t index_offset = 0;       ///< of its record there
  std::vector<Place1_2> by_definition;  ///< entries that lead to the definition
  std::optional<Place1_2> stranger;     ///< the first entry that leads to no message
};

class Checker1_2 final : public RunListener {
 public:
  Checker1_2(const ReadFile& file, const std::string& path, const OnProblem& on_finding)
      : file_(file), path_(path), on_finding_(on_finding) {}

  void run();

  void on_message(std::uint64_t offset, std::uint64_t, std::uint32_t slot, Time time) override {
    if (slot >= by_slot_.size()) by_slot_.resize(slot + 1);
    by_slot_[slot].push_back({time, offset});
    late_.add(offset, time);
  }
  void on_other(std::uint64_t offset, std::uint64_t, ByteView head) override {
    if (parser_.op_of(head) == Op::message_definition) {
      definitions_[offset] = parser_.topic_of(head);
    }
  }

 private:
  void gather_topics();
  void check_index();
  void take_entry(const std::string& name, TopicPlaces1_2& topic, Place1_2 place);
  static void take_definitions(TopicPlaces1_2& topic);
  void tell_differences() const;
  void finding(std::uint64_t offset, const std::string& text,
               const std::optional<Loss>& loss = Loss{.messages = 0}) const {
    on_finding_(Error(ErrorCode::corrupt, text, path_, offset, loss));
  }

  const ReadFile& file_;
  const std::string& path_;
  const OnProblem& on_finding_;
  V1_2Parser parser_;
  RunKeys keys_;
  std::vector<std::vector<Place1_2>> by_slot_;
  std::map<std::string, TopicPlaces1_2, std::less<>> topics_;
  std::map<std::uint64_t, std::string> definitions_;  ///< their topics, by place
  LateMessages late_;
};

void Checker1_2::run() {
  walk_run(file_, path_, kLine1_2.size(), parser_, keys_, on_finding_, *this);
  gather_topics();
  if (parser_.has_file_header()) check_index();
  late_.finish(path_, on_finding_);
}

/// From channels, which differ by node and latching too, to topics, as the index has them.
void Checker1_2::gather_topics() {
  for (const auto& [key, slot] : keys_) {
    Channel channel = parser_.describe(key);
    std::vector<Place1_2>& places = by_slot_[slot];
    std::string contradiction = parser_.contradiction(channel);
    if (!contradiction.empty()) finding(places.front().offset, contradiction);
    std::vector<Place1_2>& content = topics_[channel.topic].content;
    if (content.empty()) content.swap(places);
    content.insert(content.end(), places.begin(), places.end());
    places = {};
  }
  for (auto& [name, topic] : topics_) {
    std::sort(topic.content.begin(), topic.content.end());
    topic.is_listed.resize(topic.content.size());
  }
}

void Checker1_2::check_index() {
  if (parser_.index_pos() == 0) {
    return finding(kLine1_2.size(), "the bag was not closed and has no index", std::nullopt);
  }
  std::string topic_name;
  TopicPlaces1_2* topic = nullptr;
  IndexListener1_2 listener{
      [&](std::uint64_t offset, std::string_view name) {
        topic_name = name;
        topic = &topics_[topic_name];
        topic->index_offset = offset;
      },
      [&](Time time, std::uint64_t place) {
        take_entry(topic_name, *topic, {time, place});
      },
  };
  try {
    read_index_1_2(file_, path_, parser_.index_pos(), listener);
  } catch (const Error& problem) {
    if (!is_damage(problem.code())) throw;
    return on_finding_(problem);
  }
  for (auto& [name, places] : topics_) take_definitions(places);
  tell_differences();
}

/// Behind all others: which of several messages of one time is meant shows when the rest is listed.
void Checker1_2::take_definitions(TopicPlaces1_2& topic) {
  for (const Place1_2& place : topic.by_definition) {
    auto at = static_cast<std::size_t>(
        std::lower_bound(topic.content.begin(), topic.content.end(), Place1_2{place.time, 0}) -
        topic.content.begin());
    auto is_of_time = [&] {
      return at < topic.content.size() && topic.content[at].time == place.time;
    };
    while (is_of_time() && topic.is_listed[at]) ++at;
    if (is_of_time()) {
      topic.is_listed[at] = true;
    } else if (!topic.stranger) {
      topic.stranger = place;
    }
  }
}

void Checker1_2::take_entry(const std::string& name, TopicPlaces1_2& topic, Place1_2 place) {
  ++topic.listed;
  auto definition = definitions_.find(place.offset);
  if (definition != definitions_.end() && definition->second == name) {
    topic.by_definition.push_back(place);
    return;
  }
  auto found = std::lower_bound(topic.content.begin(), topic.content.end(), place);
  bool is_there = found != topic.content.end() && *found == place;
  if (!is_there && !topic.stranger) topic.stranger = place;
  if (is_there) topic.is_listed[static_cast<std::size_t>(found - topic.content.begin())] = true;
}

void Checker1_2::tell_differences() const {
  for (const auto& [name, topic] : topics_) {
    auto unlisted = std::find(topic.is_listed.begin(), topic.is_listed.end(), false);
    std::uint64_t held = topic.content.size();
    std::string counts = fmt::format("the bag holds {} messages on {}, but the index lists {}",
                                     held, name, topic.listed);
    if (topic.stranger) {
      finding(topic.index_offset,
              fmt::format("{}; the first missing one: at byte {}, {}", counts,
                          topic.stranger->offset, format_time(topic.stranger->time)),
              Loss{.messages = topic.listed - std::min(topic.listed, held)});
    } else if (unlisted != topic.is_listed.end()) {
      auto at = static_cast<std::size_t>(unlisted - topic.is_listed.begin());
      finding(topic.content[at].offset, fmt::format("{}; this message is not listed: {}", counts,
                                                    format_time(topic.content[at].time)));
    } else if (topic.listed != held) {
      finding(topic.index_offset, counts);
    }
  }
}

}  // namespace

void check_1_2(const ReadFile& file, const std::string& path, const OnProblem& on_finding) {
  Checker1_2(file, path, on_finding).run();
}

}  // namespace kitbag::rosbag
