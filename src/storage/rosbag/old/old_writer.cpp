#include "storage/rosbag/old/old_writer.h"

#include <fmt/format.h>

#include <utility>

#include "storage/rosbag/old/run_lines.h"
#include "storage/rosbag/records.h"

// These versions are written for programs of their time, so a bag must not hold anything that those
// do not expect. Everything without a place is left out and counted by kind, and one warning at the
// end lists the kinds. Only what would make the bag wrong (other encodings, compression, a message
// above 1 GiB) is refused, before or while it is written.

namespace kitbag::rosbag {

OldWriter::OldWriter(std::unique_ptr<WriteFile> file, const std::string& path,
                     std::string_view version, const WriteOptions& options)
    : RunWriter(std::move(file), path, fmt::format("rosbag {}", version), kMaxRunMessage,
                kStoredTimes, options) {
  if (options.compression != "none" || !options.gpg_key.empty()) {
    throw Error(ErrorCode::invalid,
                fmt::format("a bag of version {} cannot be compressed or encrypted", version),
                path);
  }
}

void OldWriter::declare(const Channel& channel) {
  if (channel.encoding != "ros1") {
    throw Error(
        ErrorCode::unsupported,
        fmt::format(
            "a ROS 1 bag of this version holds only ROS 1 messages, but {} has the encoding '{}'",
            channel.topic, channel.encoding),
        path());
  }
  declare_ros1(channel);
}

}  // namespace kitbag::rosbag
