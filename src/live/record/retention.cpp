#include "live/record/retention.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "io/local/file_status.h"
#include "io/posix.h"

namespace kitbag {

namespace fs = std::filesystem;

namespace {

Time modified(const fs::directory_entry& entry) {
  std::error_code error;
  auto time = entry.last_write_time(error);
  if (error) return Time::min();
  return std::chrono::time_point_cast<Duration>(std::chrono::file_clock::to_sys(time));
}

}  // namespace

FileRetention::FileRetention(const Retention& keep, const FileNames& names,
                             std::function<void(const std::string&)> forget)
    : keep_(keep), forget_(std::move(forget)) {
  if (!keep.any() || names.is_directory()) return;
  std::error_code error;
  for (fs::directory_iterator it(names.folder(), error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    std::string name = it->path().filename().string();
    auto status = names.is_like(name) ? status_of(it->path().string()) : std::nullopt;
    if (!status || !status->is_regular) continue;
    files_.push_back({(fs::path(names.path()).parent_path() / name).string(), status->size_bytes, 0,
                      modified(*it)});
    bytes_ += files_.back().bytes;
  }
  if (error) throw system_error("list the folder", error.value(), names.folder());
  std::sort(files_.begin(), files_.end(),
            [](const File& a, const File& b) { return a.closed < b.closed; });
}

void FileRetention::add(const std::string& path, std::uint64_t messages, Time now) {
  std::error_code error;
  auto bytes = fs::file_size(path, error);
  files_.push_back({path, error ? 0 : bytes, messages, now});
  bytes_ += files_.back().bytes;
}

bool FileRetention::is_too_much(std::optional<std::uint64_t> open_bytes, Time now) const {
  return (keep_.files && files_.size() + (open_bytes ? 1 : 0) > *keep_.files) ||
         (keep_.bytes && bytes_ + open_bytes.value_or(0) > *keep_.bytes) ||
         (keep_.age && now - files_.front().closed > *keep_.age);
}

bool FileRetention::enforce(std::optional<std::uint64_t> open_bytes, Time now) {
  bool any = false;
  while (!files_.empty() && is_too_much(open_bytes, now)) any = drop_oldest();
  return any;
}

bool FileRetention::drop_oldest() {
  if (files_.empty()) return false;
  File oldest = std::move(files_.front());
  files_.pop_front();
  bytes_ -= oldest.bytes;
  try {
    if (forget_) forget_(oldest.path);
  } catch (const Error& error) {
    tell(error);
    return true;
  }
  gone_.files.push_back(oldest.path);
  gone_.messages += oldest.messages;
  remover_.post([this, path = std::move(oldest.path)] {
    std::error_code error;
    fs::remove(path, error);
    if (error) tell(Error(ErrorCode::io, "cannot be deleted: " + error.message(), path));
  });
  return true;
}

void FileRetention::tell(const Error& error) {
  std::lock_guard lock(mutex_);
  errors_.push_back(error);
}

std::vector<Error> FileRetention::take_errors() {
  std::lock_guard lock(mutex_);
  return std::exchange(errors_, {});
}

}  // namespace kitbag
