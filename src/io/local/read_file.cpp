#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "io/local/pipe_file.h"
#include "io/posix.h"
#include "kitbag/error.h"
#include "kitbag/file.h"

// Hints to read ahead help with a disk and cost time with a file that is in memory, and nobody says
// which of both it is. The reads find out: a large read first takes what is there without waiting
// (RWF_NOWAIT). If that is less than was asked for, the disk is in use, and the next 256 hints are
// passed to the system. If no read has to wait, no hints are given.
//
// Reads are pread(2), so any number of threads share the descriptor without a lock or a position.
// The size is asked for each time, because the file may be growing.

namespace kitbag {
namespace {

class DiskFile final : public ReadFile {
 public:
  DiskFile(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  std::uint64_t size() const override {
    struct stat status;
    if (::fstat(file_.get(), &status) != 0) {
      throw system_error("read the file's status", errno, path_);
    }
    return static_cast<std::uint64_t>(status.st_size);
  }

  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    constexpr std::uint64_t kFarthest = INT64_MAX;  // no file reaches beyond, and pread() refuses
    if (offset >= kFarthest) return 0;
    into = into.first(std::min<std::uint64_t>(into.size(), kFarthest - offset));
    if (into.size() < kWorthAHint) return read_at(file_.get(), offset, into, path_);
    std::size_t done = read_at_once(file_.get(), offset, into);
    if (done == into.size()) return done;
    hints_.store(kHints, std::memory_order_relaxed);
    return done + read_at(file_.get(), offset + done, into.subspan(done), path_);
  }

  /// A file that was written just now may be written again within the resolution of its time.
  std::string identity() const override {
    struct stat status;
    struct timespec now;
    if (::fstat(file_.get(), &status) != 0 || ::clock_gettime(CLOCK_REALTIME, &now) != 0) return {};
    if (now.tv_sec - status.st_mtim.tv_sec < kSettledSeconds) return {};
    return fmt::format("{}:{} {} {}.{}", status.st_dev, status.st_ino, status.st_size,
                       status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  }

  void prefetch(std::uint64_t offset, std::uint64_t size) const override {
    if (hints_.load(std::memory_order_relaxed) <= 0) return;
    hints_.fetch_sub(1, std::memory_order_relaxed);
    for (std::uint64_t done = 0; done < std::min(size, kMostHinted); done += kHintBytes) {
      ::posix_fadvise(file_.get(), static_cast<off_t>(offset + done),
                      static_cast<off_t>(std::min(size - done, kHintBytes)), POSIX_FADV_WILLNEED);
    }
  }

 private:
  /// What is smaller the system reads ahead by itself.
  static constexpr std::size_t kWorthAHint = 64 << 10;
  /// A hint costs a fifth of reading what is in memory. So this many are given when a read had to
  /// wait for the disk, and none before the next read that has to.
  static constexpr int kHints = 256;
  /// Linux fetches no more for one hint than the disk takes in one request, or than it reads ahead,
  /// and says nothing of the rest. Both are 128 KiB at the least, unless somebody has set them.
  static constexpr std::uint64_t kHintBytes = 128 << 10;
  static constexpr std::uint64_t kMostHinted = 16 << 20;  // whatever a reader asks for
  static constexpr time_t kSettledSeconds = 3;

  Descriptor file_;
  std::string path_;
  mutable std::atomic<int> hints_ = 0;
};

std::shared_ptr<const ReadFile> open_standard_input() {
  Descriptor file(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0) {
    throw system_error("read standard input", errno, "-");
  }
  if (S_ISREG(status.st_mode)) return std::make_shared<DiskFile>(std::move(file), "-");
  return std::make_shared<PipeFile>(std::move(file), "-");
}

}  // namespace

std::shared_ptr<const ReadFile> open_file(const std::string& path) {
  if (path == "-") return open_standard_input();
  // O_NONBLOCK: opening a named pipe would wait for a writer before it could be refused.
  Descriptor file = open_descriptor(path, O_RDONLY | O_NONBLOCK);
  if (!file && errno == ENOENT) {
    std::error_code ignored;
    bool is_link = std::filesystem::is_symlink(path, ignored);
    throw Error(ErrorCode::not_found, is_link ? "the link leads nowhere" : "no such file", path);
  }
  if (!file) throw system_error("open the file", errno, path);
  struct stat status;
  if (::fstat(file.get(), &status) != 0) throw system_error("read the file's status", errno, path);
  if (S_ISDIR(status.st_mode)) throw Error(ErrorCode::io, "is a directory, not a file", path);
  if (!S_ISREG(status.st_mode)) {
    throw Error(
        ErrorCode::io,
        "is not a regular file; reading a bag needs random access, so save it to a file first",
        path);
  }
  return std::make_shared<DiskFile>(std::move(file), path);
}

}  // namespace kitbag
