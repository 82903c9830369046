#include "server/bags/bag_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/bag_folder.h"
#include "kitbag/damage.h"
#include "kitbag/error.h"
#include "kitbag/registry.h"

// A recorder that died leaves a bag that looks as if it were growing. Its file does not change any
// more, so after kAlive it counts as ended.

namespace kitbag::server {

bool is_on_web(std::string_view path) {
  return path.starts_with("http://") || path.starts_with("https://");
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

std::string name_of(std::string path) {
  if (is_on_web(path)) path.resize(std::min(path.find_first_of("?#"), path.size()));
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

bool is_folder_of_bag(const std::string& path, const Session& session) {
  try {
    return is_bag_directory(path, session);
  } catch (const Error&) {
    return false;  // it may not be read, or has gone
  }
}

std::shared_ptr<BagEntry> state_of(const std::string& path, const std::string& name, bool is_active,
                                   const Session& session) {
  auto files = session.file_system(path);
  auto status = files->status(path);
  if (!status) return nullptr;
  auto entry = std::make_shared<BagEntry>();
  entry->name = name;
  entry->path = path;
  entry->id = status->id;
  entry->is_folder = status->is_folder;
  entry->is_recording = is_active;
  entry->size_bytes = status->is_folder ? 0 : status->size_bytes;
  entry->modified = status->modified;
  entry->identity = fmt::format("{:x}-{:x}", status->id.number, status->id.volume);
  if (status->is_folder) {
    std::vector<std::string> names = files->list(path);
    std::sort(names.begin(), names.end());
    for (const std::string& each : names) {
      auto member = files->status(in_folder(path, each));
      if (!member || !member->is_regular) continue;
      entry->size_bytes += member->size_bytes;
      entry->modified = std::max(entry->modified, member->modified);
    }
  }
  entry->state =
      fmt::format("{}-{:x}-{:x}", entry->identity, entry->size_bytes, to_ns(entry->modified));
  entry->version = entry->state;
  entry->dated = entry->modified;
  entry->place = path;
  return entry;
}

bool describe(BagEntry& entry, const Session& session) {
  entry.end = entry.modified;
  entry.start = entry.modified;
  ReadOptions options;
  Damage damage;
  options.on_problem = [&](const Error& problem) { damage.add(problem); };
  try {
    Input input = session.input_at(entry.path);
    bool is_empty = input.file && input.file->size() == 0;
    bool is_named_so = format_of_name(session.registry(), entry.path);
    if (!is_empty && !is_named_so && !match_format(session.registry(), input)) return false;
    BagPtr bag = session.open(input, options);
    const Summary& summary = bag->summary();
    bool is_fresh = session.clock()->wall() - entry.modified < kAlive;
    bool may_grow = entry.is_recording || bag->growth() != Growth::complete;
    entry.is_recording = may_grow && is_fresh;
    entry.messages = summary.messages;
    std::set<std::string_view> topics;
    for (const ChannelPtr& channel : *summary.channels) {
      if (channel) topics.insert(channel->topic);
    }
    entry.topics = topics.size();
    if (summary.messages > 0) {
      entry.start = summary.start;
      entry.end = summary.end;
    }
  } catch (const Error& error) {
    if (error.code() == ErrorCode::unsupported && entry.size_bytes == 0) return false;
    entry.error = error.message();
    entry.is_recording = false;
    entry.is_certain = error.code() != ErrorCode::io;
  }
  for (const Error& problem : damage.problems()) {
    // What has no end yet is not damaged by that.
    if (problem.loss() || !entry.is_recording) entry.damage.add(problem);
  }
  return true;
}

}  // namespace kitbag::server
