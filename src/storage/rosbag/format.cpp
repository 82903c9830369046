#include "storage/rosbag/format.h"

#include <algorithm>

#include "storage/chunked/bag.h"
#include "storage/rosbag/check.h"
#include "storage/rosbag/store.h"
#include "storage/rosbag/writer.h"

namespace kitbag {

namespace rosbag {
namespace {

constexpr std::string_view kMagic = "#ROSBAG V";
/// How much of a foreign first line is shown.
constexpr std::size_t kLine = 40;

int matches(const Input& input) {
  if (!input.file || input.head.empty()) return 0;
  std::string_view head = as_text(input.head);
  if (head.starts_with(kVersionLine)) return 100;
  if (head.starts_with(kMagic)) return 90;
  return kVersionLine.starts_with(head) ? 10 : 0;  // cut off inside the line
}

/// Throws for a version line that is not ours.
void check_version(std::string_view head, const std::string& path) {
  if (head.starts_with(kVersionLine)) return;
  if (kVersionLine.starts_with(head)) {
    throw Error(ErrorCode::truncated, "the file ends inside its first line; nothing can be saved",
                path, head.size());
  }
  throw Error(ErrorCode::unsupported,
              "the first line is '" +
                  std::string(head.substr(0, std::min(head.find('\n'), kLine))) +
                  "'; ROS 1 bags are read and written in version 2.0",
              path, 0);
}

BagPtr open(const Input& input, const ReadOptions& options, const Registry&) {
  check_version(as_text(input.head), input.path);
  auto file = std::make_shared<const ChunkFile>(input.file, input.path);
  BagIndex index = open_index(*file, options);
  Summary summary;
  summary.format = "rosbag";
  summary.version = "2.0";
  summary.size_bytes = input.file->size();
  summary.indexed = !index.is_scanned;
  auto store = std::make_shared<const Store>(file, std::move(index), options);
  return std::make_shared<ChunkedBag>(std::move(store), std::move(summary));
}

void check_input(const Input& input, const OnProblem& on_finding, const Registry&) {
  check_version(as_text(input.head), input.path);
  check(ChunkFile(input.file, input.path), on_finding);
}

void check_compression(const WriteOptions& options) {
  const std::string& name = options.compression;
  if (name == "none" || name == "lz4" || name == "bz2") return;
  throw Error(
      ErrorCode::invalid,
      "a ROS 1 bag can be compressed by lz4 or bz2, or not at all (none); not by '" + name + "'");
}

std::unique_ptr<Writer> create(const std::string& path, const WriteOptions& options,
                               const Registry&) {
  check_compression(options);
  return std::make_unique<BagWriter>(create_file(path), path, options);
}

std::unique_ptr<Writer> append(const std::string& path, const WriteOptions& options,
                               const Registry&) {
  check_compression(options);
  ChunkFile file(open_file(path), path);
  std::byte head[kVersionLine.size()];
  check_version(as_text({head, file.file().read(0, head)}), path);
  FileHeader header = read_file_header(file.file(), path);
  if (header.index_pos == 0) {
    throw Error(ErrorCode::unsupported,
                "the bag was not closed and has no index; convert it to a new bag first", path,
                kVersionLine.size());
  }
  BagIndex index = read_index(file, header);
  return std::make_unique<BagWriter>(append_file(path), path, options, index);
}

}  // namespace
}  // namespace rosbag

Format rosbag_format() {
  return {.name = "rosbag",
          .extension = ".bag",
          .description = "ROS 1 bag, version 2.0",
          .matches = rosbag::matches,
          .open = rosbag::open,
          .check = rosbag::check_input,
          .create = rosbag::create,
          .append = rosbag::append,
          .compressions = {"none", "lz4", "bz2"}};
}

}  // namespace kitbag
