#include "io/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <vector>

#include "io/buffered_output.h"

// Three ways to write a file, and what each makes of "as it was" when it is given up:
//
//   NewFile       a hidden file beside the target, renamed over it at commit(); else removed
//   AppendedFile  the target itself; else cut back to its size, and what was rewritten put back
//   DeviceFile    what is not a regular file: a pipe, a terminal, /dev/null; nothing to take back
//
// The hidden file has a name of its own instead of O_TMPFILE, which could not replace a target in
// one step: linkat(2) refuses a name that exists.

namespace kitbag {
namespace {

namespace fs = std::filesystem;

// The folder of `path`, by a name that can be opened.
std::string folder_of(const fs::path& path) {
  auto folder = path.parent_path();
  return folder.empty() ? "." : folder.string();
}

// Where `path` leads through symbolic links, even when nothing is there yet.
fs::path follow_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel
  fs::path target = path;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(target, error))) return target;
    fs::path next = fs::read_symlink(target, error);
    if (error) throw system_error("follow the link", error.value(), path);
    target = target.parent_path() / next;
  }
  throw system_error("follow the link", ELOOP, path);
}

// ".run.bag.0f3a92c1.part" beside "run.bag"; names at their limit are shortened.
std::string hidden_name(const fs::path& target, std::random_device& random) {
  constexpr std::size_t kMostOfName = 200;
  std::string name = target.filename().string().substr(0, kMostOfName);
  return (target.parent_path() / fmt::format(".{}.{:08x}.part", name, random())).string();
}

Descriptor create_hidden(const fs::path& target, const std::string& path, std::string& hidden) {
  constexpr int kTries = 100;
  std::random_device random;
  for (int i = 0; i < kTries; ++i) {
    hidden = hidden_name(target, random);
    Descriptor file = open_descriptor(hidden, O_RDWR | O_CREAT | O_EXCL, 0666);
    if (file) return file;
    if (errno != EEXIST) break;
  }
  int number = errno;
  if (number == ENOENT) {
    throw Error(ErrorCode::not_found,
                fmt::format("there is no folder {} to write it in", folder_of(target)), path);
  }
  throw system_error(fmt::format("create a file in {}", folder_of(target)), number, path);
}

void sync_folder(const fs::path& target, const std::string& path) {
  Descriptor folder = open_descriptor(folder_of(target), O_RDONLY | O_DIRECTORY);
  // A folder that may be written but not read cannot be synced; nor can those of some file systems.
  if (!folder || ::fsync(folder.get()) == 0 || errno == EINVAL) return;
  throw system_error("write the folder to the disk", errno, path);
}

class BufferedFile : public WriteFile {
 public:
  explicit BufferedFile(BufferedOutput output) : output_(std::move(output)) {}

  std::uint64_t size() const override { return output_.size(); }
  void append(std::span<const ByteView> pieces) override {
    sticky_.run([&] { output_.append(pieces); });
  }
  void rewrite(std::uint64_t offset, ByteView bytes) override {
    sticky_.run([&] { output_.rewrite(offset, bytes); });
  }
  void flush() override {
    sticky_.run([&] { output_.flush(); });
  }
  void sync() override {
    sticky_.run([&] { output_.sync(); });
  }

 protected:
  BufferedOutput output_;
  Sticky sticky_;
};

class NewFile final : public BufferedFile {
 public:
  NewFile(BufferedOutput output, fs::path target, std::string hidden)
      : BufferedFile(std::move(output)), target_(std::move(target)), hidden_(std::move(hidden)) {}

  ~NewFile() override {
    if (!hidden_.empty()) ::unlink(hidden_.c_str());
  }

  void commit() override {
    sticky_.run([&] {
      output_.sync(true);
      output_.close();
      if (::rename(hidden_.c_str(), target_.c_str()) != 0) {
        throw system_error("give the finished file its name", errno, output_.path());
      }
      hidden_.clear();
      sync_folder(target_, output_.path());
    });
  }

 private:
  fs::path target_;
  std::string hidden_;  ///< empty: it has become the target
};

class DeviceFile final : public BufferedFile {
 public:
  using BufferedFile::BufferedFile;

  void rewrite(std::uint64_t, ByteView) override {
    sticky_.run([&] {
      throw Error(ErrorCode::unsupported,
                  "cannot go back in it to complete what was written: this format needs a file",
                  output_.path());
    });
  }
  void sync() override { flush(); }  // there is no disk behind it
  void commit() override {
    sticky_.run([&] { output_.close(); });
  }
};

class AppendedFile final : public BufferedFile {
 public:
  AppendedFile(BufferedOutput output, std::uint64_t size)
      : BufferedFile(std::move(output)), original_size_(size) {}

  ~AppendedFile() override {
    if (!committed_) restore();
  }

  void rewrite(std::uint64_t offset, ByteView bytes) override {
    sticky_.run([&] {
      if (offset < original_size_) remember(offset, bytes.size());
      output_.rewrite(offset, bytes);
    });
  }
  void commit() override {
    sticky_.run([&] {
      output_.sync();
      committed_ = true;
      output_.close();
    });
  }

 private:
  struct Original {
    std::uint64_t offset;
    std::vector<std::byte> bytes;
  };

  void remember(std::uint64_t offset, std::size_t count);
  void restore() noexcept;

  std::uint64_t original_size_;
  std::vector<Original> originals_;
  bool committed_ = false;
};

void AppendedFile::remember(std::uint64_t offset, std::size_t count) {
  // What is rewritten may point at what was appended, which must not be missing after a power cut.
  output_.sync();
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, original_size_ - offset));
  Original original{offset, std::vector<std::byte>(count)};
  std::size_t done = 0;
  while (done < count) {
    ssize_t got = ::pread(output_.descriptor(), original.bytes.data() + done, count - done,
                          static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("read", errno, output_.path(), offset + done);
    if (got == 0) {
      throw Error(ErrorCode::io, "somebody else has cut the file", output_.path(), offset + done);
    }
    done += static_cast<std::size_t>(got);
  }
  originals_.push_back(std::move(original));
}

// Newest first: bytes rewritten twice get back what they were at first. A destructor has nobody to
// tell of a failure; one that was worth telling has been thrown before.
void AppendedFile::restore() noexcept {
  for (auto it = originals_.rbegin(); it != originals_.rend(); ++it) {
    ByteView bytes = it->bytes;
    auto at = static_cast<off_t>(it->offset);
    while (!bytes.empty()) {
      ssize_t count = ::pwrite(output_.descriptor(), bytes.data(), bytes.size(), at);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      bytes = bytes.subspan(static_cast<std::size_t>(count));
      at += count;
    }
  }
  if (::ftruncate(output_.descriptor(), static_cast<off_t>(original_size_)) != 0) return;
}

// The new file looks like the one that it replaces, as far as the system lets us: only root gives
// files away, and some file systems have neither owners nor modes.
void take_after(int file, const struct stat& replaced, const std::string& path) {
  if (::fchown(file, replaced.st_uid, replaced.st_gid) != 0 && errno != EPERM) {
    throw system_error("set the owner", errno, path);
  }
  if (::fchmod(file, replaced.st_mode & 0777U) != 0 && errno != EPERM) {
    throw system_error("set the mode", errno, path);
  }
}

std::unique_ptr<WriteFile> open_device(const std::string& path) {
  Descriptor file = open_descriptor(path, O_WRONLY | O_NOCTTY);
  if (!file) throw system_error("write", errno, path);
  return std::make_unique<DeviceFile>(BufferedOutput(std::move(file), path, 0));
}

}  // namespace

std::unique_ptr<WriteFile> create_file(const std::string& path) {
  struct stat old;
  bool replaces = ::stat(path.c_str(), &old) == 0;
  if (!replaces && errno != ENOENT) throw system_error("write", errno, path);
  if (replaces && S_ISDIR(old.st_mode)) throw Error(ErrorCode::io, "is a directory", path);
  if (replaces && !S_ISREG(old.st_mode)) return open_device(path);
  // rename(2) would replace even a file that its owner has made read-only.
  if (replaces && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    throw system_error("replace the file", errno, path);
  }
  fs::path target = follow_links(path);
  std::string hidden;
  Descriptor file = create_hidden(target, path, hidden);
  int number = file.get();
  auto created = std::make_unique<NewFile>(BufferedOutput(std::move(file), path, 0),
                                           std::move(target), std::move(hidden));
  if (replaces) take_after(number, old, path);
  return created;
}

std::unique_ptr<WriteFile> append_file(const std::string& path) {
  Descriptor file = open_descriptor(path, O_RDWR | O_NONBLOCK);
  if (!file && errno == ENOENT) throw Error(ErrorCode::not_found, "no such file", path);
  if (!file && errno == EISDIR) throw Error(ErrorCode::io, "is a directory", path);
  if (!file) throw system_error("append to it", errno, path);
  struct stat status;
  if (::fstat(file.get(), &status) != 0) throw system_error("look at the file", errno, path);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::io, "is not a regular file", path);
  if (::lseek(file.get(), 0, SEEK_END) != status.st_size) {
    throw Error(ErrorCode::io, "somebody else is writing to it", path);
  }
  auto size = static_cast<std::uint64_t>(status.st_size);
  return std::make_unique<AppendedFile>(BufferedOutput(std::move(file), path, size), size);
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first;
  struct stat second;
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace kitbag
