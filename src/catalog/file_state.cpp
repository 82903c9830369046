#include "catalog/file_state.h"

#include <algorithm>
#include <filesystem>

#include "base/path.h"
#include "io/database_logs.h"
#include "kitbag/error.h"
#include "model/scheme.h"

namespace kitbag::catalog {

std::string catalog_path(const std::string& path, const Session& session) {
  std::string place = session.path_of(path);
  if (!scheme_of(place).empty()) return place;
  std::error_code error;
  auto absolute = std::filesystem::absolute(place, error);
  if (error) throw Error(ErrorCode::io, error.message(), path);
  return without_slash(absolute.lexically_normal().string());
}

std::optional<KnownFile> state_of(const std::string& path, const Session& session) {
  FileSystemPtr files = session.file_system(path);
  auto status = files->status(path);
  if (!status) return std::nullopt;
  KnownFile state = state_of(*status, path, session);
  if (!status->is_folder) return state;
  state.size_bytes = 0;
  // The size and time of a folder itself do not change with the content of its files.
  files->visit(path, [&](const FolderEntry& inside) {
    state.size_bytes += inside.status.size_bytes;
    state.modified_ns = std::max(state.modified_ns, to_ns(inside.status.modified));
  });
  return state;
}

KnownFile state_of(const FileStatus& status, const std::string& path, const Session& session) {
  FileStatus all = with_logs(status, path, *session.file_system(path));
  return {0, all.size_bytes, to_ns(all.modified)};
}

bool is_as_known(const KnownFile& known, const KnownFile& now) {
  return known.size_bytes == now.size_bytes && known.modified_ns == now.modified_ns;
}

}  // namespace kitbag::catalog
