#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/message.h"
#include "kitbag/session.h"
#include "kitbag/value.h"

namespace kitbag {

/// The type of a number in a point.
enum class PointNumber : std::uint8_t {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  float32,
  float64
};
std::size_t bytes_of(PointNumber number);

/// What each point has under one name.
struct PointField {
  std::string name;          ///< of letters, digits and "_"; no two are the same
  PointNumber number{};      ///< of each value
  std::uint32_t offset = 0;  ///< in a point of the message
  std::uint32_t count = 1;   ///< values, one after the other
  std::size_t bytes() const { return bytes_of(number) * count; }
};

/// The points of a message. Its sizes agree with its data.
struct PointCloud {
  std::uint32_t width = 0;   ///< points of a row
  std::uint32_t height = 0;  ///< rows; 1: the points have no order
  std::vector<PointField> fields = {};
  std::string frame = {};  ///< as the message says
  /// From where the points were seen: x, y, z, and a quaternion w, x, y, z.
  std::array<double, 7> viewpoint = {0, 0, 0, 1, 0, 0, 0};

  std::uint64_t points() const { return std::uint64_t{width} * height; }
  /// Returns the bytes of a point in packed().
  std::size_t point_bytes() const;
  /// Returns all points without padding: their fields in order, little-endian.
  std::vector<std::byte> packed() const;

  std::uint32_t point_step = 0;  ///< bytes from one point to the next
  std::uint64_t row_step = 0;    ///< bytes from one row to the next
  bool is_big_endian = false;
  ByteView data = {};  ///< in the message, or in `copied`
  Value holder = {};   ///< what `data` lies in
  std::vector<std::byte> copied = {};
};

/// Reads points from messages: sensor_msgs/PointCloud2 and PointCloud, foxglove.PointCloud, and
/// LaserScan of both.
/// One thread.
class PointCloudReader {
 public:
  explicit PointCloudReader(const Session& session) : values_(session) {}

  /// Returns the points of a message, which must outlive them. Of a scan, those whose range is
  /// valid, in the plane of the scanner. Throws Error, with topic and time: corrupt or truncated
  /// for sizes that contradict each other or the data, unsupported for what has no points, and as
  /// ValueReader.
  PointCloud read(const Message& message);

 private:
  ValueReader values_;
};

}  // namespace kitbag
