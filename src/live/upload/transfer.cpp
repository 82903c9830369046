#include "live/upload/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/crc32.h"
#include "base/path.h"
#include "kitbag/bag.h"
#include "kitbag/file_system.h"
#include "kitbag/paths.h"
#include "kitbag/system_error.h"

// "Exactly once" rests on three rules:
//
//   the name in the target      follows from the file alone (its name, the first message), never
//                               from the time of the upload: a second try finds the first one's
//   what is there               is compared, never replaced and never removed: equal content is the
//                               file, and any other belongs to somebody else
//   other content of that name  the file goes to a name with the sum of its content, which is the
//                               same at each try, too
//
// A store makes an object visible when it is complete, so a try that was cut off leaves nothing to
// mistake for it.

namespace kitbag {
namespace {

constexpr const char* kCheckName = ".kitbag-upload-check";
constexpr std::size_t kBlockBytes = 1 << 20;
constexpr int kMostNames = 100;

/// Ends in the middle when asked to, also where a file system reads it. Its errors name the file.
class StoppableFile final : public ReadFile {
 public:
  StoppableFile(std::shared_ptr<const ReadFile> file, std::stop_token stop)
      : file_(std::move(file)), stop_(std::move(stop)) {}
  std::uint64_t size() const override { return file_->size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    throw_if_stopped({stop_});
    return file_->read(offset, into);
  }
  void prefetch(std::uint64_t offset, std::uint64_t size) const override {
    file_->prefetch(offset, size);
  }
  std::string identity() const override { return file_->identity(); }

 private:
  std::shared_ptr<const ReadFile> file_;
  std::stop_token stop_;
};

std::string sum_of(const ReadFile& file) {
  std::vector<std::byte> block(kBlockBytes);
  std::uint32_t sum = 0;
  for (std::uint64_t at = 0;;) {
    std::size_t count = file.read(at, block);
    if (count == 0) return fmt::format("{:08x}", sum);
    sum = crc32(ByteView(block).first(count), sum);
    at += count;
  }
}

/// A folder of this machine that is missing may be a disk that is not mounted, and would be made on
/// the disk from which files are to be moved away.
void require_folder(const FileSystem& files, const std::string& base) {
  if (base.empty()) return;
  auto there = files.status(base);
  if (there && there->is_folder) return;
  throw Error(there ? ErrorCode::invalid : ErrorCode::not_found,
              there ? "is not a folder" : "no such folder; uploads need one that exists", base);
}

}  // namespace

Transfer::Transfer(TargetNames names, std::optional<std::uint64_t> bytes_per_second,
                   Session session, OnWarning on_warning)
    : names_(std::move(names)),
      session_(std::move(session)),
      base_(path_in(names_.base())),
      target_(session_.file_system(base_)),
      bandwidth_(bytes_per_second, *session_.clock()),
      on_warning_(std::move(on_warning)) {}

std::string Transfer::path_in(const std::string& target) const {
  return target.empty() ? target : session_.path_of(target);
}

void Transfer::check() const {
  std::string folder = path_in(names_.fixed_part());
  if (target_->is_local()) require_folder(*target_, base_);
  // Of a bucket that does not exist a list says more than an object.
  if (!target_->is_local() && !folder.empty()) target_->status(folder);
  std::string path = join(folder, kCheckName);
  make_folders(std::string(parent_folder(path)), *target_);
  auto file = target_->create(path, {});
  file->append(as_bytes("kitbag can write here\n"));
  file->commit();
  try {
    target_->remove(path);
  } catch (const Error&) {
    return;  // who may write need not be allowed to remove
  }
}

/// A bag's first message. It stays the same whatever is done with the file, unlike the time at
/// which it is uploaded.
Time Transfer::begin_of(const UploadFile& file, const FileStatus& local) const {
  if (!names_.has_times()) return {};
  std::string path = join(file.folder, file.dated_by.empty() ? file.name : file.dated_by);
  try {
    ReadOptions options;
    options.on_problem = [](const Error&) {};
    auto bag = session_.open(path, options);
    if (bag->outline().messages > 0) return bag->outline().start;
  } catch (const Error& error) {
    if (is_final(error.code())) throw_as(Error(error.code(), error.message(), path), error);
  }
  auto files = session_.file_system(path);
  auto status = file.dated_by.empty() ? std::optional(local) : files->status(path);
  return status.value_or(local).modified;
}

std::string Transfer::place() const {
  if (!target_->is_local()) return names_.pattern();
  std::error_code ignored;
  auto absolute = std::filesystem::absolute(path_in(names_.pattern()), ignored);
  return absolute.lexically_normal().string();
}

bool Transfer::is_there(const std::string& path, std::uint64_t size_bytes) const {
  auto there = target_->status(path);
  return there && there->is_regular && there->size_bytes == size_bytes;
}

UploadedFile Transfer::bring(const UploadFile& file, const FileStatus& local,
                             const std::function<void(std::uint64_t)>& on_sent,
                             const std::stop_token& stop) {
  std::string path = join(file.folder, file.name);
  auto files = session_.file_system(path);
  StoppableFile source(files->open(path), stop);
  std::string own = session_.path_of(names_.path_of(file.name, begin_of(file, local)));
  UploadedFile done{path, own, local.size_bytes, true};
  std::string mark;
  for (int number = 1; number <= kMostNames; ++number) {
    if (number == 2) mark = sum_of(source);
    if (number > 1) {
      done.target = marked_path(own, number == 2 ? mark : fmt::format("{}-{}", mark, number - 1));
    }
    require_other_file(done.target, *files, local);
    if (target_->has_content(done.target, source)) break;
    try {
      if (target_->is_local()) require_folder(*target_, base_);
      make_folders(std::string(parent_folder(done.target)), *target_);
      on_sent(0);
      send(source, path, done.target, on_sent, stop);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::exists) throw;
      // Another one may have sent the same meanwhile, or an earlier try whose answer was lost.
      if (target_->has_content(done.target, source)) break;
      if (number == kMostNames) throw;
      continue;
    }
    done.was_there = false;
    if (target_->has_content(done.target, source)) break;
    throw Error(ErrorCode::io, "was stored, but its content is not that of the local file",
                done.target);
  }
  if (files->status(path) != local) {
    throw Error(ErrorCode::busy, "has changed while it was uploaded", path);
  }
  if (done.target != own && on_warning_) {
    on_warning_(Error(ErrorCode::remark,
                      fmt::format("uploaded as {}, because {} has other content", done.target, own),
                      path));
  }
  return done;
}

/// Otherwise a file would count as its own copy, and could be deleted.
void Transfer::require_other_file(const std::string& to, const FileSystem& files,
                                  const FileStatus& local) const {
  if (&files != target_.get() || local.id == FileId()) return;
  auto there = target_->status(to);
  if (!there || there->id != local.id) return;
  throw Error(ErrorCode::invalid, "is the local file itself; upload to another folder", to);
}

void Transfer::send(const ReadFile& source, const std::string& path, const std::string& to,
                    const std::function<void(std::uint64_t)>& on_sent,
                    const std::stop_token& stop) {
  auto file = target_->create(to, {.may_replace = false, .size_bytes = source.size()});
  std::vector<std::byte> piece(bandwidth_.piece_bytes());
  std::uint64_t size = source.size();
  for (std::uint64_t at = 0; at < size;) {
    bandwidth_.pass(std::min<std::uint64_t>(piece.size(), size - at), stop);
    std::size_t count = source.read(at, piece);
    if (count == 0) {
      throw Error(ErrorCode::truncated, fmt::format("only {} of {} bytes could be read", at, size),
                  path);
    }
    file->append(ByteView(piece).first(count));
    at += count;
    on_sent(at);
  }
  throw_if_stopped({stop});
  file->commit();
}

}  // namespace kitbag
