#include <chrono>
#include <memory>
#include <utility>

#include "base/buffer.h"
#include "base/path.h"
#include "io/memory_content.h"
#include "io/memory_names.h"
#include "io/sticky.h"
#include "kitbag/file_system.h"

// Behaves like a disk, with names and contents in memory: a file that is written appears at
// commit(), a set of files at publish(), and a lock on a name excludes other writers.
//
// There are no hidden files: what is written is a content without a name, which commit() gives it.
// A file that is continued is a copy that replaces the original in the same way, so there is
// nothing to take back.

namespace kitbag {

namespace memory {
namespace {

class Lock final : public FileLock {
 public:
  Lock(NamesPtr names, std::string path, ContentPtr content)
      : names_(std::move(names)), path_(std::move(path)), content_(std::move(content)) {}
  ~Lock() override { names_->unlock(path_); }

  const ContentPtr& content() const { return content_; }

 private:
  NamesPtr names_;
  std::string path_;
  ContentPtr content_;  ///< what was locked
};

/// A new file, or the copy of one that is continued.
class NewFile final : public WriteFile {
 public:
  NewFile(NamesPtr names, std::string path, ContentPtr content, bool may_replace, bool is_visible,
          std::unique_ptr<FileLock> lock = nullptr)
      : names_(std::move(names)),
        path_(std::move(path)),
        content_(std::move(content)),
        may_replace_(may_replace),
        is_visible_(is_visible),
        lock_(std::move(lock)) {}

  std::uint64_t size() const override { return content_->size(); }
  void append(std::span<const ByteView> pieces) override {
    sticky_.run([&] { content_->append(pieces); });
  }
  void rewrite(std::uint64_t offset, ByteView bytes) override {
    sticky_.run([&] {
      std::uint64_t size = content_->size();
      if (offset > size || bytes.size() > size - offset) {
        throw Error(ErrorCode::invalid, "cannot rewrite bytes that were not written", path_);
      }
      content_->rewrite(offset, bytes);
    });
  }
  void flush() override {}
  void sync() override {}
  void commit() override {
    sticky_.run([&] {
      if (is_visible_) return;
      if (!names_->put(path_, content_, may_replace_)) {
        throw Error(ErrorCode::exists, "another program has created it in the meantime", path_);
      }
    });
  }

 private:
  NamesPtr names_;
  std::string path_;
  ContentPtr content_;
  bool may_replace_;
  bool is_visible_;
  std::unique_ptr<FileLock> lock_;
  Sticky sticky_;
};

class MemoryStaging final : public Staging {
 public:
  MemoryStaging(NamesPtr names, const std::string& path)
      : names_(std::move(names)),
        parent_(path.substr(0, path.rfind('/') + 1)),
        folder_(parent_ + ".staged-" + std::to_string(names_->next_number())) {}
  ~MemoryStaging() override { names_->remove_below(folder_); }

  std::string place(const std::string& target, bool may_replace) override {
    std::string path = without_slash(target);
    bool is_folder = path != target;
    if (names_->find(path) && (is_folder || !may_replace)) {
      throw Error(ErrorCode::exists, "already exists", target);
    }
    if (is_folder && !names_->list(path).empty()) {
      throw Error(ErrorCode::invalid, "already exists; a directory is not replaced", target);
    }
    return add(path, may_replace, is_folder, nullptr) + (is_folder ? "/" : "");
  }
  std::string place_instead(const std::string& target, std::unique_ptr<FileLock> lock) override {
    ContentPtr replaced = static_cast<const Lock&>(*lock).content();
    locks_.push_back(std::move(lock));
    return add(target, true, false, std::move(replaced));
  }
  Error with_final_name(const Error& error) const override {
    std::string hidden = folder_ + "/";
    if (!error.file().starts_with(hidden)) return error;
    return {error.code(), error.message(), parent_ + error.file().substr(hidden.size()),
            error.offset(), error.loss()};
  }
  void publish() override {
    names_->move_all(moves_);
    moves_.clear();
  }

 private:
  std::string add(const std::string& target, bool may_replace, bool is_folder,
                  ContentPtr replaced) {
    std::string staged = folder_ + "/" + target.substr(target.rfind('/') + 1);
    moves_.push_back({staged, target, may_replace, is_folder, std::move(replaced)});
    return staged;
  }

  NamesPtr names_;
  std::string parent_;
  std::string folder_;
  std::vector<Names::Move> moves_;
  std::vector<std::unique_ptr<FileLock>> locks_;
};

class MemoryFileSystem final : public FileSystem {
 public:
  std::string_view scheme() const override { return "memory"; }

  std::optional<FileStatus> status(const std::string& uri) const override {
    std::string path = without_slash(uri);
    if (ContentPtr content = names_->find(path)) {
      FileStatus status{true, false, content->size(), content->modified(), content->modified(), {}};
      status.id = {1, content->number()};
      return status;
    }
    if (names_->is_folder(path)) return FileStatus{.is_folder = true};
    return std::nullopt;
  }

  std::vector<std::string> list(const std::string& folder) const override {
    return names_->list(folder);
  }

  std::shared_ptr<const ReadFile> open(const std::string& path) const override {
    if (ContentPtr content = names_->find(path)) return std::make_shared<OpenFile>(content);
    if (names_->is_folder(without_slash(path))) {
      throw Error(ErrorCode::io, "is a directory, not a file", path);
    }
    throw Error(ErrorCode::not_found, "no such file", path);
  }

  std::unique_ptr<WriteFile> create(const std::string& path,
                                    const WriteFileOptions& options) const override {
    if (names_->is_folder(path)) throw Error(ErrorCode::io, "is a directory", path);
    // As on a disk, a file that is visible from the start replaces nothing.
    bool may_replace = options.may_replace && !options.is_visible;
    if (!may_replace && names_->find(path)) throw Error(ErrorCode::exists, "already exists", path);
    ContentPtr content = names_->make_content();
    if (!options.is_visible) {
      return std::make_unique<NewFile>(names_, path, content, may_replace, false);
    }
    if (!names_->put(path, content, false)) {
      throw Error(ErrorCode::exists, "already exists", path);
    }
    return std::make_unique<NewFile>(names_, path, content, false, true,
                                     lock(path, LockKind::exclusive, {}));
  }

  void remove(const std::string& path) const override { names_->remove(without_slash(path)); }
  void make_folder(const std::string& path) const override {
    names_->make_folder(without_slash(path));
  }
  bool can_rename() const override { return true; }
  bool rename(const std::string& from, const std::string& to, bool may_replace) const override {
    return names_->rename(from, to, may_replace);
  }

  std::unique_ptr<FileLock> lock(const std::string& uri, LockKind kind,
                                 const OnWarning& /*on_warning*/) const override {
    std::string path = without_slash(uri);
    ContentPtr content = names_->find(path);
    if (!content && !names_->is_folder(path)) {
      throw Error(ErrorCode::not_found, "no such file", path);
    }
    if (!names_->try_lock(path, kind)) {
      throw Error(ErrorCode::busy, "is being written by another program; wait until it is done",
                  path);
    }
    return std::make_unique<Lock>(names_, path, content);
  }

  std::unique_ptr<WriteFile> append(const std::string& path, std::uint64_t end,
                                    std::unique_ptr<FileLock> lock,
                                    const WriteFileOptions& /*options*/) const override {
    ContentPtr old = names_->find(path);
    if (!old) throw Error(ErrorCode::not_found, "no such file", path);
    Buffer bytes;
    bytes.resize(static_cast<std::size_t>(end));
    if (old->read(0, bytes.span()) < end) {
      throw Error(ErrorCode::io, "the file was truncated by another program", path);
    }
    ContentPtr content = names_->make_content();
    ByteView view = bytes.view();
    content->append(std::span(&view, 1));
    return std::make_unique<NewFile>(names_, path, content, true, false, std::move(lock));
  }

  std::unique_ptr<Staging> stage(const std::string& path,
                                 const OnWarning& /*on_warning*/) const override {
    return std::make_unique<MemoryStaging>(names_, without_slash(path));
  }

 private:
  NamesPtr names_ = std::make_shared<Names>();
};

}  // namespace
}  // namespace memory

FileSystemPtr memory_file_system() {
  return std::make_shared<memory::MemoryFileSystem>();
}

}  // namespace kitbag
