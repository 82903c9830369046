#include "live/record/retention.h"

#include <algorithm>
#include <future>
#include <numeric>
#include <utility>

// Limits are enforced on the recording's thread, ten times a second, from numbers in memory; the
// folder is listed once, at the start. Only remove() runs on the thread of `remover_`.
// remove_part(), which rewrites metadata.yaml, does not: it comes first, and if it fails, the file
// stays.
//
// A file that is being read passes through these states:
//
//   named      it is passed over while there is another one to delete
//   leased     deleted by name; the open descriptor of its reader keeps the bytes on the disk
//   revoked    the disk is nearly full: its reader is told to let go
//
// So limits on sizes count leased files too: without that, a slow download would let the disk fill
// up. A file of an earlier run counts with zero messages, because nobody has opened it.
//
// The last file stays if no other is open, however large it is: a limit on what is kept is no
// reason to keep nothing.
//
// A file that waits for its upload stays `named`, even if the disk gets full: the recording ends
// then.
//
// The order is that of `closed`, which for files of earlier runs is their time of modification. A
// clock that was wrong at that time makes them the oldest or the newest.

namespace kitbag {

FileRetention::FileRetention(const RecordTarget& target, const FileNames& names,
                             std::function<void(const std::string&)> remove_part)
    : keep_(target.keep),
      system_(names.file_system()),
      leases_(target.leases),
      uploader_(target.uploader),
      remove_part_(std::move(remove_part)) {
  if (!deletes_files(target) || names.is_directory()) return;
  for (const std::string& name : system_->list(names.folder())) {
    if (!names.is_like(name)) continue;
    std::string path = names.path_of(name);
    auto status = system_->status(path);
    if (status && status->is_regular) add(path, 0, status->modified);
  }
}

void FileRetention::add(const std::string& path, std::uint64_t messages, Time closed) {
  auto status = system_->status(path);
  File file{path, {}, 0, messages, closed};
  if (status) {
    file.id = status->id;
    file.bytes = status->size_bytes;
  }
  bytes_ += file.bytes;
  auto is_older = [](Time time, const File& other) { return time < other.closed; };
  files_.insert(std::upper_bound(files_.begin(), files_.end(), closed, is_older), std::move(file));
}

bool FileRetention::is_leased(const FileId& file) const {
  return leases_ && file != FileId() && leases_->is_leased(file);
}

bool FileRetention::must_stay(const File& file) const {
  return uploader_ && !uploader_->is_uploaded(file.path);
}

FileRetention::Files::iterator FileRetention::next_to_go() {
  auto first = files_.end();
  for (auto file = files_.begin(); file != files_.end(); ++file) {
    bool is_read = is_leased(file->id);
    if ((is_read && first != files_.end()) || must_stay(*file)) continue;
    if (!is_read) return file;
    first = file;
  }
  return first;
}

void FileRetention::enforce(std::optional<std::uint64_t> open_bytes, Time now) {
  has_open_ = open_bytes.has_value();
  std::erase_if(leased_, [this](const File& file) { return !is_leased(file.id); });
  drop_too_old(now);
  drop_too_many(open_bytes ? 1 : 0);
  drop_too_large(open_bytes.value_or(0));
}

void FileRetention::drop_too_old(Time now) {
  if (!keep_.age) return;
  auto is_due = [&](const File& file) {
    return now - file.closed > *keep_.age && !is_leased(file.id) && !must_stay(file);
  };
  while (true) {
    auto due = std::find_if(files_.begin(), files_.end(), is_due);
    if (due == files_.end()) return;
    drop(due, "it is older than the age limit");
  }
}

void FileRetention::drop_too_many(std::size_t open_files) {
  while (keep_.files && !files_.empty() && files_.size() + open_files > *keep_.files) {
    auto file = next_to_go();
    if (file == files_.end()) return;
    drop(file, "there are more files than the limit");
  }
}

void FileRetention::drop_too_large(std::uint64_t open_bytes) {
  constexpr const char* kReason = "the files exceed their size limit";
  while (keep_.bytes && !files_.empty()) {
    std::uint64_t named = bytes_ + open_bytes;
    if (named + leased_bytes() <= *keep_.bytes) return;
    if (!has_open_ && files_.size() == 1) return tell_too_large(files_.front());
    auto file = next_to_go();
    if (file == files_.end()) return;
    // Another file that is being read would free nothing more now.
    if (is_leased(file->id) && named <= *keep_.bytes) return;
    drop(file, kReason);
  }
}

void FileRetention::tell_too_large(const File& last) {
  if (std::exchange(too_large_, last.path) == last.path) return;
  tell(Error(ErrorCode::limit,
             "is kept, although it alone is larger than the limit of all files together",
             last.path));
}

bool FileRetention::make_room() {
  if (leased_.empty()) {
    auto file = next_to_go();
    if (file == files_.end()) return false;
    bool is_free = !is_leased(file->id);
    drop(file, "the disk is nearly full");
    if (is_free) return true;
  }
  if (leased_.empty()) return true;
  leases_->revoke(leased_.front().id);
  leased_.pop_front();
  return true;
}

void FileRetention::drop(Files::iterator file, const std::string& reason) {
  File old = std::move(*file);
  files_.erase(file);
  bytes_ -= old.bytes;
  try {
    if (remove_part_) remove_part_(old.path);
  } catch (const Error& error) {
    tell(error);
    return;
  }
  gone_.push_back({old.path, old.id, old.bytes, old.messages, reason});
  // From here on it does not count, although its bytes are free only a moment later: counting them
  // until then would delete another file for the same bytes.
  remover_.post([this, path = old.path] {
    try {
      system_->remove(path);
    } catch (const Error& error) {
      tell(error);
    }
  });
  if (is_leased(old.id)) leased_.push_back(std::move(old));
}

std::uint64_t FileRetention::leased_bytes() const {
  return std::accumulate(leased_.begin(), leased_.end(), std::uint64_t(0),
                         [](std::uint64_t sum, const File& file) { return sum + file.bytes; });
}

void FileRetention::await_removed() {
  std::promise<void> removed;
  remover_.post([&removed] { removed.set_value(); });  // one thread takes them in order
  removed.get_future().wait();
}

void FileRetention::tell(const Error& error) {
  std::lock_guard lock(mutex_);
  errors_.push_back(error);
}

std::vector<Error> FileRetention::take_errors() {
  std::lock_guard lock(mutex_);
  return std::exchange(errors_, {});
}

std::vector<DeletedFile> purge_recordings(const RecordOptions& options, const Session& session) {
  FileNames names(options.target, options.snapshot.has_value(), session);
  FileRetention retention(options.target, names);
  retention.enforce(std::nullopt, session.clock()->wall());
  retention.await_removed();
  std::vector<DeletedFile> gone = retention.take_gone();
  for (const Error& error : retention.take_errors()) {
    if (options.on_warning) options.on_warning(error);
  }
  for (const DeletedFile& file : gone) {
    if (options.on_deleted) options.on_deleted(file);
  }
  return gone;
}

}  // namespace kitbag
