#include "live/record/recorded_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/path.h"
#include "kitbag/error.h"
#include "kitbag/open.h"
#include "storage/directory/written_metadata.h"
#include "storage/writing/closing_writer.h"

// The life of a file: FileNames gives the name, create() begins x.mcap.active, with_repeats() puts
// the latched messages in front, split() closes it, and ClosingWriter calls back behind the close:
// only then does it get its final name, and counts for retention.
//
// A directory of rosbag2 is different: it is one bag, whose metadata.yaml names its files. Its
// parts have their final names at once, and one that is deleted has to leave metadata.yaml first,
// or readers look for a file that is gone.
//
// What is complete is uploaded, if the target says so. A directory is one bag in its target too:
// its parts go there as they are completed, and metadata.yaml, which changes with each part, at the
// end.
//
// The open file is known by path and by identity. Between the two, another program may have
// replaced the file; then it is neither renamed nor removed.

namespace kitbag {

namespace {

/// A crash loses at most this much, unless the caller sets another value.
constexpr Duration kChunkDuration = std::chrono::milliseconds(100);

/// `options`, whose warnings call the file at `place` `path`, as it is called when it is complete.
WriteOptions naming(WriteOptions options, const std::string& place, const std::string& path) {
  if (!options.on_warning || place == path) return options;
  options.on_warning = [tell = options.on_warning, place, path](const Error& warning) {
    if (warning.file() != place) return tell(warning);
    tell(Error(warning.code(), warning.message(), path, warning.offset(), warning.loss()));
  };
  return options;
}

}  // namespace

RecordedFiles::RecordedFiles(const RecordOptions& options, const Session& session,
                             OnChange on_change, std::shared_ptr<LatchedMemory> memory)
    : target_(options.target),
      on_warning_(options.on_warning),
      on_change_(std::move(on_change)),
      on_deleted_(options.on_deleted),
      session_(session),
      names_(target_, options.snapshot.has_value(), session_),
      system_(names_.file_system()),
      retention_(target_, names_, removing_part()),
      repeats_(target_.repeat_latched && (names_.is_many() || options.restarts)),
      memory_(memory ? std::move(memory) : std::make_shared<LatchedMemory>(on_warning_)) {
  // A recording is read while it grows, and what a crash leaves must be found.
  target_.write.is_visible = true;
  target_.write.format = names_.format();
  if (target_.write.chunk_duration == Duration::zero()) {
    target_.write.chunk_duration = kChunkDuration;
  }
  if (names_.is_directory() && options.snapshot) {
    throw Error(ErrorCode::invalid,
                "snapshots cannot be written to a directory; specify a file name", target_.path);
  }
  if (target_.uploader && target_.write.may_replace) {
    throw Error(ErrorCode::invalid,
                "files that are uploaded cannot be replaced: one may not have been uploaded yet",
                target_.path);
  }
  if (target_.uploader && target_.joins) {
    throw Error(ErrorCode::invalid,
                "a directory that several recorders join cannot be uploaded by one of them; upload "
                "it when all are done",
                target_.path);
  }
  if (target_.uploader && names_.is_directory() && deletes_files(target_)) {
    throw Error(ErrorCode::invalid,
                "a directory that is uploaded cannot have limits on what is kept, because its "
                "metadata.yaml would no longer name all files; record to files, such as x.mcap",
                target_.path);
  }
  if (target_.uploader && !names_.is_directory()) upload_earlier_files();
  if (target_.joins) {
    WriteOptions write = target_.write;
    write.format = options.target.write.format;  // empty: that of the files which are there
    joined_ = std::make_shared<directory::Joined>(names_.path(), write, session_);
  }
  if (target_.repairs_leftovers && (joined_ || !names_.is_directory())) {
    leftovers_.emplace(names_, session_);
  }
}

std::unique_ptr<Sink> RecordedFiles::begin() {
  return split(target_.split, next_files());
}

SplitFiles RecordedFiles::next_files() {
  if (!names_.is_directory()) {
    return {[this](std::size_t) { return next_file(target_.write); }};
  }
  if (!directory_.next) begin_directory();
  return {[this](std::size_t) {
    if (parts_ == 0) files_.push_back(names_.path());
    auto file = directory_.next(parts_++);
    tell_opened(newest_part());
    return opened(std::move(file), [this](std::uint64_t messages) {
      open_ = nullptr;
      std::string part = newest_part();
      if (!part.empty() && !system_->status(part)) {
        throw Error(ErrorCode::io,
                    "the file was removed during the recording; the messages in it are lost", part);
      }
      if (deletes_files(target_) || target_.uploader) keep_newest_part(part, messages);
      closed_ = part;
    });
  }};
}

/// It stays locked from its first part to complete(), whatever sinks write the parts.
void RecordedFiles::begin_directory() {
  if (joined_) {
    directory_ = {[this](std::size_t) { return joined_->next(); }, [this] { joined_->release(); }};
  } else {
    directory_ = split_to(names_.path(), target_.write, session_);
  }
}

std::unique_ptr<Writer> RecordedFiles::next_file(const WriteOptions& options) {
  std::string path = names_.next(session_.clock()->wall(), on_warning_);
  open_path_ = names_.active(path);
  auto writer = session_.create(open_path_, naming(options, open_path_, path));
  auto there = system_->status(open_path_);
  open_id_ = there ? there->id : FileId();
  files_.push_back(path);
  tell_opened(path);
  return opened(std::move(writer), [this, path](std::uint64_t messages) {
    open_ = nullptr;
    files_.back() = names_.complete(path, open_id_);
    closed_ = files_.back();
    retention_.add(files_.back(), messages, session_.clock()->wall());
    upload(files_.back());
  });
}

/// Repeats are not counted.
std::unique_ptr<Writer> RecordedFiles::opened(std::unique_ptr<Writer> file,
                                              std::function<void(std::uint64_t)> on_closed) {
  if (repeats_) file = with_repeats(std::move(file), memory_);
  auto writer = std::make_unique<ClosingWriter>(std::move(file), std::move(on_closed));
  open_ = writer.get();
  return writer;
}

/// For a directory: what must be done before one of its files is deleted.
std::function<void(const std::string&)> RecordedFiles::removing_part() const {
  if (!names_.is_directory()) return {};
  return [this](const std::string& part) {
    const Format* format = match_format(session_.registry(), session_.input_at(names_.path()));
    if (!format || !format->remove_part) {
      throw Error(ErrorCode::unsupported, "cannot be deleted: the directory's metadata requires it",
                  part);
    }
    format->remove_part(names_.path(), part, session_);
  };
}

/// The part of a directory that was begun last; empty: its metadata does not have it.
std::string RecordedFiles::newest_part() const {
  if (joined_) return joined_->newest();
  std::string folder = without_slash(names_.path());
  auto metadata = directory::WrittenMetadata::shared()->find(*system_, folder);
  if (!metadata || metadata->paths.empty()) return {};
  return join(folder, file_name(metadata->paths.back()));
}

void RecordedFiles::keep_newest_part(const std::string& part, std::uint64_t messages) {
  if (part.empty()) return;
  if (joined_) return retention_.add(part, messages, session_.clock()->wall());
  if (deletes_files(target_)) retention_.add(part, messages, session_.clock()->wall());
  upload(part);
}

void RecordedFiles::tell_opened(const std::string& path) {
  auto closed = std::exchange(closed_, std::nullopt);
  if (closed && on_change_) on_change_({*closed, path});
}

/// `path` is in the folder of the files, or of the directory. The uploader knows the file by the
/// path by which retention asks for it.
void RecordedFiles::upload(const std::string& path, bool is_last) {
  if (!target_.uploader) return;
  if (!names_.is_directory()) {
    return target_.uploader->add(
        {.folder = std::string(parent_folder(path)), .name = std::string(file_name(path))});
  }
  std::string directory = without_slash(names_.path());
  std::string name = fmt::format("{}/{}", file_name(directory), file_name(path));
  if (first_part_.empty()) first_part_ = name;
  target_.uploader->add({.folder = std::string(parent_folder(directory)),
                         .name = name,
                         .dated_by = first_part_,
                         .is_last = is_last});
}

void RecordedFiles::upload_earlier_files() {
  std::vector<std::string> names;
  for (const std::string& name : system_->list(names_.folder())) {
    if (names_.is_like(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) upload(names_.path_of(name));
}

void RecordedFiles::complete() {
  if (directory_.publish) directory_.publish();
  tell_opened({});
  if (!target_.uploader || !names_.is_directory() || first_part_.empty()) return;
  std::string folder = without_slash(names_.path());
  for (const std::string& name : system_->list(folder)) {
    std::string path = join(folder, name);
    auto status = system_->status(path);
    // Its parts are there, or on their way.
    if (status && status->is_regular && !name.starts_with('.')) upload(path, true);
  }
}

void RecordedFiles::remember(Batch&& unwritten) {
  memory_->widen(unwritten);
  memory_->remember(unwritten);
}

void RecordedFiles::remove_open() {
  if (!std::exchange(open_, nullptr)) return;
  files_.pop_back();
  if (joined_) return joined_->release();  // its writer has removed it
  auto there = system_->status(open_path_);
  if (there && there->id == open_id_) system_->remove(open_path_);
}

bool RecordedFiles::make_room(bool is_going_on) {
  take_settled();
  if (target_.keep.any()) {
    std::optional<std::uint64_t> open_bytes;
    if (open_) open_bytes = open_->size_bytes();
    retention_.enforce(open_bytes, session_.clock()->wall());
  }
  free_bytes_ = system_->free_bytes(names_.folder());
  bool has_room = free_bytes_ >= target_.min_free_bytes;
  if (!has_room && is_going_on) has_room = retention_.make_room();
  count_gone();
  return has_room;
}

void RecordedFiles::purge() {
  make_room(false);
  retention_.await_removed();
}

void RecordedFiles::count_gone() {
  for (const DeletedFile& gone : retention_.take_gone()) {
    ++deleted_files_;
    deleted_bytes_ += gone.bytes;
    deleted_messages_ += gone.messages;
    std::erase(files_, gone.path);
    if (on_deleted_) on_deleted_(gone);
  }
}

/// What earlier recordings have left counts as theirs.
void RecordedFiles::take_settled() {
  if (!leftovers_) return;
  for (const Leftovers::Settled& file : leftovers_->take_settled()) {
    if (file.is_repaired) {
      ++repaired_files_;
      upload(file.path);
    }
    if (deletes_files(target_) && !joined_) retention_.add(file.path, 0, file.closed);
  }
}

std::vector<Error> RecordedFiles::take_errors() {
  std::vector<Error> errors = retention_.take_errors();
  if (target_.uploader) {
    for (Error& report : target_.uploader->take_reports()) errors.push_back(std::move(report));
    target_.uploader->take_uploaded();
  }
  if (!leftovers_) return errors;
  for (Error& report : leftovers_->take_reports()) errors.push_back(std::move(report));
  return errors;
}

void RecordedFiles::tell(RecordStatus& status) const {
  status.files = files_;
  status.place = place();
  status.open_file = open_ ? files_.back() : std::string();
  status.open_bytes = open_ ? open_->size_bytes() : 0;
  status.deleted_files = deleted_files_;
  status.deleted_bytes = deleted_bytes_;
  status.leased_bytes = retention_.leased_bytes();
  status.repaired_files = repaired_files_;
  status.deleted_messages = deleted_messages_;
  status.free_bytes = free_bytes_;
  if (target_.uploader) status.upload = target_.uploader->status();
}

}  // namespace kitbag
