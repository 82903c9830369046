#include "server/views/file_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
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

// There is no index, only the folder, which is listed at each look. So nothing can get out of step
// with what another server does there, or a person with rm.
//
// Room is made before bytes are written, in steps of kStepBytes while a file grows. So the limit
// holds for finished files and those under way together, also if several are made at the same time.
// If files under way alone exceed it, the last one gives up (503).
//
// A file that is removed while a client reads it stays readable by its open descriptor.
//
// When a file was used last is its time of modification, set by utimensat(): access times are often
// switched off or coarse (relatime).

namespace kitbag::server {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeyDigits = 32;
/// How much a file grows until room is made for it again.
constexpr std::uint64_t kStepBytes = 16 << 20;

/// Nothing else in the folder is ever removed.
bool is_ours(std::string_view name) {
  if (name.find_first_not_of("0123456789abcdef") != kKeyDigits) return false;
  return std::find(kCachedExtensions.begin(), kCachedExtensions.end(), name.substr(kKeyDigits)) !=
         kCachedExtensions.end();
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
    std::string part = at->path().filename().string();
    if (!part.starts_with('.') || !part.ends_with(".part")) continue;
    std::string name = part.substr(1, part.find('.', 1 + kKeyDigits + 1) - 1);
    if (is_ours(name)) names.insert(name);
  }
  for (const std::string& name : names) {
    try {
      local_file_system()->create(folder + "/" + name, {});
    } catch (const Error&) {  // the next file will report what is wrong with the folder
    }
  }
}

/// Everybody may write in /tmp: a folder that another user has made would show them what is in
/// private bags, and give clients what they put there. Once made, nobody else can replace it.
std::string folder_in_tmp() {
  std::string folder = fmt::format("/tmp/kitbag-{}", ::geteuid());
  ::mkdir(folder.c_str(), S_IRWXU);
  struct stat status {};
  bool is_own = ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (is_own) return folder;
  throw Error(ErrorCode::io,
              "belongs to another user, or others may write in it; choose another folder for the "
              "cache",
              folder);
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

std::string cache_key(const std::vector<std::string>& parts) {
  std::string text;  // with lengths, so that no two lists give the same
  for (const std::string& part : parts) text += fmt::format("{}:{}\n", part.size(), part);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  std::string key;
  for (std::size_t i = 0; i < kKeyDigits / 2; ++i) key += fmt::format("{:02x}", digest[i]);
  return key;
}

std::optional<OpenedFile> FileCache::find(const std::string& name) const {
  std::string path = path_of(name);
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  try {
    OpenedFile file = open_local_file(path);
    note_use(name);
    return file;
  } catch (const Error&) {
    return std::nullopt;  // it has just been removed, or is none of ours
  }
}

void FileCache::note_use(const std::string& name) const {
  ::utimensat(AT_FDCWD, path_of(name).c_str(), nullptr, 0);
}

OpenedFile FileCache::get(const std::string& name, const Make& make, const std::stop_token& stop) {
  if (auto file = find(name)) return *file;
  auto work = [&](const std::stop_token& none_waits) {
    auto file = find(name);  // it may have been completed just now
    return file ? *file : make_file(name, make, none_waits);
  };
  return making_.get(name, work, stop);
}

OpenedFile FileCache::make_file(const std::string& name, const Make& make,
                                const std::stop_token& stop) {
  std::string path = path_of(name);
  OpenedFile file;
  Room room(*this);
  write_in_folder([&] {
    room.extend(0);
    auto grown = [&, step = std::uint64_t{0}](std::uint64_t bytes) mutable {
      if (bytes < step) return;
      room.extend(bytes);
      step = bytes + kStepBytes;
    };
    try {
      make(path, grown, stop);
      file = open_local_file(path);
      require_fitting(file.size);
      room.release();
      remove_unused();
    } catch (...) {
      ::unlink(path.c_str());
      throw;
    }
  });
  return file;
}

void FileCache::store(const std::string& name, ByteView bytes) {
  Room room(*this);
  write_in_folder([&] {
    room.extend(bytes.size());
    auto file = local_file_system()->create(path_of(name), {});
    file->append(bytes);
    file->commit();
  });
}

void FileCache::write_in_folder(const std::function<void()>& write) {
  try {
    make_folder(options_.folder);
    std::call_once(cleaned_, [this] { remove_leftovers(options_.folder); });
    write();
  } catch (const Error& error) {
    // What fails in the folder is its own: a full disk, a quota.
    bool is_of_folder = error.code() == ErrorCode::io && error.file().starts_with(options_.folder);
    if (!is_of_folder) throw;
    throw Refusal(507, fmt::format("the file cannot be stored in the cache: {}", error.message()));
  }
}

void FileCache::require_fitting(std::uint64_t bytes) const {
  if (bytes <= options_.max_bytes) return;
  throw Refusal(413, fmt::format("the file is larger than the cache, which holds {}; ask for "
                                 "fewer topics or a shorter time",
                                 format_size(options_.max_bytes)));
}

void FileCache::Room::extend(std::uint64_t bytes) {
  cache_.require_fitting(bytes);
  {
    std::lock_guard lock(cache_.mutex_);
    cache_.being_written_ += bytes - bytes_;
    bytes_ = bytes;
  }
  cache_.remove_unused();
}

void FileCache::Room::release() {
  std::lock_guard lock(cache_.mutex_);
  cache_.being_written_ -= std::exchange(bytes_, 0);
}

/// As long as the files that are there and those that are being written are too large together.
void FileCache::remove_unused() {
  std::lock_guard lock(mutex_);
  std::uint64_t total = being_written_;
  std::vector<Kept> kept = kept_in(options_.folder);
  for (const Kept& each : kept) total += each.bytes;
  for (const Kept& each : kept) {
    if (total <= options_.max_bytes) return;
    ::unlink(each.path.c_str());
    total -= each.bytes;
  }
  if (total > options_.max_bytes) {
    throw Refusal(503, "other files that are being made fill the cache; try again later");
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
  return folder_in_tmp();
}

}  // namespace kitbag::server
