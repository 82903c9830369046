#include "kitbag/bag_info.h"

#include <map>
#include <utility>

#include "kitbag/escape.h"
#include "kitbag/usage.h"

// Everything here comes from the summary and some headers of chunks; no message is read, unless the
// bag is a stream, which has no summary before its end. The ratio of compression is taken from some
// kMostChunks chunks, spread over the bag.

namespace kitbag {
namespace {

/// So many headers are read: those of a terabyte take minutes from a disk.
constexpr std::size_t kMostChunks = 4096;

void count_extras(const Bag& bag, BagInfo& info) {
  info.attachments = info.metadata = 0;
  for (const Extra& extra : bag.extras()) {
    if (std::holds_alternative<Attachment>(extra)) ++*info.attachments;
    if (std::holds_alternative<Metadata>(extra)) ++*info.metadata;
  }
}

}  // namespace

bool has_chunk_count(const Summary& summary) {
  return !summary.is_stream && summary.member_format.empty();
}

BagInfo describe_bag(const std::string& path, const Bag& bag, const std::stop_token& stop) {
  BagInfo info{shown_path(path), counted_summary(bag, stop), "none", std::nullopt, {}};
  std::uint64_t stored = 0;
  std::uint64_t whole = 0;
  bool is_compressed = false;
  bool is_first = true;
  for (const ChunkSummary& chunk : bag.some_chunks(kMostChunks)) {
    if (is_first) info.compression = chunk.compression;
    if (chunk.compression != info.compression) info.compression = "mixed";
    is_compressed |= chunk.compression != "none";
    is_first = false;
    stored += chunk.stored_bytes;
    whole += chunk.bytes;
  }
  if (is_compressed && stored > 0) {
    info.ratio = static_cast<double>(whole) / static_cast<double>(stored);
  }
  const Summary& summary = info.summary;
  if (has_chunk_count(summary)) count_extras(bag, info);
  for (std::size_t slot = 0; slot < summary.channels->size(); ++slot) {
    if (const ChannelPtr& channel = (*summary.channels)[slot]) {
      info.channels.push_back({channel, summary.message_counts.at(slot)});
    }
  }
  return info;
}

std::vector<TopicInfo> topics_of(const BagInfo& info) {
  std::map<std::pair<std::string, std::string>, TopicInfo> topics;
  for (const auto& [channel, messages] : info.channels) {
    TopicInfo& topic = topics[{channel->topic, channel->type()}];
    topic.topic = channel->topic;
    topic.type = channel->type();
    topic.messages += messages;
    // In ROS 1, several publishers of a topic, or one that has started again, have a channel each.
    topic.connections += 1;
    if (is_latched(*channel)) topic.latched += 1;
  }
  Duration duration = saturating_difference(info.summary.start, info.summary.end);
  double seconds = std::chrono::duration<double>(duration).count();
  std::vector<TopicInfo> all;
  for (auto& [names, topic] : topics) {
    bool has_rate = topic.messages >= 2 && seconds > 0;
    if (has_rate) topic.rate_hz = static_cast<double>(topic.messages) / seconds;
    all.push_back(std::move(topic));
  }
  return all;
}

std::vector<CallInfo> calls_of(const BagInfo& info) {
  std::map<std::pair<CallTopic::Of, std::string>, CallInfo> calls;
  for (const auto& [channel, messages] : info.channels) {
    auto topic = call_topic(*channel);
    if (!topic) continue;
    CallInfo& call = calls[{topic->of, topic->name}];
    call.of = topic->of;
    call.name = topic->name;
    if (call.type.empty()) call.type = topic->type;
    call.messages[topic->part] += messages;
  }
  std::vector<CallInfo> all;
  all.reserve(calls.size());
  for (auto& [name, call] : calls) all.push_back(std::move(call));
  return all;
}

}  // namespace kitbag
