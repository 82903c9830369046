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

/// What `options` ask for: versions that are given, else those of `ros_distro`, else the ones that
/// every living release reads. Throws Error (invalid) for a version or release that there is not,
/// and for a version that the release does not read. `format_version` is looked at where it can
/// be a schema version of SQLite, which goes with the metadata of its days.
Conventions conventions_of(const WriteOptions& options);

/// The channel with its `offered_qos_profiles` in that form; itself, where they are already.
ChannelPtr with_qos_form(const ChannelPtr& channel, QosForm form);

/// What rosbag2 embeds in its files under that name ("rosbag2", "serialized_metadata"), where its
/// version is above `metadata_version`, in that one; else as it is.
Metadata readable_by(const Metadata& embedded, int metadata_version);

}  // namespace kitbag::rosbag2
