#include "io/staged_folder.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>

#include "io/names.h"
#include "io/posix.h"

namespace kitbag {

namespace fs = std::filesystem;

fs::path stage_folder(const fs::path& target) {
  std::string name =
      (target.parent_path() / fmt::format(".{}.part.XXXXXX", target.filename().string())).string();
  if (!::mkdtemp(name.data())) {
    throw create_error(fmt::format("create a folder in {}", folder_of(target)), errno, target,
                       target.string());
  }
  // mkdtemp(3) makes it for nobody else.
  mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(name.c_str(), 0777 & ~mask);
  return name;
}

void publish_folder(const fs::path& staged, const fs::path& target) {
  sync_folder(staged / "entry", target.string());
  if (::rename(staged.c_str(), target.c_str()) != 0) {
    throw system_error("give the finished folder its name", errno, target.string());
  }
  sync_folder(target, target.string());
}

void remove_folder(const fs::path& staged) noexcept {
  std::error_code ignored;
  fs::remove_all(staged, ignored);
}

void make_folder(const fs::path& target) {
  if (::mkdir(target.c_str(), 0777) == 0 || errno == EEXIST) return;
  throw create_error("create the folder", errno, target, target.string());
}

}  // namespace kitbag
