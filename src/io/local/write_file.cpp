#include "io/local/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

#include "io/local/names.h"
#include "io/local/staged_file.h"
#include "io/output/background_sync.h"
#include "io/output/buffered_output.h"
#include "io/sticky.h"

// Four ways to write a file, and what each does when it is given up:
//
//   NewFile       a staged file (staged_file.h) that becomes the target at commit(); else removed
//   VisibleFile   the target itself from the start; stays as it is
//   AppendedFile  the target itself; else cut back to its size, and what was rewritten put back
//   DeviceFile    what is not a regular file: a pipe, a terminal, /dev/null; nothing to take back

namespace kitbag {
namespace {

namespace fs = std::filesystem;

class OutputFile : public WriteFile {
 public:
  OutputFile(std::unique_ptr<Output> output, std::string path)
      : path_(std::move(path)), output_(std::move(output)), syncing_(path_) {}

  std::uint64_t size() const override { return output_->size(); }
  void append(std::span<const ByteView> pieces) override {
    sticky_.run([&] { output_->append(pieces); });
  }
  void rewrite(std::uint64_t offset, ByteView bytes) override {
    sticky_.run([&] { output_->rewrite(offset, bytes); });
  }
  void flush() override {
    sticky_.run([&] { output_->flush(); });
  }
  void sync() override {
    sticky_.run([&] {
      syncing_.finish();
      output_->sync();
    });
  }
  void begin_sync() override {
    sticky_.run([&] {
      output_->flush();
      // After flush(): what is still in our buffer would not be part of the sync.
      syncing_.begin(output_->descriptor());
    });
  }

 protected:
  /// Before the file is closed or cut.
  void end_syncing() { syncing_.finish(); }

  std::string path_;
  std::unique_ptr<Output> output_;
  Sticky sticky_;
  BackgroundSync syncing_;  ///< last: it ends before its file is closed
};

class NewFile final : public OutputFile {
 public:
  NewFile(std::unique_ptr<Output> output, std::string path, std::unique_ptr<StagedFile> staged)
      : OutputFile(std::move(output), std::move(path)), staged_(std::move(staged)) {}

  void commit() override {
    sticky_.run([&] {
      end_syncing();
      output_->settle();
      output_->close();
      staged_->publish();
    });
  }

 private:
  std::unique_ptr<StagedFile> staged_;
};

class VisibleFile final : public OutputFile {
 public:
  VisibleFile(std::unique_ptr<Output> output, std::string path, fs::path target)
      : OutputFile(std::move(output), std::move(path)), target_(std::move(target)) {}
  ~VisibleFile() override {
    if (!committed_) keep();
  }

  void commit() override {
    sticky_.run([&] {
      committed_ = true;
      end_syncing();
      output_->settle();
      output_->close();
      sync_folder(target_, path_);
    });
  }

 private:
  // All that can still be saved of it. An error worth reporting was thrown before.
  void keep() noexcept {
    try {
      end_syncing();
      output_->settle();
      output_->close();
    } catch (const Error&) {
      output_->abandon();
    }
  }

  fs::path target_;
  NoLeave completed_;  ///< what is recorded is completed
  bool committed_ = false;
};

class DeviceFile final : public OutputFile {
 public:
  using OutputFile::OutputFile;

  void rewrite(std::uint64_t, ByteView) override {
    sticky_.run([&] {
      throw Error(ErrorCode::unsupported,
                  "this format needs random access to write; write to a regular file", path_);
    });
  }
  std::uint64_t rewritable_bytes() const override { return 0; }
  void sync() override { flush(); }  // there is no disk behind it
  void begin_sync() override { flush(); }
  void commit() override {
    sticky_.run([&] { output_->close(); });
  }
};

class AppendedFile final : public OutputFile {
 public:
  AppendedFile(std::unique_ptr<Output> output, std::string path)
      : OutputFile(std::move(output), std::move(path)),
        original_size_(output_->size()),
        identity_(identity_of(output_->descriptor(), path_)) {}

  ~AppendedFile() override {
    std::lock_guard lock(mutex_);
    if (!committed_) restore();
  }

  void append(std::span<const ByteView> pieces) override {
    std::lock_guard lock(mutex_);
    OutputFile::append(pieces);
  }
  void rewrite(std::uint64_t offset, ByteView bytes) override {
    std::lock_guard lock(mutex_);
    sticky_.run([&] {
      if (offset < original_size_) remember(offset, bytes.size());
      output_->rewrite(offset, bytes);
    });
  }
  void flush() override {
    std::lock_guard lock(mutex_);
    OutputFile::flush();
  }
  void sync() override {
    std::lock_guard lock(mutex_);
    OutputFile::sync();
  }
  void begin_sync() override {
    std::lock_guard lock(mutex_);
    OutputFile::begin_sync();
  }
  void commit() override {
    completing_.emplace();  // before the lock, for which the thread of leave() may wait
    std::lock_guard lock(mutex_);
    sticky_.run([&] {
      end_syncing();
      output_->settle();
      require_in_place();
      committed_ = true;
      output_->close();
    });
  }

 private:
  struct Original {
    std::uint64_t offset;
    std::vector<std::byte> bytes;
  };

  void remember(std::uint64_t offset, std::size_t count);
  void require_in_place() const;
  void restore() noexcept;

  std::uint64_t original_size_;
  FileIdentity identity_;
  std::vector<Original> originals_;
  bool committed_ = false;
  std::mutex mutex_;  ///< against the thread of leave(), which never gives it back
  OnLeave taken_back_{[this] {
    mutex_.lock();
    if (!committed_) restore();
  }};                                  ///< behind what it uses, so that it ends before it
  std::optional<NoLeave> completing_;  ///< what was begun to be completed is not called undone
};

void AppendedFile::remember(std::uint64_t offset, std::size_t count) {
  // What is rewritten may point at what was appended, which must not be missing after a power cut.
  output_->settle();
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, original_size_ - offset));
  Original original{offset, std::vector<std::byte>(count)};
  std::size_t found = read_at(output_->descriptor(), offset, original.bytes, path_);
  if (found < count) {
    throw Error(ErrorCode::io, "another program truncated the file", path_, offset + found);
  }
  originals_.push_back(std::move(original));
}

// Programs that know nothing of locks may have put another file in its place.
void AppendedFile::require_in_place() const {
  FileIdentity now = identity_at(path_);
  if (now == identity_ || now == FileIdentity()) return;
  throw Error(ErrorCode::busy, "another program replaced the file during the append", path_);
}

// Newest first: bytes rewritten twice get back what they were at first. A destructor has nobody to
// report a failure to; one worth reporting was thrown before.
void AppendedFile::restore() noexcept {
  // Before abandon(), which gives up what is still to be written: nothing may come behind the cut.
  bool is_untouched = output_->size() == original_size_ && originals_.empty();
  output_->abandon();
  if (is_untouched) return;
  int file = output_->descriptor();
  for (auto it = originals_.rbegin(); it != originals_.rend(); ++it) {
    write_at(file, it->offset, it->bytes);
  }
  if (::ftruncate(file, static_cast<off_t>(original_size_)) != 0) return;
}

std::unique_ptr<WriteFile> open_device(const std::string& path) {
  Descriptor file = open_descriptor(path, O_WRONLY | O_NOCTTY);
  if (!file) throw system_error("write", errno, path);
  return std::make_unique<DeviceFile>(std::make_unique<BufferedOutput>(std::move(file), path, 0),
                                      path);
}

std::unique_ptr<WriteFile> open_standard_output(const std::string& path) {
  Descriptor file(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
  if (!file) throw system_error("write standard output", errno, path);
  return std::make_unique<DeviceFile>(std::make_unique<BufferedOutput>(std::move(file), path, 0),
                                      path);
}

std::unique_ptr<WriteFile> create_visible(const std::string& path, const OutputOptions& options) {
  auto output = make_output(create_visible_file(path, options.on_warning), path, 0, options);
  return std::make_unique<VisibleFile>(std::move(output), path, follow_links(path));
}

std::uint64_t file_size(int file, const std::string& path) {
  struct stat status;
  if (::fstat(file, &status) != 0) throw system_error("read the file's status", errno, path);
  return static_cast<std::uint64_t>(status.st_size);
}

void cut_unfinished(int file, const std::string& path, std::uint64_t end, std::uint64_t bytes,
                    const OnWarning& on_warning) {
  if (::ftruncate(file, static_cast<off_t>(end)) != 0) {
    throw system_error("remove an incomplete append", errno, path, end);
  }
  if (!on_warning) return;
  on_warning(Error(ErrorCode::io, fmt::format("removed an incomplete append of {} bytes", bytes),
                   path, end));
}

}  // namespace

std::unique_ptr<WriteFile> create_file(const std::string& path, const OutputOptions& options) {
  if (path == "-") return open_standard_output(path);
  struct stat old;
  bool replaces = ::stat(path.c_str(), &old) == 0;
  if (!replaces && errno != ENOENT) throw system_error("write", errno, path);
  if (replaces && S_ISDIR(old.st_mode)) throw Error(ErrorCode::io, "is a directory", path);
  if (replaces && !S_ISREG(old.st_mode)) return open_device(path);
  if (options.is_visible) return create_visible(path, options);
  auto staged = std::make_unique<StagedFile>(path, options.may_replace, options.on_warning);
  auto output = make_output(staged->copy_descriptor(), path, 0, options);
  return std::make_unique<NewFile>(std::move(output), path, std::move(staged));
}

std::unique_ptr<WriteFile> append_file(const std::string& path, const OutputOptions& options) {
  WriteLock lock = lock_to_append(path, options.on_warning);
  std::uint64_t size = file_size(lock.descriptor(), path);
  return append_file(std::move(lock), path, size, options);
}

WriteLock lock_to_append(const std::string& path, const OnWarning& on_warning) {
  std::error_code ignored;
  auto status = fs::status(path, ignored);
  if (status.type() == fs::file_type::not_found) {
    throw Error(ErrorCode::not_found, "no such file", path);
  }
  if (fs::is_directory(status)) throw Error(ErrorCode::io, "is a directory", path);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(ErrorCode::io, "is not a regular file", path);
  }
  return WriteLock::of_file(path, LockKind::exclusive, on_warning);
}

std::unique_ptr<WriteFile> append_file(WriteLock lock, const std::string& path, std::uint64_t end,
                                       const OutputOptions& options) {
  std::uint64_t size = file_size(lock.descriptor(), path);
  if (end > size) throw Error(ErrorCode::io, "another program truncated the file", path, size);
  // Behind the end that the format has found is an append that was not completed.
  if (end < size) cut_unfinished(lock.descriptor(), path, end, size - end, options.on_warning);
  Descriptor file = lock.take_descriptor();
  // BufferedOutput writes where the descriptor stands.
  if (::lseek(file.get(), static_cast<off_t>(end), SEEK_SET) < 0) {
    throw system_error("append to the file", errno, path);
  }
  return std::make_unique<AppendedFile>(make_output(std::move(file), path, end, options), path);
}

Descriptor create_visible_file(const std::string& path, const OnWarning& on_warning) {
  fs::path target = follow_links(path);
  Descriptor file = open_descriptor(target.string(), O_RDWR | O_CREAT | O_EXCL, 0666);
  if (!file && errno == EEXIST) {
    throw Error(ErrorCode::exists, "already exists", path);
  }
  if (!file) throw create_error("create the file", errno, target, path);
  if (!lock_opened(file.get(), LockKind::exclusive, path, on_warning)) throw busy_error(path);
  return file;
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first;
  struct stat second;
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace kitbag
