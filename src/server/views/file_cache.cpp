#include "server/views/file_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "kitbag/text.h"

namespace kitbag::server {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".mcap";
constexpr std::size_t kKeyDigits = 32;
/// How much a file grows until room is made for it again.
constexpr std::uint64_t kStepBytes = 16 << 20;

/// Nothing else in the folder is ever removed.
bool is_ours(std::string_view name) {
  return name.size() == kKeyDigits + kExtension.size() && name.ends_with(kExtension) &&
         name.find_first_not_of("0123456789abcdef") == kKeyDigits;
}

/// Only its owner looks into it: bags may be private.
void make_folder(const std::string& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  fs::create_directories(folder, error);
  if (!error) fs::permissions(folder, fs::perms::owner_all, error);
  if (error) {
    throw Refusal(507, fmt::format("the cache cannot be created: {}", error.message()));
  }
}

/// Removes what servers that were killed have left half made. Beginning a file removes those of its
/// name that no living writer has locked.
void remove_leftovers(const std::string& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (!name.starts_with('.') || !name.ends_with(".part")) continue;
    name = name.substr(1, kKeyDigits + kExtension.size());
    if (is_ours(name)) names.insert(name);
  }
  for (const std::string& name : names) {
    try {
      local_file_system()->create(folder + "/" + name, {});
    } catch (const Error&) {  // the next file will report what is wrong with the folder
    }
  }
}

/// The file, noted as used just now; absent: there is none.
std::optional<OpenedFile> open_used(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  try {
    OpenedFile file = open_local_file(path);
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
    return file;
  } catch (const Error&) {
    return std::nullopt;  // it has just been removed, or is none of ours
  }
}

struct Kept {
  fs::file_time_type used;
  std::uint64_t bytes = 0;
  fs::path path;
};

/// The one that was used longest ago comes first.
std::vector<Kept> kept_in(const std::string& folder) {
  std::vector<Kept> all;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    Kept kept{at->last_write_time(gone), 0, at->path()};
    if (!gone && is_ours(at->path().filename().string())) kept.bytes = at->file_size(gone);
    if (!gone && kept.bytes > 0) all.push_back(std::move(kept));
  }
  std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
  return all;
}

}  // namespace

std::string FileCache::path_of(const std::string& key) const {
  return options_.folder + "/" + key + std::string(kExtension);
}

OpenedFile FileCache::get(const std::string& key, const Make& make, const std::stop_token& stop) {
  std::shared_ptr<Making> making;
  bool is_first = false;
  {
    std::unique_lock lock(mutex_);
    // A file that no client waits for any more is being abandoned, so it cannot be joined.
    changed_.wait(lock, stop, [&] {
      auto known = making_.find(key);
      return known == making_.end() || known->second->clients > 0;
    });
    throw_if_stopped({stop});
    auto known = making_.find(key);
    is_first = known == making_.end();
    if (is_first) {
      if (auto file = open_used(path_of(key))) return *file;
    }
    if (waiting_ >= options_.max_waiting) {
      throw Refusal(503, "too many views are being made; try again later");
    }
    if (is_first) known = making_.emplace(key, std::make_shared<Making>()).first;
    making = known->second;
    ++making->clients;
    ++waiting_;
  }
  {
    std::stop_callback leaving(stop, [&] { leave(*making); });
    if (is_first) run(key, make, *making);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] { return making->is_done; });
    --waiting_;
  }
  std::lock_guard lock(mutex_);
  if (!making->is_done) throw Error(ErrorCode::cancelled, "the client has gone");
  if (making->error) std::rethrow_exception(making->error);
  return making->file;
}

void FileCache::leave(Making& making) {
  std::lock_guard lock(mutex_);
  if (--making.clients == 0) making.stop.request_stop();
}

void FileCache::run(const std::string& key, const Make& make, Making& making) {
  std::string path = path_of(key);
  OpenedFile file;
  std::exception_ptr error;
  try {
    make_folder(options_.folder);
    std::call_once(cleaned_, [this] { remove_leftovers(options_.folder); });
    make_room(making, 0);
    auto grown = [&, step = std::uint64_t{0}](std::uint64_t bytes) mutable {
      if (bytes < step) return;
      require_fitting(bytes);
      make_room(making, bytes);
      step = bytes + kStepBytes;
    };
    make(path, grown, making.stop.get_token());
    file = open_local_file(path);
    require_fitting(file.size);
    make_room(making, 0);  // from now on it counts as one of those in the folder
  } catch (const Error& failure) {
    // What fails in the folder is its own: a full disk, a quota.
    bool is_of_folder =
        failure.code() == ErrorCode::io && failure.file().starts_with(options_.folder);
    error = is_of_folder
                ? std::make_exception_ptr(
                      Refusal(507, fmt::format("the view cannot be stored: {}", failure.message())))
                : std::current_exception();
  } catch (...) {
    error = std::current_exception();
  }
  if (error) ::unlink(path.c_str());
  std::lock_guard lock(mutex_);
  making.file = std::move(file);
  making.error = error;
  making.is_done = true;
  making_.erase(key);
  changed_.notify_all();
}

void FileCache::require_fitting(std::uint64_t bytes) const {
  if (bytes <= options_.max_bytes) return;
  throw Refusal(413, fmt::format("the view is larger than the cache, which holds {}; ask for "
                                 "fewer topics or a shorter time",
                                 format_size(options_.max_bytes)));
}

/// For `bytes` of a file that is being made, beside all others.
void FileCache::make_room(Making& making, std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  making.bytes = bytes;
  std::uint64_t total = 0;
  for (const auto& [key, each] : making_) total += each->bytes;
  std::vector<Kept> kept = kept_in(options_.folder);
  for (const Kept& each : kept) total += each.bytes;
  for (const Kept& each : kept) {
    if (total <= options_.max_bytes) return;
    ::unlink(each.path.c_str());
    total -= each.bytes;
  }
  if (total > options_.max_bytes) {
    throw Refusal(503, "other views that are being made fill the cache; try again later");
  }
}

std::string default_cache_folder() {
  auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::string base = variable("XDG_CACHE_HOME");
  if (base.starts_with('/')) return base + "/kitbag";
  base = variable("HOME");
  if (base.starts_with('/')) return base + "/.cache/kitbag";
  return fmt::format("/tmp/kitbag-{}", ::geteuid());
}

}  // namespace kitbag::server
