#include "export/cloud_files.h"

#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <set>
#include <utility>

#include "export/message_files.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"

// Both formats have a header in text and then the points. PCD names fields with their sizes and
// counts, as a message does, so only padding goes. PLY has scalars: a field with several values
// becomes several properties, and colours, which ROS packs into the bytes of a float, become three
// bytes that every program understands.

namespace kitbag {
namespace {

constexpr std::size_t kMostProperties = 1024;

char pcd_type(PointNumber number) {
  switch (number) {
    case PointNumber::float32:
    case PointNumber::float64:
      return 'F';
    case PointNumber::int8:
    case PointNumber::int16:
    case PointNumber::int32:
      return 'I';
    default:
      return 'U';
  }
}

std::string_view ply_type(PointNumber number) {
  switch (number) {
    case PointNumber::int8:
      return "char";
    case PointNumber::int16:
      return "short";
    case PointNumber::uint16:
      return "ushort";
    case PointNumber::int32:
      return "int";
    case PointNumber::uint32:
      return "uint";
    case PointNumber::float32:
      return "float";
    case PointNumber::float64:
      return "double";
    default:
      return "uchar";
  }
}

bool is_packed_color(const PointField& field) {
  bool is_named = field.name == "rgb" || field.name == "rgba";
  return is_named && field.count == 1 && bytes_of(field.number) == 4;
}

/// A byte of a point in the message becomes the next one of the file.
using BytesOfPoint = std::vector<std::size_t>;

/// The properties of a PLY, and which bytes of a packed point they are.
class PlyProperties {
 public:
  explicit PlyProperties(const PointCloud& cloud) {
    for (const PointField& field : cloud.fields) {
      if (!is_packed_color(field)) used_.insert(field.name);
    }
    std::size_t at = 0;
    for (const PointField& field : cloud.fields) {
      if (order_.size() > kMostProperties * sizeof(double) || field.count > kMostProperties) {
        refuse();
      }
      is_packed_color(field) ? add_color(field, at) : add(field, at);
      at += field.bytes();
    }
    if (count_ > kMostProperties) refuse();
  }

  const std::string& header() const { return header_; }
  const BytesOfPoint& order() const { return order_; }

 private:
  [[noreturn]] static void refuse() {
    throw Error(ErrorCode::limit, fmt::format("a point has more than {} values", kMostProperties));
  }

  void add_line(std::string_view type, const std::string& name) {
    header_ += fmt::format("property {} {}\n", type, name);
    ++count_;
  }

  void add(const PointField& field, std::size_t at) {
    for (std::uint32_t i = 0; i < field.count; ++i) {
      std::string name =
          field.count == 1 ? field.name : free_name(fmt::format("{}_{}", field.name, i));
      add_line(ply_type(field.number), name);
    }
    for (std::size_t i = 0; i < field.bytes(); ++i) order_.push_back(at + i);
  }

  /// Little-endian: blue, green, red, alpha.
  void add_color(const PointField& field, std::size_t at) {
    constexpr std::string_view kNames[] = {"red", "green", "blue", "alpha"};
    constexpr std::size_t kBytes[] = {2, 1, 0, 3};
    for (std::size_t i = 0; i < (field.name == "rgba" ? 4U : 3U); ++i) {
      add_line("uchar", free_name(std::string(kNames[i])));
      order_.push_back(at + kBytes[i]);
    }
  }

  std::string free_name(const std::string& name) {
    std::string distinct = name;
    for (int i = 2; !used_.insert(distinct).second; ++i) distinct = fmt::format("{}_{}", name, i);
    return distinct;
  }

  std::string header_;
  BytesOfPoint order_;
  std::size_t count_ = 0;
  std::set<std::string> used_;
};

}  // namespace

CloudFile pcd_file(const PointCloud& cloud, Time) {
  std::string names;
  std::string sizes;
  std::string types;
  std::string counts;
  for (const PointField& field : cloud.fields) {
    names += " " + field.name;
    sizes += fmt::format(" {}", bytes_of(field.number));
    types += fmt::format(" {}", pcd_type(field.number));
    counts += fmt::format(" {}", field.count);
  }
  std::string viewpoint;
  for (double value : cloud.viewpoint) viewpoint += fmt::format(" {}", value);
  std::string header = fmt::format(
      "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS{}\nSIZE{}\nTYPE{}\n"
      "COUNT{}\nWIDTH {}\nHEIGHT {}\nVIEWPOINT{}\nPOINTS {}\nDATA binary\n",
      names, sizes, types, counts, cloud.width, cloud.height, viewpoint, cloud.points());
  return {std::move(header), cloud.packed()};
}

CloudFile ply_file(const PointCloud& cloud, Time time) {
  PlyProperties properties(cloud);
  std::string header = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment time {}\ncomment frame {}\n"
      "element vertex {}\n{}end_header\n",
      name_of_time(time), escaped(cloud.frame), cloud.points(), properties.header());
  const BytesOfPoint& order = properties.order();
  std::vector<std::byte> packed = cloud.packed();
  // Without colors nothing changes its place, and the points are used as they are.
  bool is_unchanged = order.size() == cloud.point_bytes();
  for (std::size_t i = 0; is_unchanged && i < order.size(); ++i) is_unchanged = order[i] == i;
  if (is_unchanged) return {std::move(header), std::move(packed)};
  std::vector<std::byte> points(cloud.points() * order.size());
  std::byte* to = points.data();
  const std::byte* from = packed.data();
  for (std::uint64_t i = 0; i < cloud.points(); ++i, from += cloud.point_bytes()) {
    for (std::size_t byte : order) *to++ = from[byte];
  }
  return {std::move(header), std::move(points)};
}

}  // namespace kitbag
