#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kitbag/bag.h"
#include "kitbag/file_system.h"
#include "storage/writing/run_writer.h"

namespace kitbag {
class Session;
}

namespace kitbag::rosbag {

/// What the writers of the versions that are a run of records share.
class OldWriter : public RunWriter {
 public:
  /// Throws Error (invalid) for options that ask for compression or encryption.
  OldWriter(std::unique_ptr<WriteFile> file, const std::string& path, std::string_view version,
            const WriteOptions& options);

 protected:
  /// Throws Error for one that cannot be held.
  void declare(const Channel& channel) final;
  /// As declare(), of a channel of ROS 1.
  virtual void declare_ros1(const Channel& channel) = 0;
};

/// Writes `#ROSRECORD V1.1`: each message with its topic, md5sum and type in front, and nothing
/// else.
std::unique_ptr<Writer> create_1_1(const std::string& path, const WriteOptions& options,
                                   const Session& session);

/// Writes `#ROSRECORD V1.2` as its last recorders did: a file header, a definition in front of the
/// first message of each topic, the index at the end.
std::unique_ptr<Writer> create_1_2(const std::string& path, const WriteOptions& options,
                                   const Session& session);

}  // namespace kitbag::rosbag
