#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/time.h"

namespace kitbag::rosbag2 {

/// What `metadata.yaml` of a bag of rosbag2 says; also embedded in SQLite bags, and as a metadata
/// record "rosbag2" in MCAP.
struct BagMetadata {
  struct Topic {
    std::string name;
    std::string type;      ///< "std_msgs/msg/String"; in version 1 "std_msgs/String"
    std::string encoding;  ///< `serialization_format`
    std::string qos;       ///< YAML text, in the form of the version
    std::string type_hash;
    std::uint64_t messages = 0;
  };
  struct File {
    std::string path;  ///< relative to the folder
    Time start{};
    Duration duration{};
    std::uint64_t messages = 0;
  };

  int version = 0;
  std::string storage;  ///< "sqlite3", "mcap"
  Time start{};
  Duration duration{};
  std::uint64_t messages = 0;
  std::vector<Topic> topics;
  std::string compression_format;  ///< "zstd", or empty
  std::string compression_mode;    ///< "FILE", "MESSAGE", or empty; in capitals
  std::vector<std::string> paths;  ///< of the files, in order
  std::vector<File> files;         ///< the same; from version 5 on
  std::map<std::string, std::string> custom_data;
  std::string ros_distro;
};

inline constexpr int kNewestMetadata = 9;
/// The newest that every living release reads: Humble's.
inline constexpr int kCommonMetadata = 5;
/// `starting_time` of a bag without messages.
inline constexpr Time kNoStart = Time::max();

/// Both forms: the file, and the embedded one, which lacks the outermost key. Throws Error
/// (corrupt; unsupported for a version that is not known).
BagMetadata parse_metadata(std::string_view text, const std::string& path);

/// In the form of `version`, 1 to 9. Newer keys stand there too where they say something, from
/// version 4 on: rosbag2 passes over keys that it does not know, and kitbag reads them whatever the
/// version. As a file; embedded, it lacks the outermost key.
std::string print_metadata(const BagMetadata& metadata, int version, bool is_embedded);

}  // namespace kitbag::rosbag2
