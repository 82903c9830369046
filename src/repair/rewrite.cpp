#include "kitbag/rewrite.h"

#include <string_view>
#include <utility>
#include <vector>

#include "base/path.h"
#include "flow/staged_writer.h"
#include "io/database_logs.h"
#include "io/local/link_file.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/file_system.h"
#include "kitbag/registry.h"
#include "repair/keep_original.h"
#include "repair/read_back.h"
#include "storage/writing/closing_writer.h"

// rosbag renames the bag first and writes the new one under its name, so that a crash leaves half a
// bag where a whole one was. Here the old file gets a second name (a hard link; a copy where the
// file system has none) once the new one is complete, and loses the first one in the step that
// publishes it: at any time there is a complete bag at `path`. The log of a SQLite bag, which holds
// messages of it, keeps its bag. In an object store the new bag takes
// the name as soon as it is complete, so the old one is copied before that; the copy goes again if
// there is no new bag.

namespace kitbag {
namespace {

constexpr std::string_view kMark = ".orig";

void copy_original(const FileSystem& files, const std::string& place, const std::string& to) {
  constexpr std::size_t kCopiedAtOnce = std::size_t{1} << 20;
  auto from = files.open(place);
  auto copy = files.create(to, {.io = Io::buffered, .may_replace = false});
  std::vector<std::byte> bytes(kCopiedAtOnce);
  for (std::uint64_t at = 0; at < from->size();) {
    std::size_t count = from->read(at, bytes);
    if (count == 0) throw Error(ErrorCode::truncated, "became shorter while it was copied", place);
    copy->append(ByteView(bytes).first(count));
    at += count;
  }
  copy->commit();
}

void give_second_name(const FileSystem& files, const std::string& place, const std::string& to) {
  if (files.is_local() && link_file(place, to)) return;
  copy_original(files, place, to);
}

void remove_original(const std::string& place, const Session& session) {
  std::string kept = original_path(place);
  FileSystemPtr files = session.file_system(kept);
  for (std::string_view log : kDatabaseLogs) {
    std::string path = kept + std::string(log);
    if (files->is_local() && files->status(path)) files->remove(path);
  }
  files->remove(kept);
}

}  // namespace

std::string original_path(const std::string& path) {
  std::string name(stem(path));
  return join(parent_folder(path), name.append(kMark).append(extension(path)));
}

bool is_original_path(const std::string& path) {
  return !extension(path).empty() && extension(stem(path)) == kMark;
}

void require_no_original(const std::string& place, const Session& session) {
  std::string kept = original_path(place);
  if (!session.file_system(kept)->status(kept)) return;
  throw Error(ErrorCode::invalid,
              "already exists; it is the original of an earlier change and never replaced, so the "
              "bag is not changed; move one of them to another place",
              kept);
}

void keep_original(const std::string& place, const Session& session) {
  require_no_original(place, session);
  FileSystemPtr files = session.file_system(place);
  std::string kept = original_path(place);
  for (std::string_view log : kDatabaseLogs) {
    std::string path = place + std::string(log);
    bool is_there = files->is_local() && files->status(path).has_value();
    if (is_there) give_second_name(*files, path, kept + std::string(log));
  }
  give_second_name(*files, place, kept);
}

EarlyOriginal::EarlyOriginal(std::string place, const Session& session)
    : place_(std::move(place)), session_(session) {
  keep_original(place_, session_);
}

EarlyOriginal::~EarlyOriginal() {
  if (is_kept_) return;
  try {
    remove_original(place_, session_);
  } catch (const Error&) {
    return;  // a destructor
  }
}

std::unique_ptr<Writer> rewrite(const std::string& path, const WriteOptions& options,
                                const Session& session) {
  std::string place = session.path_of(path);
  FileSystemPtr files = session.file_system(place);
  auto there = files->status(place);
  if (!there) throw Error(ErrorCode::not_found, "no such file", place);
  if (!there->is_regular) {
    throw Error(ErrorCode::unsupported,
                "only a file can be changed in place; write to another name", place);
  }
  require_no_original(place, session);
  // The refusal comes before the lock and hours of work; keep_original() asks again at the end,
  // when another program may have made the file.
  auto lock = files->lock(place, LockKind::exclusive, options.on_warning);
  std::shared_ptr<Staging> staged = files->stage(place, options.on_warning);
  std::string hidden = staged->place_instead(place, std::move(lock));
  auto original = hidden == place ? std::make_shared<EarlyOriginal>(place, session) : nullptr;
  WriteOptions write = options;
  write.may_replace = true;
  if (write.format.empty()) {
    const Format* format = match_format(session.registry(), session.input_at(place));
    if (format) write.format = format->name;
  }
  auto make = [&](const WriteOptions& with) { return session.create(hidden, with); };
  ReadOptions reading;
  reading.format = write.format;
  auto publish = [=](std::uint64_t messages) {
    if (original) {
      original->keep();
      return staged->publish();
    }
    read_back(hidden, place, messages, reading, session);
    keep_original(place, session);
    try {
      staged->publish();
    } catch (...) {
      remove_original(place, session);  // it is still where it was
      throw;
    }
  };
  return std::make_unique<ClosingWriter>(staged_writer(staged, write, make), publish);
}

}  // namespace kitbag
