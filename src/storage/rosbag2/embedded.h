#pragma once

#include <map>
#include <string>

#include "kitbag/bag.h"

// rosbag2 embeds the content of metadata.yaml in its files: in MCAP as a metadata record, which is
// the form that kitbag gives it in every format.

namespace kitbag::rosbag2 {

/// The record in which `yaml` is embedded.
Metadata embedded_record(std::string yaml);

/// Whether it has the name of such a record.
bool is_embedded(const Extra& extra);

/// What is embedded in `record`; null if it is another record.
const std::string* embedded_text(const Metadata& record);

/// The part of embedded metadata that a new bag takes over: all else follows from its messages.
struct TakenOver {
  std::map<std::string, std::string> custom_data;
  std::string ros_distro;

  /// Adds that of `record`. Returns false if it is another record, or damaged. `path` is for
  /// errors.
  bool take(const Metadata& record, const std::string& path);
};

}  // namespace kitbag::rosbag2
