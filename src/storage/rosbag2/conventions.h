#pragma once

#include "kitbag/bag.h"
#include "kitbag/rosbag2.h"

namespace kitbag::rosbag2 {

/// What a bag is written in so that some release of ROS 2, and all later ones, read it.
struct Conventions {
  int schema_version = 0;    ///< of a SQLite bag
  int metadata_version = 0;  ///< of metadata.yaml, and of what is embedded in files
  /// Of `offered_qos_profiles` in files. In metadata.yaml the form is that of its version.
  QosForm qos = QosForm::numbers;
};

/// The versions that `options` require: those that are set, else those of `ros_distro`, else the
/// ones that every supported release reads. Throws Error (invalid) for an unknown version or
/// release, and for a version that the release does not read. `format_version` is used if it can be
/// a schema version of SQLite; the metadata is then that of its time.
Conventions conventions_of(const WriteOptions& options);

/// The channel with its `offered_qos_profiles` in that form; itself, where they are already.
ChannelPtr with_qos_form(const ChannelPtr& channel, QosForm form);

/// Embedded metadata (embedded.h) in version `metadata_version` if its own is higher; any other
/// record as it is.
Metadata readable_by(const Metadata& embedded, int metadata_version);

}  // namespace kitbag::rosbag2
