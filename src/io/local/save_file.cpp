#include "io/copy_file.h"
#include "io/local/write_file.h"
#include "kitbag/file.h"

namespace kitbag {

void save_file(const ReadFile& file, const std::string& path, bool may_replace) {
  auto saved = create_file(path, {.io = Io::buffered, .may_replace = may_replace});
  copy_file(file, *saved, path);
  saved->commit();
}

}  // namespace kitbag
