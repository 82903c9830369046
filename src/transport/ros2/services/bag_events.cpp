#include "transport/ros2/services/bag_events.h"

#include <filesystem>

#include "transport/ros2/wire.h"

namespace kitbag::ros2 {

namespace {

/// Who listens may be in another folder. What is no path of this machine stays.
std::string absolute(const std::string& path) {
  if (path.empty() || path.find("://") != std::string::npos) return path;
  std::error_code error;
  std::string whole = std::filesystem::absolute(path, error);
  return error ? path : whole;
}

std::map<std::string, MissingMessages> missing_in(const Feed& feed) {
  std::vector<std::uint64_t> lost = feed.lost();
  std::vector<std::uint64_t> dropped = feed.dropped();
  ChannelsPtr channels = feed.channels();
  std::map<std::string, MissingMessages> missing;
  for (std::size_t slot = 0; slot < channels->size(); ++slot) {
    if (!(*channels)[slot]) continue;
    MissingMessages& of_topic = missing[(*channels)[slot]->topic];
    if (slot < lost.size()) of_topic.lost += lost[slot];
    if (slot < dropped.size()) of_topic.dropped += dropped[slot];
  }
  return missing;
}

}  // namespace

Payload split_event(const FileChange& change, const std::string& node) {
  WireWriter event;
  event.text(absolute(change.closed));
  event.text(absolute(change.opened));
  event.text(node);
  return event.take();
}

std::optional<Payload> LostMessages::next(const Feed& feed, const std::string& node) {
  std::map<std::string, MissingMessages> added;
  auto missing = missing_in(feed);
  for (const auto& [topic, now] : missing) {
    MissingMessages before = told_[topic];
    // An event tells what has been lost since the one before, and only of topics that have lost
    // more.
    if (now != before) added[topic] = {now.lost - before.lost, now.dropped - before.dropped};
  }
  if (added.empty()) return std::nullopt;
  told_ = std::move(missing);
  WireWriter event;
  event.text(node);
  event.count(added.size());
  for (const auto& [topic, messages] : added) {
    event.text(topic);
    event.number(messages.lost);
    event.number(messages.dropped);
  }
  return event.take();
}

}  // namespace kitbag::ros2
