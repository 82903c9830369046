#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/path.h"
#include "kitbag/error.h"
#include "kitbag/play.h"
#include "kitbag/session.h"
#include "storage/directory/files.h"

// A bag knows when it begins. When the files of a directory begin stands in its metadata.yaml; of
// one without these times, nothing is known but the whole.

namespace kitbag {

namespace {

/// Of a directory of rosbag2 whose metadata has the times of its files; else none.
std::vector<PlayedFile> parts_of(const std::string& path, const Session& session) {
  std::string folder = without_slash(session.path_of(path));
  std::optional<rosbag2::BagMetadata> metadata;
  try {
    FileSystemPtr files = session.file_system(folder);
    auto status = files->status(folder);
    if (!status || !status->is_folder) return {};
    metadata = directory::read_metadata(*files, folder, [](const Error&) {});
  } catch (const Error&) {
    return {};  // what can be played is worth more than the names of files
  }
  if (!metadata) return {};
  std::vector<PlayedFile> parts;
  for (const auto& file : metadata->files) {
    if (file.messages > 0) parts.push_back({join(folder, file_name(file.path)), file.start});
  }
  return parts;
}

}  // namespace

std::vector<PlayedFile> played_files(const std::vector<std::string>& paths,
                                     std::span<const BagPtr> bags, const Session& session) {
  std::vector<PlayedFile> played;
  for (std::size_t i = 0; i < paths.size() && i < bags.size(); ++i) {
    std::vector<PlayedFile> parts = parts_of(paths[i], session);
    if (parts.empty()) parts.push_back({paths[i], bags[i]->outline().start});
    played.insert(played.end(), parts.begin(), parts.end());
  }
  std::stable_sort(played.begin(), played.end(),
                   [](const PlayedFile& a, const PlayedFile& b) { return a.begin < b.begin; });
  if (played.size() < 2) played.clear();
  return played;
}

}  // namespace kitbag
