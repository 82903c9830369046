#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/picture.h"
#include "kitbag/session.h"
#include "tests/fuzz/targets.h"

// Messages with a picture: what is read is as large as it was asked for, and can be written.

namespace kitbag::fuzz {
namespace {

constexpr const char* kImage =
    "uint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\nuint8[] data\n";
constexpr const char* kCompressedImage = "string format\nuint8[] data\n";
constexpr PictureOptions kOptions = {.width = 24, .height = 16, .most_pixels = 1 << 20};

const Session& session() {
  static const Session kSession;
  return kSession;
}

ChannelPtr channel(const char* type, const char* definition) {
  auto schema = std::make_shared<Schema>(Schema{type, "ros1msg", definition});
  return std::make_shared<const Channel>(Channel{"/camera", "ros1", schema});
}

/// Whether the image is compressed, then a payload.
void run_picture(ByteView bytes) {
  static const ChannelPtr kRaw = channel("sensor_msgs/Image", kImage);
  static const ChannelPtr kCompressed = channel("sensor_msgs/CompressedImage", kCompressedImage);
  if (bytes.empty()) return;
  bool is_compressed = bytes.front() != std::byte{};
  const Channel& of = is_compressed ? *kCompressed : *kRaw;
  try_it([&] {
    Picture picture = picture_of({&of, 0, 0, {}, {}, bytes.subspan(1)}, kOptions, session());
    require(picture.width > 0 && picture.width <= kOptions.width);
    require(picture.height > 0 && picture.height <= kOptions.height);
    encode_picture(picture, PictureFormat::jpeg);
    encode_picture(picture, PictureFormat::png);
  });
}

void put(std::uint32_t value, std::string& to) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string_view text, std::string& to) {
  put(static_cast<std::uint32_t>(text.size()), to);
  to += text;
}

std::vector<std::string> picture_seeds() {
  std::vector<std::string> seeds;
  for (const char* encoding :
       {"rgb8", "bgra16", "mono8", "16UC1", "32FC1", "64FC3", "8SC2", "bayer_rggb8", "bayer_gbrg16",
        "yuv422", "yuv422_yuy2", "nv21", "nv24"}) {
    std::string& seed = seeds.emplace_back(1, '\0');
    put(6, seed);
    put(4, seed);
    put(encoding, seed);
    seed += '\0';
    put(0, seed);
    put(std::string(4 * 6 * 24, 'x'), seed);
  }
  Picture picture{40, 30, 3, std::vector<std::byte>(std::size_t{3} * 40 * 30, std::byte{90})};
  for (PictureFormat format : {PictureFormat::jpeg, PictureFormat::png}) {
    std::string& seed = seeds.emplace_back(1, '\1');
    put("32FC1; compressedDepth png", seed);
    put(as_text(encode_picture(picture, format)), seed);
  }
  return seeds;
}

}  // namespace

void add_picture(std::map<std::string, Target>& all) {
  all["picture"] = {run_picture, picture_seeds};
}

}  // namespace kitbag::fuzz
