#include "io/local/staged_name.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "io/database_logs.h"
#include "io/local/names.h"
#include "io/local/write_lock.h"

// What a killed writer has left is found by its name and proved by its lock: a name of the right
// form for this target, and nobody holds the lock. The lock of a dead process is gone, however it
// died, so neither ages nor process ids are compared. Where the file system has no locks, nothing
// is proved and nothing removed.

namespace kitbag {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEnding = ".part";
constexpr std::size_t kDigits = 8;

/// ".run.bag."; names at their limit are shortened.
std::string prefix_of(const fs::path& target) {
  constexpr std::size_t kMostOfName = 200;
  return "." + target.filename().string().substr(0, kMostOfName) + ".";
}

bool is_hidden_name(std::string_view name, std::string_view prefix) {
  if (name.size() != prefix.size() + kDigits + kEnding.size()) return false;
  if (!name.starts_with(prefix) || !name.ends_with(kEnding)) return false;
  std::string_view digits = name.substr(prefix.size(), kDigits);
  return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Hidden names beside `target`. A folder with many files is listed for each of them: so not by
/// std::filesystem, which takes ten times as long.
std::vector<std::string> hidden_names(const fs::path& target) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(folder_of(target).c_str()), ::closedir);
  if (!folder) return names;  // writing there reports what is wrong with it
  std::string prefix = prefix_of(target);
  while (const dirent* entry = ::readdir(folder.get())) {
    if (is_hidden_name(entry->d_name, prefix)) names.emplace_back(entry->d_name);
  }
  return names;
}

/// True: it was there, nobody had locked it, and it is gone.
bool remove_unlocked(const std::string& path) {
  Descriptor file = open_descriptor(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  bool is_folder = !file && errno == EISDIR;
  if (is_folder) file = open_descriptor(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!file) return false;
  Locked locked = is_folder ? lock_folder(file.get()) : lock_file(file.get(), LockKind::exclusive);
  if (locked != Locked::yes || identity_of(file.get(), path) != identity_at(path)) return false;
  std::error_code error;
  if (is_folder) return fs::remove_all(path, error) > 0 && !error;
  remove_logs(path);
  return ::unlink(path.c_str()) == 0;
}

void tell_removed(const std::string& path, const OnWarning& on_warning) {
  if (!on_warning) return;
  on_warning(
      Error(ErrorCode::io, "removed; it was left behind by a program that was killed", path));
}

}  // namespace

std::string hidden_name(const fs::path& target, std::random_device& random) {
  std::string name =
      fmt::format("{}{:0{}x}{}", prefix_of(target), random() & 0xffffffffU, kDigits, kEnding);
  return (target.parent_path() / name).string();
}

void remove_leftovers(const fs::path& target, const OnWarning& on_warning) {
  for (const std::string& name : hidden_names(target)) {
    std::string path = (target.parent_path() / name).string();
    if (remove_unlocked(path)) tell_removed(path, on_warning);
  }
}

bool is_database(int file, const std::string& path) {
  constexpr std::string_view kMagic("SQLite format 3", 16);  // with the zero behind it
  std::byte head[kMagic.size()];
  return read_at(file, 0, head, path) == sizeof(head) && as_text(head) == kMagic;
}

void remove_logs(const std::string& path) {
  for (std::string_view log : kDatabaseLogs) ::unlink((path + std::string(log)).c_str());
  ::unlink((path + "-shm").c_str());
}

}  // namespace kitbag
