#include "export/point_cloud.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "export/left_out.h"
#include "kitbag/base64.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"

// A cloud of ROS and one of Foxglove differ in names, in the numbers of types, and in that ROS has
// rows: a camera of depths gives a point for each pixel. Both may have padding and fields that
// overlap (`rgb`, and its bytes one by one).
//
// Names of fields become words in the header of a file, so what is no letter or digit becomes "_".

namespace kitbag {
namespace {

/// More than any sensor has; a header of a file has a line or two for each.
constexpr std::size_t kMostFields = 1024;
/// A packed point may be so many times as large as that of the message, whose fields may overlap.
constexpr std::uint64_t kMostOverlap = 8;

using Number = PointNumber;
/// By the constants of sensor_msgs/PointField, from 1 on.
constexpr std::array<Number, 8> kRosNumbers = {Number::int8,    Number::uint8,  Number::int16,
                                               Number::uint16,  Number::int32,  Number::uint32,
                                               Number::float32, Number::float64};
/// By the constants of foxglove.PackedElementField, from 1 on.
constexpr std::array<Number, 8> kFoxgloveNumbers = {Number::uint8,   Number::int8,   Number::uint16,
                                                    Number::int16,   Number::uint32, Number::int32,
                                                    Number::float32, Number::float64};

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorCode::corrupt, sentence);
}

std::uint32_t number_at(const Value& value, std::string_view path) {
  return value.get<std::uint32_t>(path);
}

/// A name that has not been used.
std::string word(std::string_view name, std::set<std::string>& used) {
  std::string safe;
  for (char c : name) {
    bool is_safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    safe += is_safe ? c : '_';
  }
  if (safe.empty()) safe = "field";
  std::string distinct = safe;
  for (int i = 2; !used.insert(distinct).second; ++i) distinct = fmt::format("{}_{}", safe, i);
  return distinct;
}

std::vector<PointField> fields_of(const Value& list, const std::array<Number, 8>& numbers,
                                  std::string_view type_name, std::uint32_t point_step) {
  if (list.size() == 0) refuse("the cloud has no fields");
  if (list.size() > kMostFields) {
    throw Error(ErrorCode::limit, fmt::format("the cloud has {} fields; at most {} are read",
                                              list.size(), kMostFields));
  }
  std::vector<PointField> fields;
  std::set<std::string> used;
  std::uint64_t all_bytes = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value each = list.at(i);
    auto name = each.get<std::string>("name");
    std::uint32_t type = number_at(each, type_name);
    if (type < 1 || type > numbers.size()) {
      refuse(
          fmt::format("the field {} of the points has the unknown type {}", escaped(name), type));
    }
    PointField field{.name = word(name, used),
                     .number = numbers.at(type - 1),
                     .offset = number_at(each, "offset"),
                     .count = 1};
    // Old drivers write 0 for one value.
    if (auto count = each.find("count")) field.count = std::max(count->as<std::uint32_t>(), 1U);
    // `count` first: then the sum cannot overflow.
    if (field.count > point_step || field.offset + field.bytes() > point_step) {
      refuse(fmt::format("the field {} ends beyond its point, which has {} bytes", escaped(name),
                         point_step));
    }
    all_bytes += field.bytes();
    fields.push_back(std::move(field));
  }
  if (all_bytes > kMostOverlap * point_step) {
    throw Error(ErrorCode::limit, "the fields of the points overlap too often");
  }
  return fields;
}

/// Bytes of the field `data`: of JSON, a text in base64.
void take_data(const Value& message, PointCloud& cloud) {
  cloud.holder = message.get("data");
  if (const auto* text = std::get_if<std::string>(&cloud.holder.content())) {
    auto decoded = decode_base64(*text);
    if (!decoded) refuse("the field data of the cloud is a text, and not base64");
    cloud.copied = std::move(*decoded);
    cloud.data = cloud.copied;
    return;
  }
  if (cloud.holder.size() == 0) return;
  if (!std::holds_alternative<PackedNumbers>(cloud.holder.content())) {
    // Of JSON without a schema: number by number.
    cloud.copied.reserve(cloud.holder.size());
    for (std::size_t i = 0; i < cloud.holder.size(); ++i) {
      cloud.copied.push_back(static_cast<std::byte>(cloud.holder.at(i).as<std::uint8_t>()));
    }
    cloud.data = cloud.copied;
    return;
  }
  PackedNumbers numbers = cloud.holder.numbers();
  if (numbers.element->flat_bytes != 1) {
    throw Error(ErrorCode::unsupported, "the field data of the cloud is no list of bytes");
  }
  cloud.data = numbers.bytes;
}

void check_size(const PointCloud& cloud) {
  if (cloud.points() == 0) return;
  std::uint64_t row_bytes = std::uint64_t{cloud.width} * cloud.point_step;
  if (cloud.row_step < row_bytes) {
    refuse(fmt::format("a row_step of {} bytes is too short for {} points of {} bytes",
                       cloud.row_step, cloud.width, cloud.point_step));
  }
  // The last row need not be padded.
  bool has_a_row = row_bytes <= cloud.data.size();
  bool has_all = has_a_row && cloud.height - 1 <= (cloud.data.size() - row_bytes) / cloud.row_step;
  if (!has_all) {
    throw Error(ErrorCode::truncated,
                fmt::format("{} x {} points of {} bytes need more than the {} bytes that there are",
                            cloud.width, cloud.height, cloud.point_step, cloud.data.size()));
  }
}

PointCloud ros_cloud(const Value& message) {
  PointCloud cloud{.width = number_at(message, "width"), .height = number_at(message, "height")};
  cloud.frame = message.get<std::string>("header.frame_id");
  cloud.point_step = number_at(message, "point_step");
  cloud.row_step = number_at(message, "row_step");
  if (cloud.row_step == 0) cloud.row_step = std::uint64_t{cloud.width} * cloud.point_step;
  cloud.is_big_endian = message.get<bool>("is_bigendian");
  cloud.fields = fields_of(message.get("fields"), kRosNumbers, "datatype", cloud.point_step);
  take_data(message, cloud);
  check_size(cloud);
  return cloud;
}

/// Where a cloud of Foxglove was seen from.
void take_pose(const Value& message, PointCloud& cloud) {
  auto pose = message.find("pose");
  if (!pose || pose->is_nothing()) return;
  constexpr std::array<std::string_view, 7> kPaths = {
      "position.x",    "position.y",    "position.z",   "orientation.w",
      "orientation.x", "orientation.y", "orientation.z"};
  std::array<double, 7> found{};
  for (std::size_t i = 0; i < kPaths.size(); ++i) {
    auto value = pose->find(kPaths.at(i));
    if (!value || value->is_nothing()) return;
    found.at(i) = value->as<double>();
  }
  bool has_rotation = found[3] != 0 || found[4] != 0 || found[5] != 0 || found[6] != 0;
  if (!has_rotation) found[3] = 1;
  cloud.viewpoint = found;
}

PointCloud foxglove_cloud(const Value& message) {
  PointCloud cloud{.width = 0, .height = 1};
  cloud.frame = message.get<std::string>("frame_id");
  cloud.point_step = number_at(message, "point_stride");
  cloud.fields = fields_of(message.get("fields"), kFoxgloveNumbers, "type", cloud.point_step);
  take_data(message, cloud);
  // Not 0: there are fields, and all of them are within the point.
  std::uint64_t points = cloud.data.size() / cloud.point_step;
  if (points * cloud.point_step != cloud.data.size()) {
    throw Error(ErrorCode::truncated, fmt::format("{} bytes are no whole number of points, which "
                                                  "have {} each",
                                                  cloud.data.size(), cloud.point_step));
  }
  if (points > UINT32_MAX) throw Error(ErrorCode::limit, "the cloud has too many points");
  cloud.width = static_cast<std::uint32_t>(points);
  cloud.row_step = cloud.data.size();
  take_pose(message, cloud);
  return cloud;
}

std::vector<double> doubles_at(const Value& message, std::string_view path) {
  std::vector<double> all;
  auto list = message.find(path);
  if (!list || list->is_nothing()) return all;
  all.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) all.push_back(list->at(i).as<double>());
  return all;
}

/// The angles of the beams, and which ranges are valid.
struct Beams {
  double first = 0;
  double step = 0;
  double least = 0;
  double greatest = std::numeric_limits<double>::infinity();
};

PointCloud scan_cloud(const Value& message) {
  PointCloud cloud{.width = 0, .height = 1};
  std::vector<double> ranges = doubles_at(message, "ranges");
  std::vector<double> intensities = doubles_at(message, "intensities");
  Beams beams;
  if (message.find("angle_increment")) {
    beams = {message.get<double>("angle_min"), message.get<double>("angle_increment"),
             message.get<double>("range_min"), message.get<double>("range_max")};
    cloud.frame = message.get<std::string>("header.frame_id");
  } else {
    double last = message.get<double>("end_angle");
    beams.first = message.get<double>("start_angle");
    if (ranges.size() > 1) {
      beams.step = (last - beams.first) / static_cast<double>(ranges.size() - 1);
    }
    cloud.frame = message.get<std::string>("frame_id");
    take_pose(message, cloud);
  }
  bool has_intensities = !ranges.empty() && intensities.size() == ranges.size();
  std::vector<std::string_view> names = {"x", "y", "z"};
  if (has_intensities) names.emplace_back("intensity");
  for (std::string_view name : names) {
    cloud.fields.push_back({std::string(name), Number::float32, cloud.point_step, 1});
    cloud.point_step += sizeof(float);
  }
  std::vector<float> values;
  values.reserve(ranges.size() * names.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    double range = ranges[i];
    // NaN and infinity are no ranges either.
    bool is_valid = range >= beams.least && range <= beams.greatest && std::isfinite(range);
    if (!is_valid) continue;
    double angle = beams.first + static_cast<double>(i) * beams.step;
    values.push_back(static_cast<float>(range * std::cos(angle)));
    values.push_back(static_cast<float>(range * std::sin(angle)));
    values.push_back(0);
    if (has_intensities) values.push_back(static_cast<float>(intensities[i]));
    ++cloud.width;
  }
  ByteView bytes = std::as_bytes(std::span(values));
  cloud.copied.assign(bytes.begin(), bytes.end());
  cloud.data = cloud.copied;
  cloud.row_step = cloud.data.size();
  cloud.is_big_endian = std::endian::native == std::endian::big;
  return cloud;
}

/// Adds a float to each point; `at` gives that of a point.
class FloatPoints {
 public:
  explicit FloatPoints(std::size_t count) : count_(count) {}

  template <class At>
  void add(const At& at) {
    for (std::size_t i = 0; i < count_; ++i) values_.push_back(at(i));
    ++columns_;
  }
  /// As the bytes of points.
  std::vector<std::byte> bytes() const {
    std::vector<float> points(values_.size());
    for (std::size_t column = 0; column < columns_; ++column) {
      for (std::size_t i = 0; i < count_; ++i) {
        points[i * columns_ + column] = values_[column * count_ + i];
      }
    }
    ByteView bytes = std::as_bytes(std::span(points));
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::size_t columns_ = 0;
  std::size_t count_;
  std::vector<float> values_;
};

/// sensor_msgs/PointCloud: a list of points, and lists of values that each of them has.
PointCloud list_cloud(const Value& message) {
  PointCloud cloud{.width = 0, .height = 1};
  Value points = message.get("points");
  if (points.size() > UINT32_MAX) throw Error(ErrorCode::limit, "the cloud has too many points");
  FloatPoints floats(points.size());
  std::set<std::string> used;
  auto add = [&](std::string_view name, const auto& at) {
    cloud.fields.push_back({word(name, used), Number::float32, cloud.point_step, 1});
    cloud.point_step += sizeof(float);
    floats.add(at);
  };
  for (std::string_view axis : {"x", "y", "z"}) {
    add(axis, [&](std::size_t i) { return points.at(i).get<float>(axis); });
  }
  auto channels = message.find("channels");
  if (!channels) channels = message.find("chan");  // of 2008
  for (std::size_t i = 0; channels && i < channels->size(); ++i) {
    Value channel = channels->at(i);
    auto values = channel.find("values");
    if (!values) values = channel.get("vals");
    if (values->size() != points.size()) {
      refuse(fmt::format("a channel has {} values for {} points", values->size(), points.size()));
    }
    if (i == kMostFields) throw Error(ErrorCode::limit, "the cloud has too many channels");
    add(channel.get<std::string>("name"),
        [&](std::size_t at) { return values->at(at).as<float>(); });
  }
  cloud.frame = message.get<std::string>("header.frame_id");
  cloud.width = static_cast<std::uint32_t>(points.size());
  cloud.copied = floats.bytes();
  cloud.data = cloud.copied;
  cloud.row_step = cloud.data.size();
  cloud.is_big_endian = std::endian::native == std::endian::big;
  return cloud;
}

PointCloud cloud_of(const Value& message) {
  if (message.find("point_step")) return ros_cloud(message);
  if (message.find("point_stride")) return foxglove_cloud(message);
  if (message.find("ranges")) return scan_cloud(message);
  if (message.find("points")) return list_cloud(message);
  throw Error(ErrorCode::unsupported,
              "the message has no points; a cloud has the fields point_step (or "
              "point_stride), fields and data, or points");
}

}  // namespace

std::size_t bytes_of(PointNumber number) {
  switch (number) {
    case Number::int16:
    case Number::uint16:
      return 2;
    case Number::int32:
    case Number::uint32:
    case Number::float32:
      return 4;
    case Number::float64:
      return 8;
    default:
      return 1;
  }
}

std::size_t PointCloud::point_bytes() const {
  std::size_t all = 0;
  for (const PointField& field : fields) all += field.bytes();
  return all;
}

std::vector<std::byte> PointCloud::packed() const {
  std::vector<std::byte> all(points() * point_bytes());
  std::byte* to = all.data();
  for (std::uint32_t y = 0; y < height; ++y) {
    const std::byte* point = data.data() + y * row_step;
    for (std::uint32_t x = 0; x < width; ++x, point += point_step) {
      for (const PointField& field : fields) {
        std::memcpy(to, point + field.offset, field.bytes());
        const std::size_t size = bytes_of(field.number);
        for (std::uint32_t i = 0; is_big_endian && i < field.count; ++i) {
          std::reverse(to + i * size, to + (i + 1) * size);
        }
        to += field.bytes();
      }
    }
  }
  return all;
}

PointCloud PointCloudReader::read(const Message& message) {
  // The payload outlives the cloud, so its numbers are used where they are.
  Owner owner(Owner(), message.data.data());
  Value value = values_.read(message, owner);
  return in_message(message, [&] { return cloud_of(value); });
}

}  // namespace kitbag
