#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "export/message_files.h"
#include "kitbag/exporter.h"
#include "kitbag/time.h"
#include "kitbag/transforms.h"
#include "kitbag/value.h"

namespace kitbag {

/// Where something was at a time.
struct TimedPose {
  Time time{};
  Transform pose = {};
};

/// What a topic with poses has in each message.
enum class PoseKind {
  pose,        ///< one pose: Odometry, PoseStamped, PoseWithCovarianceStamped, PoseInFrame
  path,        ///< all poses so far, or to come: Path, PosesInFrame
  transforms,  ///< of several frames: TFMessage, TransformStamped, FrameTransform
};
/// Nothing if the type has no poses.
std::optional<PoseKind> pose_kind(const Channel& channel);

/// Reads poses from messages. One thread.
class PoseReader {
 public:
  PoseReader(const ExportRequest& request, const Session& session)
      : session_(session),
        values_(session),
        times_(request, session),
        time_(request.columns.time) {}

  /// Returns the pose of a message. Throws Error, with topic and time: as ValueReader, and
  /// unsupported for a pose that is NaN or infinite.
  TimedPose pose(const Message& message);
  /// Returns the poses of a path, with their own stamps, or with the time of the message where they
  /// have none, without those that are NaN or infinite. Throws as pose().
  std::vector<TimedPose> path(const Message& message);
  /// Returns the transforms in a message, with their own stamps if times are those of headers.
  /// Those that are NaN or infinite are among them. Throws Error, with topic and time.
  std::vector<FrameTransform> transforms(const Message& message);

  /// Returns how many poses of paths were NaN or infinite.
  std::uint64_t invalid() const { return invalid_; }
  /// Returns how many poses had the orientation 0 0 0 0, which became 0 0 0 1.
  std::uint64_t without_orientation() const { return without_orientation_; }

 private:
  Transform transform_of(const Value& pose);

  Session session_;
  ValueReader values_;
  MessageTimes times_;
  RowTime time_;
  std::vector<std::unique_ptr<Decoder>> decoders_;  ///< of transforms, by slot
  std::uint64_t invalid_ = 0;
  std::uint64_t without_orientation_ = 0;
};

/// Whether all numbers of a pose are finite.
bool is_finite(const Transform& pose);

}  // namespace kitbag
