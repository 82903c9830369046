#include "storage/writing/create_by.h"

#include <fmt/format.h>

#include <utility>

#include "base/path.h"
#include "io/copy_file.h"
#include "io/local/staged_folder.h"
#include "io/local/temporary_file.h"
#include "kitbag/error.h"
#include "storage/writing/closing_writer.h"
#include "storage/writing/file_options.h"

namespace kitbag {

namespace {

/// In the folder for temporary files; removed with what is in it.
std::shared_ptr<StagedFolder> make_scratch_folder(const std::string& target) {
  constexpr unsigned kMode = 0700;
  constexpr std::uint64_t kLeastBytes = 16 << 20;
  std::string folder = temporary_folder();
  if (std::uint64_t free = local_file_system()->free_bytes(folder); free < kLeastBytes) {
    throw Error(ErrorCode::io,
                fmt::format("a bag of this format is written to a temporary folder first, and {} "
                            "has only {} bytes free; set TMPDIR to another folder",
                            folder, free),
                target);
  }
  return std::make_shared<StagedFolder>(folder + "/kitbag", OnWarning(), kMode);
}

}  // namespace

std::unique_ptr<Writer> create_by(const Format& format, const std::string& path,
                                  const WriteOptions& options, const Session& session) {
  FileSystemPtr files = session.file_system(path);
  if (!format.needs_local_file || files->is_local()) return format.create(path, options, session);
  // Begun now, so that what the file system refuses is known before the work.
  std::shared_ptr<WriteFile> target = files->create(path, file_options(options));
  auto scratch = make_scratch_folder(path);
  // Its name may be in the bag. That of an object may be too long for a file.
  constexpr std::size_t kLongestName = 200;
  std::string name(file_name(path));
  if (name.size() > kLongestName) name = "bag" + std::string(format.extension);
  std::string local = scratch->path() / name;
  auto writer = format.create(local, options, session);
  return std::make_unique<ClosingWriter>(
      std::move(writer), [session, scratch, target, local](std::uint64_t /*messages*/) {
        copy_file(*open_file(local), *target, local);
        target->commit();
      });
}

}  // namespace kitbag
