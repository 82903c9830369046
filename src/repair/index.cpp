#include <map>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/repair.h"
#include "kitbag/rosbag2.h"
#include "kitbag/session.h"
#include "storage/rosbag2/metadata.h"

// What a recorder does last, as a step of its own. The metadata beside a file is what tools read
// that look through many bags: it tells without opening them what they hold.

namespace kitbag {

namespace {

using rosbag2::BagMetadata;

std::string value_of(const Channel& channel, const char* key) {
  auto found = channel.metadata.find(key);
  return found == channel.metadata.end() ? "" : found->second;
}

std::vector<BagMetadata::Topic> topics_of(const Summary& summary, int version) {
  std::map<std::pair<std::string, std::string>, BagMetadata::Topic> topics;
  for (std::size_t slot = 0; slot < summary.channels->size(); ++slot) {
    const ChannelPtr& channel = (*summary.channels)[slot];
    if (!channel) continue;
    BagMetadata::Topic& topic = topics[{channel->topic, channel->type()}];
    topic.messages += summary.message_counts[slot];
    if (!topic.name.empty()) continue;
    topic.name = channel->topic;
    topic.type = channel->type();
    topic.encoding = channel->encoding;
    topic.qos = rosbag2::qos_of(*channel, rosbag2::qos_form(version));
    topic.type_hash = value_of(*channel, "topic_type_hash");
  }
  std::vector<BagMetadata::Topic> sorted;
  sorted.reserve(topics.size());
  for (auto& [key, topic] : topics) sorted.push_back(std::move(topic));
  return sorted;
}

BagMetadata metadata_of(const std::string& path, const Summary& summary) {
  BagMetadata metadata;
  metadata.version = rosbag2::kCommonMetadata;
  metadata.storage = summary.format;
  metadata.messages = summary.messages;
  metadata.start = summary.messages > 0 ? summary.start : rosbag2::kNoStart;
  metadata.duration = saturating_difference(summary.start, summary.end);
  metadata.topics = topics_of(summary, metadata.version);
  if (!summary.message_compression.empty()) {
    metadata.compression_mode = "MESSAGE";
    metadata.compression_format = summary.message_compression;
  }
  std::string name = path.substr(path.rfind('/') + 1);
  metadata.paths = {name};
  metadata.files = {{name, metadata.start, metadata.duration, metadata.messages}};
  return metadata;
}

}  // namespace

void index_bag(const std::string& path, const Session& session, const std::stop_token& stop) {
  std::string place = session.path_of(path);
  FileSystemPtr files = session.file_system(place);
  auto there = files->status(place);
  bool is_folder = there && there->is_folder;
  // A recorder that crashed leaves a bag whose end is missing: that is no reason to refuse it here.
  ReadOptions as_far_as_possible{.on_problem = [](const Error&) {}};
  bool is_indexed = session.open(path, as_far_as_possible)->summary().indexed;
  // In a directory each file and metadata.yaml are looked at; what is sound stays as it is.
  // Before the metadata, whose numbers are those of the repaired bag.
  if (is_folder || !is_indexed) repair(path, path, {}, session, stop);
  if (is_folder) return;
  BagPtr bag = session.open(path);
  BagMetadata metadata = metadata_of(place, bag->summary());
  std::string text = rosbag2::print_metadata(metadata, metadata.version, false);
  auto file = files->create(place + ".metadata.yaml", {.io = Io::buffered});
  file->append(as_bytes(text));
  file->commit();
}

}  // namespace kitbag
