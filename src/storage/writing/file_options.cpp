#include "storage/writing/file_options.h"

#include <fmt/format.h>

#include "kitbag/error.h"
#include "kitbag/session.h"

namespace kitbag {

WriteFileOptions file_options(const WriteOptions& options) {
  return {.io = options.io,
          .is_visible = options.is_visible,
          .may_replace = options.may_replace,
          .on_warning = options.on_warning};
}

void warn_of_chunk_size(const WriteOptions& options, std::string_view target,
                        const std::string& path) {
  bool is_usual = options.chunk_bytes == WriteOptions().chunk_bytes;
  if (!options.on_warning || (is_usual && options.topic_chunks.empty())) return;
  options.on_warning(Error(ErrorCode::unsupported,
                           fmt::format("{} has no chunks; their size is ignored", target), path));
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
