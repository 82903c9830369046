#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "export/poses.h"
#include "kitbag/exporter.h"

namespace kitbag {

/// How poses become lines.
struct PoseFormat {
  std::string_view extension;
  std::string (*line)(const TimedPose& pose);
};

/// "1700000000.5 x y z qx qy qz qw"
std::string tum_line(const TimedPose& pose);
/// Three rows of four: the matrix of the rotation, and the position.
std::string kitti_line(const TimedPose& pose);

/// A file of poses, which comes into being with the first one.
class PoseFile {
 public:
  /// `job` has to outlive it.
  PoseFile(std::string name, PoseFormat format, const ExportJob& job)
      : name_(std::move(name)), format_(format), job_(job) {}

  void add(const TimedPose& pose);
  /// Returns its size; 0: there is none.
  std::uint64_t finish();

 private:
  std::string name_;
  PoseFormat format_;
  const ExportJob& job_;
  std::unique_ptr<WriteFile> file_;
};

}  // namespace kitbag
