#include "storage/writing/create_by.h"

#include <utility>

#include "io/copy_file.h"
#include "io/local/staged_folder.h"
#include "io/local/temporary_file.h"
#include "storage/writing/closing_writer.h"
#include "storage/writing/file_options.h"

namespace kitbag {

namespace {

/// In the folder for temporary files; removed with what is in it.
std::shared_ptr<StagedFolder> make_scratch_folder() {
  constexpr unsigned kMode = 0700;
  return std::make_shared<StagedFolder>(temporary_folder() + "/kitbag", OnWarning(), kMode);
}

}  // namespace

std::unique_ptr<Writer> create_by(const Format& format, const std::string& path,
                                  const WriteOptions& options, const Session& session) {
  FileSystemPtr files = session.file_system(path);
  if (!format.needs_local_file || files->is_local()) return format.create(path, options, session);
  // Begun now, so that what the file system refuses is known before the work.
  std::shared_ptr<WriteFile> target = files->create(path, file_options(options));
  auto scratch = make_scratch_folder();
  std::string local = scratch->path() / ("bag" + std::string(format.extension));
  auto writer = format.create(local, options, session);
  return std::make_unique<ClosingWriter>(
      std::move(writer), [session, scratch, target, local](std::uint64_t /*messages*/) {
        copy_file(*open_file(local), *target, local);
        target->commit();
      });
}

}  // namespace kitbag
