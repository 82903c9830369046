#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/file_system.h"

// File systems that tests put in the place of disks: one like an object store, and one whose calls
// fail. Both keep their files in memory.

namespace kitbag::testing {

/// Like an object store: a file appears when it is complete, and only its first block may be
/// rewritten; nothing is appended to, renamed, staged or locked. Counts what is read.
class FarFiles final : public FileSystem {
 public:
  static constexpr std::uint64_t kFirstBlock = 8192;

  std::string_view scheme() const override { return "far"; }
  std::optional<FileStatus> status(const std::string& path) const override {
    return files_->status(near(path));
  }
  std::vector<std::string> list(const std::string& folder) const override {
    return files_->list(near(folder));
  }
  std::shared_ptr<const ReadFile> open(const std::string& path) const override {
    return std::make_shared<CountedFile>(files_->open(near(path)), reads_);
  }
  std::unique_ptr<WriteFile> create(const std::string& path,
                                    const WriteFileOptions& options) const override {
    WriteFileOptions hidden = options;
    hidden.is_visible = false;
    return std::make_unique<Upload>(files_->create(near(path), hidden));
  }
  void remove(const std::string& path) const override { files_->remove(near(path)); }

  /// Calls of ReadFile::read().
  std::uint64_t reads() const { return *reads_; }

 private:
  class CountedFile final : public ReadFile {
   public:
    CountedFile(std::shared_ptr<const ReadFile> file,
                std::shared_ptr<std::atomic<std::uint64_t>> reads)
        : file_(std::move(file)), reads_(std::move(reads)) {}
    std::uint64_t size() const override { return file_->size(); }
    std::string identity() const override { return file_->identity(); }
    std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
      ++*reads_;
      return file_->read(offset, into);
    }

   private:
    std::shared_ptr<const ReadFile> file_;
    std::shared_ptr<std::atomic<std::uint64_t>> reads_;
  };

  class Upload final : public WriteFile {
   public:
    explicit Upload(std::unique_ptr<WriteFile> file) : file_(std::move(file)) {}
    std::uint64_t size() const override { return file_->size(); }
    void append(std::span<const ByteView> pieces) override { file_->append(pieces); }
    void rewrite(std::uint64_t offset, ByteView bytes) override {
      if (offset + bytes.size() > kFirstBlock) {
        throw Error(ErrorCode::unsupported, "that block has been sent");
      }
      file_->rewrite(offset, bytes);
    }
    std::uint64_t rewritable_bytes() const override { return kFirstBlock; }
    void flush() override {}
    void sync() override {}
    void commit() override { file_->commit(); }

   private:
    std::unique_ptr<WriteFile> file_;
  };

  static std::string near(const std::string& path) { return "memory" + path.substr(3); }

  FileSystemPtr files_ = memory_file_system();
  std::shared_ptr<std::atomic<std::uint64_t>> reads_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
};

/// Fails with Error (io) at one call, as a disk does; all calls before and after it succeed.
class FailingFiles final : public FileSystem {
 public:
  /// The call that fails, counted from 1 from now on; 0: none.
  void fail_at(std::uint64_t call) {
    state_->calls = 0;
    state_->failing = call;
  }
  std::uint64_t calls() const { return state_->calls; }

  std::string_view scheme() const override { return "failing"; }
  std::optional<FileStatus> status(const std::string& path) const override {
    state_->count(path);
    return files_->status(near(path));
  }
  std::vector<std::string> list(const std::string& folder) const override {
    state_->count(folder);
    return files_->list(near(folder));
  }
  std::shared_ptr<const ReadFile> open(const std::string& path) const override {
    state_->count(path);
    return std::make_shared<Reader>(files_->open(near(path)), path, state_);
  }
  std::unique_ptr<WriteFile> create(const std::string& path,
                                    const WriteFileOptions& options) const override {
    state_->count(path);
    return std::make_unique<Written>(files_->create(near(path), options), path, state_);
  }
  void remove(const std::string& path) const override {
    state_->count(path);
    files_->remove(near(path));
  }
  void make_folder(const std::string& path) const override {
    state_->count(path);
    files_->make_folder(near(path));
  }
  bool can_rename() const override { return true; }
  bool rename(const std::string& from, const std::string& to, bool may_replace) const override {
    state_->count(from);
    return files_->rename(near(from), near(to), may_replace);
  }

  /// Every file, by its path from "failing://" on.
  std::vector<std::string> all() const { return all_below("memory://"); }

 private:
  struct State {
    void count(const std::string& path) {
      if (++calls == failing) throw Error(ErrorCode::io, "injected", path);
    }
    std::atomic<std::uint64_t> calls = 0;
    std::atomic<std::uint64_t> failing = 0;
  };
  using StatePtr = std::shared_ptr<State>;

  class Reader final : public ReadFile {
   public:
    Reader(std::shared_ptr<const ReadFile> file, std::string path, StatePtr state)
        : file_(std::move(file)), path_(std::move(path)), state_(std::move(state)) {}
    std::uint64_t size() const override {
      state_->count(path_);
      return file_->size();
    }
    std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
      state_->count(path_);
      return file_->read(offset, into);
    }

   private:
    std::shared_ptr<const ReadFile> file_;
    std::string path_;
    StatePtr state_;
  };

  class Written final : public WriteFile {
   public:
    Written(std::unique_ptr<WriteFile> file, std::string path, StatePtr state)
        : file_(std::move(file)), path_(std::move(path)), state_(std::move(state)) {}
    std::uint64_t size() const override { return file_->size(); }
    void append(std::span<const ByteView> pieces) override {
      state_->count(path_);
      file_->append(pieces);
    }
    void rewrite(std::uint64_t offset, ByteView bytes) override {
      state_->count(path_);
      file_->rewrite(offset, bytes);
    }
    void flush() override { state_->count(path_); }
    void sync() override { state_->count(path_); }
    void commit() override {
      state_->count(path_);
      file_->commit();
    }

   private:
    std::unique_ptr<WriteFile> file_;
    std::string path_;
    StatePtr state_;
  };

  static std::string near(const std::string& path) { return "memory" + path.substr(7); }
  std::vector<std::string> all_below(const std::string& folder) const {
    std::vector<std::string> found;
    for (const std::string& name : files_->list(folder)) {
      std::string path = folder + (folder.ends_with('/') ? "" : "/") + name;
      auto status = files_->status(path);
      if (status && status->is_regular) found.push_back("failing" + path.substr(6));
      if (!status || !status->is_folder) continue;
      for (std::string& below : all_below(path)) found.push_back(std::move(below));
    }
    return found;
  }

  FileSystemPtr files_ = memory_file_system();
  StatePtr state_ = std::make_shared<State>();
};

}  // namespace kitbag::testing
