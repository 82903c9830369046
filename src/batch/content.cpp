#include "batch/content.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/crc32.h"
#include "base/path.h"
#include "base/sha256.h"
#include "io/database_logs.h"

// A state answers whether anybody has written to a place since, without reading it: the number of
// files, their bytes and the newest time, as "3 81920 1767225600000000000". Another state proves
// nothing, since a copy has other times; then the sum decides (Progress).
//
//   a file here           CRC-32 of its bytes
//   a folder here         SHA-256 of a line for each file, its CRC-32 and its name, sorted by name
//   a file in a store     what the store says of its version; nothing is read
//   a folder in a store   none: each file would take a request
//
// A CRC is enough, since it tells a copy from another content and does not withstand a forger.

namespace kitbag::batch {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;

struct Sizes {
  std::uint64_t files = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;

  void add(const FileStatus& file) {
    ++files;
    size_bytes += file.size_bytes;
    modified_ns = std::max(modified_ns, to_ns(file.modified));
  }
  std::string text() const {
    return files == 0 ? "" : fmt::format("{} {} {}", files, size_bytes, modified_ns);
  }
};

std::uint32_t crc_of(const ReadFile& file) {
  std::vector<std::byte> block(kBlockBytes);
  std::uint32_t sum = 0;
  for (std::uint64_t at = 0;;) {
    std::size_t count = file.read(at, block);
    if (count == 0) return sum;
    sum = crc32(ByteView(block).first(count), sum);
    at += count;
  }
}

}  // namespace

std::string state_of(const FileStatus& file, const std::string& path, const Session& session) {
  Sizes sizes;
  sizes.add(with_logs(file, path, *session.file_system(path)));
  return sizes.text();
}

std::string state_of(const std::string& path, const Session& session) {
  std::string place = without_slash(path);
  FileSystemPtr files = session.file_system(place);
  auto there = files->status(place);
  if (!there) return {};
  if (!there->is_folder) return state_of(*there, place, session);
  Sizes sizes;
  files->visit_below(place, [&](const FolderEntry& entry) { sizes.add(entry.status); });
  return sizes.text();
}

std::string sum_of(const std::string& path, const Session& session) {
  std::string place = without_slash(path);
  FileSystemPtr files = session.file_system(place);
  auto there = files->status(place);
  bool is_folder = there && there->is_folder;
  if (!is_folder) {
    auto file = files->open(place);
    return files->is_local() ? fmt::format("{:08x}", crc_of(*file)) : file->identity();
  }
  if (!files->is_local()) return {};  // a request for each file; its state has to do
  std::map<std::string, std::string> sums;
  // Names first, and sorted by the map: a file system lists them in any order.
  files->visit_below(place, [&](const FolderEntry& entry) { sums[entry.name]; });
  std::string text;
  for (auto& [name, sum] : sums) {
    text += fmt::format("{:08x} {}\n", crc_of(*files->open(path_in(place, name))), name);
  }
  ByteView bytes = as_bytes(text);
  return sha256(std::span(&bytes, 1));
}

}  // namespace kitbag::batch
