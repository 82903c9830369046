#include "storage/directory/change_metadata.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/path.h"
#include "kitbag/error.h"
#include "storage/directory/files.h"
#include "storage/directory/written_metadata.h"

// Writers of one directory change metadata.yaml in turn:
//
//     lock the file -> read it -> write the next one beside it -> rename it over the old one
//
// The lock is on the file itself: locks of files work where those of folders do not (NFS). It goes
// with the old file, so the next writer that gets it finds that the name leads to another file, and
// opens it again. If there is no metadata.yaml, only one writer can create it, and the others find
// it then.
//
// A file is locked for some milliseconds, and waiting for it is what a writer wants: it has
// messages to store. The waits grow, so that many writers which end at once do not disturb each
// other.

namespace kitbag::directory {

namespace {

constexpr Duration kPatience = std::chrono::seconds(10);
constexpr Duration kFolderPatience = std::chrono::seconds(2);
constexpr Duration kShortestWait = std::chrono::milliseconds(1);
constexpr Duration kLongestWait = std::chrono::milliseconds(50);

/// Calls `attempt` until it returns true; it may throw `busy`, which is thrown on in the end.
template <class Attempt>
void repeat_while_busy(const Session& session, Duration patience, Attempt attempt) {
  const ClockPtr& clock = session.clock();
  SteadyTime end = clock->steady() + patience;
  for (Duration wait = kShortestWait;; wait = std::min(2 * wait, kLongestWait)) {
    try {
      if (attempt()) return;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::busy || clock->steady() >= end) throw;
      clock->sleep({{}, clock->steady() + wait});
    }
  }
}

std::optional<rosbag2::BagMetadata> read_if_sound(const FileSystem& files,
                                                  const std::string& folder) {
  auto written = WrittenMetadata::shared()->find(files, folder);
  if (written) return written;
  return read_metadata(files, folder, [](const Error&) {});
}

void write(const FileSystem& files, const std::string& path, const rosbag2::BagMetadata& metadata,
           bool may_replace) {
  std::string text = rosbag2::print_metadata(metadata, metadata.version, false);
  auto file = files.create(path, {.io = Io::buffered, .may_replace = may_replace});
  file->append(as_bytes(text));
  file->commit();
}

/// False: another writer has created the file meanwhile.
bool create_first(const FileSystem& files, const std::string& folder,
                  const ChangeMetadata& change) {
  auto next = change(std::nullopt);
  if (!next) return true;
  try {
    write(files, join(folder, kMetadataName), *next, false);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::exists) throw;
    return false;
  }
}

/// False: the file has gone.
bool replace(const FileSystem& files, const std::string& folder, const ChangeMetadata& change,
             const OnWarning& on_warning) {
  std::string path = join(folder, kMetadataName);
  std::unique_ptr<FileLock> lock;
  try {
    lock = files.lock(path, LockKind::exclusive, on_warning);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return false;
  }
  auto next = change(read_if_sound(files, folder));
  if (!next) return true;
  // From the moment in which the file has its name, another writer may lock and replace it.
  std::optional<FileStatus> written;
  if (lock) {
    auto staged = files.stage(path, {});
    std::string place = staged->place_instead(path, std::move(lock));
    write(files, place, *next, true);
    written = files.status(place);
    staged->publish();
  } else {
    write(files, path, *next, true);
  }
  WrittenMetadata::shared()->keep(files, folder, std::move(*next), written);
  return true;
}

}  // namespace

void change_metadata(const std::string& folder, const ChangeMetadata& change,
                     const Session& session, const OnWarning& on_warning) {
  FileSystemPtr files = session.file_system(folder);
  std::string path = join(folder, kMetadataName);
  repeat_while_busy(session, kPatience, [&] {
    return files->status(path) ? replace(*files, folder, change, on_warning)
                               : create_first(*files, folder, change);
  });
}

std::unique_ptr<FileLock> lock_as_one_of_several(const std::string& folder, const Session& session,
                                                 const OnWarning& on_warning) {
  std::unique_ptr<FileLock> lock;
  repeat_while_busy(session, kFolderPatience, [&] {
    lock = session.file_system(folder)->lock(folder, LockKind::shared, on_warning);
    return true;
  });
  return lock;
}

}  // namespace kitbag::directory
