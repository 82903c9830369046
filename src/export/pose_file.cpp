#include "export/pose_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "export/message_files.h"

// TUM: a line has the time in seconds, the position, and the quaternion in the order x y z w.
// KITTI: the upper three rows of the matrix, one behind the other, without a time. Numbers have as
// many digits as it takes to read the same double.

namespace kitbag {
namespace {

std::string seconds_of(Time time) {
  std::string name = name_of_time(time);
  // Without the zeros in front, which are for names.
  std::size_t sign = name.starts_with('-') ? 1 : 0;
  std::size_t digit = name.find_first_not_of('0', sign);
  if (name[digit] == '.') --digit;
  return name.erase(sign, digit - sign);
}

}  // namespace

std::string tum_line(const TimedPose& pose) {
  const auto& [x, y, z] = pose.pose.translation;
  const auto& [qx, qy, qz, qw] = pose.pose.rotation;
  return fmt::format("{} {} {} {} {} {} {} {}\n", seconds_of(pose.time), x, y, z, qx, qy, qz, qw);
}

std::string kitti_line(const TimedPose& pose) {
  const auto& [px, py, pz] = pose.pose.translation;
  auto [x, y, z, w] = pose.pose.rotation;
  // The formulas are those for a length of 1, which rounded quaternions do not quite have.
  double length = std::hypot(std::hypot(x, y), std::hypot(z, w));
  x /= length;
  y /= length;
  z /= length;
  w /= length;
  std::array<double, 12> m = {
      1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),     px,
      2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),     py,
      2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y), pz};
  std::string line;
  for (double value : m) line += fmt::format("{}{}", line.empty() ? "" : " ", value);
  return line + "\n";
}

void PoseFile::add(const TimedPose& pose) {
  if (!file_) file_ = job_.folder.create(name_);
  file_->append(as_bytes(format_.line(pose)));
}

std::uint64_t PoseFile::finish() {
  if (!file_) return 0;
  std::uint64_t size_bytes = file_->size();
  file_->commit();
  return size_bytes;
}

}  // namespace kitbag
