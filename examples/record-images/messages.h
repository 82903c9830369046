#pragma once

// The messages of a driver, as it has them: what is large lies where the driver put it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/pieces.h"

struct Header {
  std::uint32_t seq = 0;
  std::uint32_t sec = 0;
  std::uint32_t nsec = 0;
  std::string frame_id;
};

/// Like sensor_msgs/Image.
struct CameraImage {
  Header header;
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::string encoding;
  std::uint32_t step = 0;
  std::vector<std::uint8_t> data;
};

struct PointField {
  std::string name;
  std::uint32_t offset = 0;
  std::uint8_t datatype = 0;
};

/// Like sensor_msgs/PointCloud2: behind the large field comes another one.
struct LidarCloud {
  Header header;
  std::vector<PointField> fields;
  std::uint32_t points = 0;
  std::uint32_t point_step = 0;
  std::vector<std::uint8_t> data;
  bool is_dense = false;
};

// How they lie in memory, in ROS 1's encoding: field behind field, texts and arrays with their
// length in front.

inline void list_text(std::string_view text, kitbag::PieceList& pieces) {
  pieces.number(static_cast<std::uint32_t>(text.size())).copy(kitbag::as_bytes(text));
}

inline void list_header(const Header& header, kitbag::PieceList& pieces) {
  pieces.number(header.seq).number(header.sec).number(header.nsec);
  list_text(header.frame_id, pieces);
}

inline void list_data(const std::vector<std::uint8_t>& data, kitbag::PieceList& pieces) {
  pieces.number(static_cast<std::uint32_t>(data.size())).refer(std::as_bytes(std::span(data)));
}

template <>
struct kitbag::Pieces<CameraImage> {
  static void list(const CameraImage& image, PieceList& pieces) {
    list_header(image.header, pieces);
    pieces.number(image.height).number(image.width);
    list_text(image.encoding, pieces);
    pieces.number(std::uint8_t{0}).number(image.step);  // not big-endian
    list_data(image.data, pieces);
  }
};

template <>
struct kitbag::Pieces<LidarCloud> {
  static void list(const LidarCloud& cloud, PieceList& pieces) {
    list_header(cloud.header, pieces);
    pieces.number(std::uint32_t{1}).number(cloud.points);  // height and width
    pieces.number(static_cast<std::uint32_t>(cloud.fields.size()));
    for (const PointField& field : cloud.fields) {
      list_text(field.name, pieces);
      pieces.number(field.offset).number(field.datatype).number(std::uint32_t{1});
    }
    pieces.number(std::uint8_t{0}).number(cloud.point_step);
    pieces.number(cloud.points * cloud.point_step);
    list_data(cloud.data, pieces);
    pieces.number(static_cast<std::uint8_t>(cloud.is_dense));
  }
};
