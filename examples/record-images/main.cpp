// Writes images and clouds as a driver would have them, from their own structs, which are not put
// together into a payload first:
//
//     record-images TARGET COUNT direct|buffered

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "kitbag/kitbag.h"
#include "messages.h"

namespace {

constexpr std::string_view kHeaderDefinition =
    "================================================================================\n"
    "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n";
constexpr std::string_view kImageDefinition =
    "Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\n"
    "uint32 step\nuint8[] data\n";
constexpr std::string_view kCloudDefinition =
    "Header header\nuint32 height\nuint32 width\nPointField[] fields\nbool is_bigendian\n"
    "uint32 point_step\nuint32 row_step\nuint8[] data\nbool is_dense\n";
constexpr std::string_view kFieldDefinition =
    "================================================================================\n"
    "MSG: sensor_msgs/PointField\nuint8 INT8=1\nuint8 UINT8=2\nuint8 INT16=3\nuint8 UINT16=4\n"
    "uint8 INT32=5\nuint8 UINT32=6\nuint8 FLOAT32=7\nuint8 FLOAT64=8\nstring name\n"
    "uint32 offset\nuint8 datatype\nuint32 count\n";

kitbag::ChannelPtr make_channel(std::string topic, std::string type, std::string definition,
                                std::string md5sum) {
  auto channel = std::make_shared<kitbag::Channel>();
  channel->topic = std::move(topic);
  channel->encoding = "ros1";
  channel->schema = std::make_shared<kitbag::Schema>(
      kitbag::Schema{std::move(type), "ros1msg", std::move(definition)});
  channel->metadata["md5sum"] = std::move(md5sum);
  return channel;
}

std::vector<std::uint8_t> sensed(std::size_t bytes, std::uint32_t number) {
  std::vector<std::uint8_t> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(i * 7 + number);
  return data;
}

CameraImage take_image(const Header& header) {
  return {header, 480, 640, "rgb8", 640 * 3, sensed(640 * 480 * 3, header.seq)};
}

LidarCloud take_cloud(const Header& header) {
  constexpr std::uint8_t kFloat32 = 7;
  constexpr std::uint32_t kPointStep = 16;
  std::uint32_t points = 20'000 + header.seq;
  return {header,
          {{"x", 0, kFloat32}, {"y", 4, kFloat32}, {"z", 8, kFloat32}},
          points,
          kPointStep,
          sensed(points * kPointStep, header.seq),
          true};
}

void record(const char* target, std::uint32_t count, bool is_direct) {
  using namespace kitbag;
  Session session;
  WriteOptions options;
  options.io = is_direct ? Io::direct : Io::buffered;
  auto writer = session.create(target, options);
  std::string header_definition(kHeaderDefinition);
  auto camera = make_channel("/camera", "sensor_msgs/Image",
                             std::string(kImageDefinition) + header_definition,
                             "060021388200f6f0f447d0fcd9c64743");
  auto lidar = make_channel(
      "/points", "sensor_msgs/PointCloud2",
      std::string(kCloudDefinition) + header_definition + std::string(kFieldDefinition),
      "1158d486dd51d683ce2f1be655c3c181");
  PieceList scratch;
  for (std::uint32_t number = 0; number < count; ++number) {
    constexpr std::uint32_t kFirstSec = 1'700'000'000;
    Time time = from_ns((kFirstSec + number) * std::int64_t{1'000'000'000});
    Header header{number, kFirstSec + number, 0, "sensor"};
    append_message(*writer, camera, {time, time, number}, take_image(header), scratch);
    append_message(*writer, lidar, {time, time, number}, take_cloud(header), scratch);
  }
  writer->close();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: record-images TARGET COUNT direct|buffered\n");
    return 1;
  }
  try {
    record(arguments[1], static_cast<std::uint32_t>(std::atoi(arguments[2])),
           std::string_view(arguments[3]) == "direct");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "record-images: %s\n", error.what());
    return 2;
  }
}
