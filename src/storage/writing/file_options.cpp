#include "storage/writing/file_options.h"

#include "kitbag/session.h"

namespace kitbag {

WriteFileOptions file_options(const WriteOptions& options) {
  return {.io = options.io,
          .is_visible = options.is_visible,
          .may_replace = options.may_replace,
          .on_warning = options.on_warning};
}

std::unique_ptr<WriteFile> create_bag_file(const std::string& path, const WriteOptions& options,
                                           const Session& session, std::uint64_t rewritten_bytes) {
  auto file = session.file_system(path)->create(path, file_options(options));
  if (file->rewritable_bytes() >= rewritten_bytes) return file;
  throw Error(ErrorCode::unsupported,
              "the header of this format is written last, which needs a regular file; write the "
              "bag to a file first, or use another format",
              path);
}

}  // namespace kitbag
