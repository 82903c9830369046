#include "live/record/retention.h"

#include <algorithm>
#include <utility>

#include "base/path.h"

namespace kitbag {

FileRetention::FileRetention(const Retention& keep, const FileNames& names, FileSystemPtr files,
                             std::function<void(const std::string&)> remove_part)
    : keep_(keep), system_(std::move(files)), remove_part_(std::move(remove_part)) {
  if (!keep.any() || names.is_directory()) return;
  for (const std::string& name : system_->list(names.folder())) {
    if (!names.is_like(name)) continue;
    std::string path = join(parent_folder(names.path()), name);
    auto status = system_->status(path);
    if (!status || !status->is_regular) continue;
    files_.push_back({std::move(path), status->size_bytes, 0, status->modified});
    bytes_ += files_.back().bytes;
  }
  std::sort(files_.begin(), files_.end(),
            [](const File& a, const File& b) { return a.closed < b.closed; });
}

void FileRetention::add(const std::string& path, std::uint64_t messages, Time now) {
  auto status = system_->status(path);
  files_.push_back({path, status ? status->size_bytes : 0, messages, now});
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
    if (remove_part_) remove_part_(oldest.path);
  } catch (const Error& error) {
    tell(error);
    return true;
  }
  gone_.files.push_back(oldest.path);
  gone_.messages += oldest.messages;
  remover_.post([this, path = std::move(oldest.path)] {
    try {
      system_->remove(path);
    } catch (const Error& error) {
      tell(error);
    }
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
