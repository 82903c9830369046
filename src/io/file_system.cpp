#include "kitbag/file_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "base/path.h"
#include "kitbag/leave.h"

// What a file system does not implement is of two kinds. Without locks, folders or free space it
// works a little less safely, so their defaults do nothing. Without creating, renaming or appending
// something that was asked for cannot be done, so their defaults throw.

namespace kitbag {

namespace {

constexpr std::size_t kCompareBytes = 1 << 20;  // at a time, of each of two files

[[noreturn]] void refuse(const FileSystem& files, std::string_view what, const std::string& path) {
  throw Error(ErrorCode::unsupported, fmt::format("{}:// {}", files.scheme(), what), path);
}

// Where a file appears at the end of its upload there is nothing to rename. So each file of a set
// appears when it is complete, and a set that is given up takes back what has appeared.
class DirectStaging final : public Staging {
 public:
  explicit DirectStaging(const FileSystem& files) : files_(files) {}
  ~DirectStaging() override {
    if (!is_published_) take_back();
  }

  std::string place(const std::string& target, bool may_replace) override {
    auto there = files_.status(target);
    bool is_folder = target.ends_with('/');
    if (there && is_folder && !(there->is_folder && files_.list(target).empty())) {
      throw Error(ErrorCode::invalid, "already exists; a directory is not replaced", target);
    }
    if (is_folder) there.reset();
    if (there && !may_replace) throw Error(ErrorCode::exists, "already exists", target);
    // What is replaced cannot be brought back, so it is not removed either.
    std::lock_guard lock(mutex_);
    if (!there) placed_.push_back(target);
    return target;
  }
  std::string place_instead(const std::string& target,
                            std::unique_ptr<FileLock> /*lock*/) override {
    return target;
  }
  Error with_final_name(const Error& error) const override { return error; }
  void publish() override {
    is_published_ = true;
    on_leave_.reset();
  }

 private:
  void take_back() {
    std::vector<std::string> placed;
    {
      std::lock_guard lock(mutex_);
      placed.swap(placed_);
    }
    for (const std::string& path : placed) remove(path);
  }

  /// The process ends, and a store that does not answer must not keep it.
  void take_back_in_haste() {
    constexpr std::chrono::milliseconds kHaste{600};
    auto done = std::make_shared<std::promise<void>>();
    std::thread([this, done] {
      take_back();
      done->set_value();
    }).detach();
    done->get_future().wait_for(kHaste);
  }

  // There is nobody to report a failure to.
  void remove(const std::string& path) noexcept {
    try {
      if (!path.ends_with('/')) return files_.remove(path);
      for (const std::string& name : files_.list(path)) {
        auto inside = files_.status(path + name);
        remove(path + name + (inside && inside->is_folder ? "/" : ""));
      }
      files_.remove(without_slash(path));
    } catch (const Error&) {
      return;
    }
  }

  const FileSystem& files_;
  std::mutex mutex_;
  std::vector<std::string> placed_;
  bool is_published_ = false;
  std::optional<OnLeave> on_leave_{[this] { take_back_in_haste(); }};
};

/// `above` are the folders on the way, to which links may lead back; `prefix` is the name of the
/// folder below the first one, with "/" at its end.
void visit_folder(const FileSystem& files, const std::string& folder, const std::string& prefix,
                  std::vector<FileId>& above, const OnEntry& visit) {
  std::vector<FolderEntry> folders;
  files.visit(folder, [&](FolderEntry entry) {
    if (entry.status.is_folder) {
      folders.push_back(std::move(entry));
    } else {
      entry.name = prefix + entry.name;
      visit(std::move(entry));
    }
  });
  for (const FolderEntry& each : folders) {
    const FileId& id = each.status.id;
    if (id != FileId() && std::ranges::find(above, id) != above.end()) continue;
    above.push_back(id);
    visit_folder(files, path_in(folder, each.name), prefix + each.name + "/", above, visit);
    above.pop_back();
  }
}

}  // namespace

std::unique_ptr<WriteFile> FileSystem::create(const std::string& path,
                                              const WriteFileOptions& /*options*/) const {
  refuse(*this, "is read-only", path);
}

void FileSystem::remove(const std::string& path) const {
  refuse(*this, "is read-only", path);
}

void FileSystem::make_folder(const std::string& /*path*/) const {}

bool FileSystem::rename(const std::string& from, const std::string& /*to*/,
                        bool /*may_replace*/) const {
  refuse(*this, "cannot rename files", from);
}

std::uint64_t FileSystem::free_bytes(const std::string& /*folder*/) const {
  return UINT64_MAX;
}

std::unique_ptr<FileLock> FileSystem::lock(const std::string& /*path*/, LockKind /*kind*/,
                                           const OnWarning& /*on_warning*/) const {
  return nullptr;
}

std::unique_ptr<WriteFile> FileSystem::append(const std::string& path, std::uint64_t /*end*/,
                                              std::unique_ptr<FileLock> /*lock*/,
                                              const WriteFileOptions& /*options*/) const {
  refuse(*this, "cannot continue a file; convert the bag to a new one", path);
}

std::unique_ptr<Staging> FileSystem::stage(const std::string& /*path*/,
                                           const OnWarning& /*on_warning*/) const {
  return std::make_unique<DirectStaging>(*this);
}

bool FileSystem::has_content(const std::string& path, const ReadFile& file) const {
  auto there = status(path);
  if (!there || !there->is_regular || there->size_bytes != file.size()) return false;
  auto other = open(path);
  auto piece_bytes =
      static_cast<std::size_t>(std::min<std::uint64_t>(kCompareBytes, there->size_bytes));
  std::vector<std::byte> ours(piece_bytes);
  std::vector<std::byte> theirs(piece_bytes);
  for (std::uint64_t offset = 0; offset < there->size_bytes; offset += piece_bytes) {
    std::size_t size = file.read(offset, ours);
    if (other->read(offset, theirs) != size) return false;
    if (!std::equal(ours.begin(), ours.begin() + std::ptrdiff_t(size), theirs.begin()))
      return false;
  }
  return true;
}

std::optional<std::string> FileSystem::link(const std::string& /*path*/,
                                            Duration /*lifetime*/) const {
  return std::nullopt;
}

void FileSystem::visit(const std::string& folder, const OnEntry& visit) const {
  for (std::string& name : list(folder)) {
    if (name.empty()) continue;
    std::optional<FileStatus> found;
    try {
      found = status(path_in(folder, name));
    } catch (const Error&) {
      found.emplace();  // a link to itself, for example
    }
    if (found) visit({std::move(name), *found});
  }
}

void FileSystem::visit_below(const std::string& folder, const OnEntry& visit) const {
  std::vector<FileId> above;
  if (auto found = status(folder)) above.push_back(found->id);
  visit_folder(*this, folder, "", above, visit);
}

}  // namespace kitbag
