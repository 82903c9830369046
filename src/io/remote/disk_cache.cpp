#include "io/remote/disk_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crc32.h"
#include "io/posix.h"

// A block is a file: a magic, the CRC-32 of all that follows, the length of its key, the key, and
// the bytes. Its name is a hash of the key, which is a file, its version and the number of the
// block. The key is compared, so two keys of one hash only take turns; the sum shows what was cut
// off, damaged or changed. There is no index that could differ from the folder.
//
// A file appears by rename(2), so no process sees a part of one. When it was used last is its time
// of modification. A thread stores blocks behind the readers' backs; it looks at the whole folder
// at the beginning and each time after kLookBytes, and deletes the oldest down to nine tenths.

namespace kitbag {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "kbblock1";
constexpr std::size_t kHeadBytes = 16;  // magic, sum, length of the key
constexpr std::size_t kMostWaitingBytes = 16 << 20;
constexpr std::uint64_t kLookBytes = 64 << 20;
constexpr std::size_t kNameDigits = 32;
constexpr std::string_view kExtension = ".block";
constexpr std::string_view kUnfinished = ".part";
constexpr std::chrono::hours kAbandoned{1};  // a file that nobody finishes any more

/// FNV-1a, from `state` on.
std::uint64_t hash_of(std::string_view text, std::uint64_t state) {
  for (char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return state ^ (state >> 29);
}

std::string key_of(const std::string& file, std::uint64_t number) {
  return fmt::format("{} {}", file, number);
}

bool is_ours(const fs::path& path) {
  std::string name = path.filename().string();
  bool is_named = name.find_first_not_of("0123456789abcdef") == kNameDigits;
  return is_named && (name.ends_with(kExtension) || name.ends_with(kUnfinished));
}

void put_number(std::uint32_t number, std::byte* into) {
  for (int i = 0; i < 4; ++i) into[i] = static_cast<std::byte>(number >> (8 * i));
}

std::uint32_t number_at(const std::byte* from) {
  std::uint32_t number = 0;
  for (int i = 0; i < 4; ++i) number |= std::to_integer<std::uint32_t>(from[i]) << (8 * i);
  return number;
}

/// Returns false, with errno, for a failure.
bool read_all(int descriptor, std::span<std::byte> into) {
  while (!into.empty()) {
    ssize_t count = ::read(descriptor, into.data(), into.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

DiskCache::DiskCache(const RemoteOptions& options)
    : folder_(options.cache_folder),
      most_bytes_(options.cache_folder_bytes),
      on_warning_(options.on_warning) {
  thread_ = std::thread([this] { write_when_asked(); });
}

DiskCache::~DiskCache() {
  {
    std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::string DiskCache::path_of(const std::string& file, std::uint64_t number) const {
  std::string key = key_of(file, number);
  return fmt::format("{}/{:016x}{:016x}{}", folder_, hash_of(key, 0xcbf29ce484222325),
                     hash_of(key, 0x9e3779b97f4a7c15), kExtension);
}

bool DiskCache::find(const std::string& file, std::uint64_t number, std::span<std::byte> into) {
  std::string path = path_of(file, number);
  Descriptor opened = open_descriptor(path, O_RDONLY | O_NOFOLLOW);
  if (!opened) return false;
  std::string key = key_of(file, number);
  struct stat status {};
  bool is_whole =
      ::fstat(opened.get(), &status) == 0 && S_ISREG(status.st_mode) &&
      static_cast<std::uint64_t>(status.st_size) == kHeadBytes + key.size() + into.size();
  if (!is_whole) return false;
  std::vector<std::byte> head(kHeadBytes + key.size());
  if (!read_all(opened.get(), head) || !read_all(opened.get(), into)) return false;
  std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  bool is_it = text.starts_with(kMagic) && text.substr(kHeadBytes) == key &&
               number_at(head.data() + 12) == key.size() &&
               number_at(head.data() + 8) == crc32(into, crc32(ByteView(head).subspan(12)));
  if (is_it) ::futimens(opened.get(), nullptr);  // it was used now
  return is_it;
}

void DiskCache::store(const std::string& file, std::uint64_t number, BlockPtr block) {
  std::unique_lock lock(mutex_);
  // If the disk is slower than the network, the network waits: blocks that are to be written cannot
  // be dropped from memory.
  changed_.wait(lock, [&] { return waiting_bytes_ < kMostWaitingBytes || is_ending_; });
  waiting_bytes_ += block->size_bytes;
  waiting_.push_back({file, number, std::move(block)});
  changed_.notify_all();
}

void DiskCache::write_when_asked() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !waiting_.empty() || is_ending_; });
    if (waiting_.empty()) return;
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    write(next);
    lock.lock();
    waiting_bytes_ -= next.block->size_bytes;
    changed_.notify_all();
  }
}

void DiskCache::write(const Waiting& waiting) {
  std::string key = key_of(waiting.file, waiting.number);
  ByteView bytes = waiting.block->bytes->view();
  std::uint64_t size_bytes = kHeadBytes + key.size() + bytes.size();
  if (size_bytes > most_bytes_) return;
  make_room(size_bytes);
  std::vector<std::byte> head(kHeadBytes + key.size());
  std::memcpy(head.data(), kMagic.data(), kMagic.size());
  put_number(static_cast<std::uint32_t>(key.size()), head.data() + 12);
  std::memcpy(head.data() + kHeadBytes, key.data(), key.size());
  put_number(crc32(bytes, crc32(ByteView(head).subspan(12))), head.data() + 8);

  std::string path = path_of(waiting.file, waiting.number);
  static std::atomic<std::uint64_t> count = 0;  // other caches of this process write it, too
  std::string unfinished = fmt::format("{}.{}-{}{}", path, ::getpid(), ++count, kUnfinished);
  Descriptor file =
      open_descriptor(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  int failure = file ? write_at(file.get(), 0, head) : errno;
  if (failure == 0) failure = write_at(file.get(), head.size(), bytes);
  if (failure == 0 && std::rename(unfinished.c_str(), path.c_str()) != 0) failure = errno;
  if (failure == 0) {
    held_bytes_ += size_bytes;
    since_look_ += size_bytes;
    return;
  }
  if (file) ::unlink(unfinished.c_str());
  warn_once(fmt::format("parts of remote files cannot be kept: {}", errno_text(failure)));
}

void DiskCache::make_room(std::uint64_t bytes) {
  bool is_known = since_look_ < kLookBytes;
  if (is_known && held_bytes_ + bytes <= most_bytes_) return;
  std::error_code error;
  if (!fs::is_directory(folder_, error)) {
    fs::create_directories(folder_, error);
    if (!error) fs::permissions(folder_, fs::perms::owner_all, error);  // files may be private
  }
  struct Found {
    fs::path path;
    std::uint64_t size_bytes;
    fs::file_time_type used;
  };
  std::vector<Found> all;
  std::uint64_t held = 0;
  auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator each(folder_, error), end; !error && each != end;
       each.increment(error)) {
    if (!is_ours(each->path())) continue;
    std::error_code gone;  // other processes delete, too
    Found found{each->path(), each->file_size(gone), each->last_write_time(gone)};
    if (gone) continue;
    if (found.path.extension() == kUnfinished) {
      if (now - found.used > kAbandoned) fs::remove(found.path, gone);
      continue;
    }
    held += found.size_bytes;
    all.push_back(std::move(found));
  }
  if (held + bytes > most_bytes_) {
    std::sort(all.begin(), all.end(),
              [](const Found& a, const Found& b) { return a.used < b.used; });
    // A tenth at once, so that the folder is not listed again for each block.
    std::uint64_t wanted = most_bytes_ - std::min(most_bytes_, std::max(bytes, most_bytes_ / 10));
    for (const Found& found : all) {
      if (held <= wanted) break;
      std::error_code gone;
      fs::remove(found.path, gone);
      held -= found.size_bytes;
    }
  }
  held_bytes_ = held;
  since_look_ = 0;
}

void DiskCache::warn_once(const std::string& text) {
  if (!warned_.insert(text).second || !on_warning_) return;
  on_warning_(Error(ErrorCode::remark, text, folder_));
}

}  // namespace kitbag
