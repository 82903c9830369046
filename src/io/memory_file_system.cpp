#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "base/buffer.h"
#include "base/path.h"
#include "io/sticky.h"
#include "kitbag/file_system.h"

// Files are kept by their whole URI. A folder is the beginning of the names of its files, and is
// kept by itself only if it was created. A file that is replaced, removed or renamed lives on for
// those that have it open, as on a disk.

namespace kitbag {

namespace {

/// The bytes of a file. Readers of a file that is being written see it grow.
class Content {
 public:
  explicit Content(std::uint64_t number) : number_(number) {}

  std::uint64_t number() const { return number_; }
  std::uint64_t size() const {
    std::lock_guard lock(mutex_);
    return bytes_.size();
  }
  Time modified() const {
    std::lock_guard lock(mutex_);
    return modified_;
  }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const {
    std::lock_guard lock(mutex_);
    if (offset >= bytes_.size()) return 0;
    ByteView rest = bytes_.view().subspan(static_cast<std::size_t>(offset));
    rest = rest.first(std::min(rest.size(), into.size()));
    std::copy(rest.begin(), rest.end(), into.begin());
    return rest.size();
  }
  void append(std::span<const ByteView> pieces) {
    std::lock_guard lock(mutex_);
    for (ByteView piece : pieces) bytes_.append(piece);
    touch();
  }
  void rewrite(std::uint64_t offset, ByteView bytes) {
    std::lock_guard lock(mutex_);
    std::copy(bytes.begin(), bytes.end(), bytes_.data() + offset);
    touch();
  }
  std::string identity() const {
    std::lock_guard lock(mutex_);
    return "memory:" + std::to_string(number_) + ":" + std::to_string(version_);
  }

 private:
  void touch() {
    modified_ = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    ++version_;
  }

  const std::uint64_t number_;
  mutable std::mutex mutex_;
  Buffer bytes_;
  Time modified_{};
  std::uint64_t version_ = 0;
};

using ContentPtr = std::shared_ptr<Content>;

class OpenFile final : public ReadFile {
 public:
  explicit OpenFile(ContentPtr content) : content_(std::move(content)) {}

  std::uint64_t size() const override { return content_->size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    return content_->read(offset, into);
  }
  std::string identity() const override { return content_->identity(); }

 private:
  ContentPtr content_;
};

/// The names and who has locked them. Any thread.
class Names {
 public:
  ContentPtr make_content() { return std::make_shared<Content>(++last_number_); }

  ContentPtr find(const std::string& path) const {
    std::lock_guard lock(mutex_);
    auto known = files_.find(path);
    return known == files_.end() ? nullptr : known->second;
  }
  bool is_folder(const std::string& path) const {
    std::lock_guard lock(mutex_);
    return is_folder_now(path);
  }
  void make_folder(const std::string& path) {
    std::lock_guard lock(mutex_);
    folders_.insert(path);
  }
  std::vector<std::string> list(const std::string& folder) const {
    std::lock_guard lock(mutex_);
    std::string prefix = folder.ends_with('/') ? folder : folder + "/";
    std::set<std::string> names;
    auto take = [&](const std::string& path) {
      if (path.size() <= prefix.size() || !path.starts_with(prefix)) return;
      std::string rest = path.substr(prefix.size());
      names.insert(rest.substr(0, rest.find('/')));
    };
    for (const auto& [path, content] : files_) take(path);
    for (const std::string& path : folders_) take(path);
    return {names.begin(), names.end()};
  }
  /// False: something is there and may not be replaced.
  bool put(const std::string& path, ContentPtr content, bool may_replace) {
    std::lock_guard lock(mutex_);
    if (is_folder_now(path) || (!may_replace && files_.contains(path))) return false;
    files_[path] = std::move(content);
    return true;
  }
  void remove(const std::string& path) {
    std::lock_guard lock(mutex_);
    if (files_.erase(path) == 0) folders_.erase(path);
  }
  bool rename(const std::string& from, const std::string& to, bool may_replace) {
    std::lock_guard lock(mutex_);
    auto file = files_.find(from);
    if (file == files_.end()) throw Error(ErrorCode::not_found, "no such file", from);
    if (is_folder_now(to) || (!may_replace && files_.contains(to))) return false;
    ContentPtr content = std::move(file->second);
    files_.erase(file);
    files_[to] = std::move(content);
    return true;
  }

  /// How a set of files becomes visible: all in one step.
  struct Move {
    std::string from;
    std::string to;
    bool may_replace;
    bool is_folder;
    ContentPtr replaced;  ///< the only file that may be replaced; null: any
  };
  void move_all(const std::vector<Move>& moves) {
    std::lock_guard lock(mutex_);
    for (const Move& move : moves) require_movable(move);
    for (const Move& move : moves) {
      if (!move.is_folder) {
        files_[move.to] = std::exchange(files_[move.from], nullptr);
        files_.erase(move.from);
        continue;
      }
      move_folder(move.from, move.to);
    }
  }
  void remove_below(const std::string& folder) {
    std::lock_guard lock(mutex_);
    std::string prefix = folder + "/";
    std::erase_if(files_, [&](const auto& file) { return file.first.starts_with(prefix); });
    std::erase_if(folders_, [&](const std::string& path) {
      return path == folder || path.starts_with(prefix);
    });
  }

  /// False: another writer has it.
  bool try_lock(const std::string& path, LockKind kind) {
    std::lock_guard lock(mutex_);
    int& holders = holders_[path];  // -1: one alone
    if (holders < 0 || (holders > 0 && kind == LockKind::exclusive)) return false;
    holders = kind == LockKind::exclusive ? -1 : holders + 1;
    return true;
  }
  void unlock(const std::string& path) {
    std::lock_guard lock(mutex_);
    auto holders = holders_.find(path);
    holders->second = holders->second < 0 ? 0 : holders->second - 1;
    if (holders->second == 0) holders_.erase(holders);
  }

  std::uint64_t next_number() { return ++last_number_; }

 private:
  bool has_below(const std::string& folder) const {
    std::string prefix = folder + "/";
    auto next = files_.upper_bound(prefix);
    return next != files_.end() && next->first.starts_with(prefix);
  }
  bool is_folder_now(const std::string& path) const {
    return folders_.contains(path) || path.ends_with("://") || has_below(path);
  }
  void require_movable(const Move& move) const {
    auto there = files_.find(move.to);
    bool is_there = there != files_.end() || has_below(move.to);
    if (!is_there) return;
    if (move.is_folder) {
      throw Error(ErrorCode::invalid, "already exists; a directory is not replaced", move.to);
    }
    if (!move.may_replace) throw Error(ErrorCode::exists, "already exists", move.to);
    if (move.replaced && there->second != move.replaced) {
      throw Error(ErrorCode::busy, "was replaced by another program in the meantime", move.to);
    }
  }
  void move_folder(const std::string& from, const std::string& to) {
    std::string prefix = from + "/";
    for (auto it = files_.lower_bound(prefix); it != files_.end() && it->first.starts_with(prefix);
         it = files_.erase(it)) {
      files_[to + "/" + it->first.substr(prefix.size())] = std::move(it->second);
    }
    folders_.erase(from);
    folders_.insert(to);
  }

  mutable std::mutex mutex_;
  std::map<std::string, ContentPtr> files_;
  std::set<std::string> folders_;
  std::map<std::string, int> holders_;
  std::atomic<std::uint64_t> last_number_ = 0;
};

using NamesPtr = std::shared_ptr<Names>;

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

FileSystemPtr memory_file_system() {
  return std::make_shared<MemoryFileSystem>();
}

}  // namespace kitbag
