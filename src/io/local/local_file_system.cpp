#include <cerrno>
#include <filesystem>
#include <utility>

#include "io/local/file_status.h"
#include "io/local/names.h"
#include "io/local/staged_set.h"
#include "io/local/write_file.h"
#include "io/posix.h"
#include "kitbag/file_system.h"

namespace kitbag {

namespace {

namespace fs = std::filesystem;

OutputOptions output_options(const WriteFileOptions& options) {
  return {.io = options.io,
          .is_visible = options.is_visible,
          .may_replace = options.may_replace,
          .on_warning = options.on_warning};
}

class LocalFileSystem final : public FileSystem {
 public:
  std::string_view scheme() const override { return "file"; }
  bool is_local() const override { return true; }

  std::optional<FileStatus> status(const std::string& path) const override {
    return status_of(path);
  }

  std::vector<std::string> list(const std::string& folder) const override {
    std::vector<std::string> names;
    std::error_code error;
    fs::directory_iterator end;
    for (fs::directory_iterator it(folder, error); !error && it != end; it.increment(error)) {
      names.push_back(it->path().filename().string());
    }
    if (error) throw system_error("list the folder", error.value(), folder);
    return names;
  }

  std::shared_ptr<const ReadFile> open(const std::string& path) const override {
    return open_file(path);
  }

  std::unique_ptr<WriteFile> create(const std::string& path,
                                    const WriteFileOptions& options) const override {
    return create_file(path, output_options(options));
  }

  void remove(const std::string& path) const override {
    std::error_code error;
    fs::remove(path, error);
    if (error) throw system_error("delete", error.value(), path);
  }

  void make_folder(const std::string& path) const override { kitbag::make_folder(path); }

  bool can_rename() const override { return true; }
  bool rename(const std::string& from, const std::string& to, bool may_replace) const override {
    int failure = may_replace ? rename_over(from, to) : rename_to_free(from, to);
    if (failure == EEXIST && !may_replace) return false;
    if (failure != 0) throw system_error("rename it", failure, from);
    return true;
  }

  /// UINT64_MAX if the system does not say.
  std::uint64_t free_bytes(const std::string& folder) const override {
    std::error_code error;
    auto space = fs::space(folder, error);
    return error ? UINT64_MAX : space.available;
  }

  std::unique_ptr<FileLock> lock(const std::string& path, LockKind kind,
                                 const OnWarning& on_warning) const override {
    // Folders are locked in another way than files (write_lock.cpp).
    auto there = status_of(path);
    bool is_folder = there && there->is_folder;
    if (is_folder) {
      return std::make_unique<LocalLock>(WriteLock::of_folder(path, on_warning, kind));
    }
    if (kind == LockKind::exclusive) {
      return std::make_unique<LocalLock>(lock_to_append(path, on_warning));
    }
    return std::make_unique<LocalLock>(WriteLock::of_file(path, kind, on_warning));
  }

  std::unique_ptr<WriteFile> append(const std::string& path, std::uint64_t end,
                                    std::unique_ptr<FileLock> lock,
                                    const WriteFileOptions& options) const override {
    return append_file(std::move(static_cast<LocalLock&>(*lock).lock), path, end,
                       output_options(options));
  }

  std::unique_ptr<Staging> stage(const std::string& path,
                                 const OnWarning& on_warning) const override {
    return std::make_unique<StagedSet>(path, on_warning);
  }
};

}  // namespace

FileSystemPtr local_file_system() {
  return std::make_shared<LocalFileSystem>();
}

}  // namespace kitbag
