#include "server/bags/bag_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/bag_folder.h"
#include "kitbag/damage.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/registry.h"

// A recorder that died leaves a bag that looks as if it were growing. Its file does not change any
// more, so after kAlive it counts as ended. One that is paused, or has quiet topics, looks the
// same: so nothing that was made of such a bag may be kept for long by clients
// (BagEntry::may_grow).
//
// The directory of a bag may come from somebody else, with links in it. A link that leads out of
// what is served would give clients any file of this machine: as a member of the bag, or in the
// tar. It need not be a member by name: metadata.yaml may name files in folders, too.

namespace kitbag::server {
namespace {

namespace fs = std::filesystem;

/// The first link below the directory that leads out of `root`, or to a folder, where others may
/// lead out of it; by its path there. Empty: there is none.
std::string link_out_of(const std::string& root, const std::string& directory) {
  constexpr auto kOptions = fs::directory_options::skip_permission_denied;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, kOptions, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code gone;
    std::string path = at->path().string();
    if (!at->is_symlink(gone) || !fs::exists(path, gone)) continue;
    if (fs::is_directory(path, gone) || leads_out_of(root, path)) {
      return at->path().lexically_relative(directory).string();
    }
  }
  return {};
}

bool lacks_definition(const ChannelPtr& channel) {
  if (!channel || !channel->schema) return false;
  return channel->schema->text.find_first_not_of(" \t\r\n") == std::string::npos;
}

}  // namespace

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

bool leads_out_of(const std::string& folder, const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return false;
  auto real_folder = fs::canonical(folder, error);
  if (error) return true;
  auto real = fs::canonical(path, error);
  if (error) return true;
  auto [rest, unused] =
      std::mismatch(real_folder.begin(), real_folder.end(), real.begin(), real.end());
  return rest != real_folder.end();
}

bool is_fresh(Time modified, Time now) {
  return modified > saturating_add(now, -kAlive) && modified < saturating_add(now, kAlive);
}

std::shared_ptr<BagEntry> state_of(const std::string& path, const std::string& name, bool is_active,
                                   const std::string& root, const Session& session) {
  auto files = session.file_system(path);
  auto status = files->status(path);
  if (!status) return nullptr;
  auto entry = std::make_shared<BagEntry>();
  entry->name = name;
  entry->path = path;
  entry->id = status->id;
  entry->is_folder = status->is_folder;
  entry->may_grow = is_active;
  entry->is_recording = is_active;
  entry->root = root;
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
    if (!root.empty() && files->is_local()) entry->link_out = link_out_of(root, path);
  }
  entry->state =
      fmt::format("{}-{:x}-{:x}", entry->identity, entry->size_bytes, to_ns(entry->modified));
  if (!entry->link_out.empty()) entry->state += "-link";
  entry->version = entry->state;
  entry->dated = entry->modified;
  entry->place = path;
  return entry;
}

bool describe(BagEntry& entry, bool is_being_recorded, const Session& session) {
  entry.end = entry.modified;
  entry.start = entry.modified;
  ReadOptions options;
  if (!entry.link_out.empty()) {
    entry.error = fmt::format(
        "{} in its directory is a link to a folder, or one that leads out of the folder that is "
        "served; put the file itself there",
        escaped(entry.link_out));
    entry.is_recording = false;
    return true;
  }
  Damage damage;
  options.on_problem = [&](const Error& problem) { damage.add(problem); };
  try {
    Input input = session.input_at(entry.path);
    bool is_empty = input.file && input.file->size() == 0;
    bool is_named_so = format_of_name(session.registry(), entry.path);
    if (!is_empty && !is_named_so && !match_format(session.registry(), input)) return false;
    BagPtr bag = session.open(input, options);
    const Summary& summary = bag->summary();
    entry.may_grow = entry.may_grow || bag->growth() != Growth::complete;
    bool is_alive = is_being_recorded || is_fresh(entry.modified, session.clock()->wall());
    entry.is_recording = entry.may_grow && is_alive;
    entry.messages = summary.messages;
    std::set<std::string_view> topics;
    for (const ChannelPtr& channel : *summary.channels) {
      if (channel) topics.insert(channel->topic);
    }
    entry.topics = topics.size();
    entry.may_lack_definitions =
        std::any_of(summary.channels->begin(), summary.channels->end(), lacks_definition);
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
