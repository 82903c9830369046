#include "storage/directory/remove_part.h"

#include <algorithm>

#include "base/path.h"
#include "kitbag/error.h"
#include "kitbag/session.h"
#include "storage/directory/change_metadata.h"
#include "storage/directory/files.h"
#include "storage/directory/store.h"

// The oldest file of a recording is removed while the newest is being written. The entry goes first
// and the file later, by the caller: if the program dies in between, a file is left that nobody
// lists, and not a list with a file that is missing.
//
// The first file of each writer gives its repeated latched messages, the others do not (decision
// 011). So when the first one goes, the next one becomes the first, and its repeats count from then
// on.

namespace kitbag::directory {

namespace {

BagPtr open_member(const std::string& path, const Session& session) {
  Input input = session.input_at(path);
  const Format* format = match_format(session.registry(), input);
  if (!format) throw Error(ErrorCode::unsupported, "unrecognized format", path);
  return format->open(input, {}, session);
}

/// Topics of one name and type are indistinguishable, so what one lacks belongs to the next one.
void subtract(std::vector<rosbag2::BagMetadata::Topic>& topics, const Channel& channel,
              std::uint64_t messages) {
  for (auto& topic : topics) {
    if (topic.name != channel.topic || topic.type != channel.type()) continue;
    std::uint64_t here = std::min(messages, topic.messages);
    topic.messages -= here;
    messages -= here;
  }
}

void add(std::vector<rosbag2::BagMetadata::Topic>& topics, const Channel& channel,
         std::uint64_t messages) {
  auto is_it = [&](const rosbag2::BagMetadata::Topic& topic) {
    return topic.name == channel.topic && topic.type == channel.type();
  };
  auto found = std::find_if(topics.begin(), topics.end(), is_it);
  if (found != topics.end()) found->messages += messages;
}

/// What the first file of a writer, in this place, repeats is the directory's.
void give_repeats(rosbag2::BagMetadata& metadata, std::size_t place, const Bag& first) {
  const Summary& summary = first.summary();
  for (const ChannelPtr& channel : *summary.channels) {
    if (!is_repeated(*channel)) continue;
    std::uint64_t messages = summary.message_counts[channel->slot];
    metadata.files[place].messages += messages;
    add(metadata.topics, *channel, messages);
  }
}

/// The first file of this writer; the number of files if there is none.
std::size_t first_of(const rosbag2::BagMetadata& metadata, const std::string& writer) {
  auto is_its = [&](const std::string& path) { return writer_of(path) == writer; };
  auto first = std::find_if(metadata.paths.begin(), metadata.paths.end(), is_its);
  return static_cast<std::size_t>(first - metadata.paths.begin());
}

rosbag2::BagMetadata without(std::optional<rosbag2::BagMetadata> metadata, const std::string& path,
                             const std::string& part, const Session& session) {
  auto place = metadata ? place_of(*metadata, part) : std::nullopt;
  if (!place) {
    throw Error(ErrorCode::not_found, "the directory's metadata does not list this file", part);
  }
  bool tells_files = !metadata->files.empty();
  if (!tells_files) metadata = Store(path, {}, session).metadata();
  std::string writer = writer_of(part);
  bool is_first = first_of(*metadata, writer) == *place;
  BagPtr leaving = open_member(part, session);
  const Summary& summary = leaving->summary();
  for (const ChannelPtr& channel : *summary.channels) {
    if (!is_first && is_repeated(*channel)) continue;
    subtract(metadata->topics, *channel, summary.message_counts[channel->slot]);
  }
  remove_file(*metadata, *place);
  // Repeats in a file that is being written are counted when it is closed. metadata.yaml has no
  // messages of such a file; before version 5 it has none of any file, and the only file left is
  // the one.
  std::size_t next = first_of(*metadata, writer);
  bool has_new_first = is_first && next < metadata->paths.size();
  bool is_closed = has_new_first &&
                   (tells_files ? metadata->files[next].messages > 0 : metadata->paths.size() > 1);
  if (is_closed) {
    give_repeats(*metadata, next, *open_member(join(path, metadata->paths[next]), session));
  }
  sum_up(*metadata);
  return std::move(*metadata);
}

}  // namespace

void remove_part(const std::string& path, const std::string& part, const Session& session) {
  change_metadata(
      path,
      [&](std::optional<rosbag2::BagMetadata> current) {
        return without(std::move(current), path, part, session);
      },
      session);
}

}  // namespace kitbag::directory
