#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/kitbag.h"

namespace bench {

inline constexpr std::uint32_t kWidth = 1280;
inline constexpr std::uint32_t kHeight = 720;

/// A shape that moves over colours and a little noise, as a sensor_msgs/Image behind `head`.
inline void paint(std::uint32_t number, std::vector<std::byte>& message, std::size_t head) {
  std::uint32_t noise = number;
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      noise = noise * 1'664'525U + 1'013'904'223U;
      bool is_shape = (x - 4 * number) % 400 < 120 && y > 200 && y < 400;
      std::byte* pixel = &message[head + (std::size_t{y} * kWidth + x) * 3];
      pixel[0] = static_cast<std::byte>((is_shape ? 180 : x / 8) + (noise >> 30));
      pixel[1] = static_cast<std::byte>((is_shape ? 60 : y / 4) + (noise >> 30));
      pixel[2] = static_cast<std::byte>(90 + (noise >> 29));
    }
  }
}

/// A bag of 300 pictures, one in 50 ms; and their bytes alone in a file beside it, PATH.rgb.
inline void prepare_pictures(const std::string& path, std::uint64_t start_ns,
                             const kitbag::Session& session) {
  constexpr std::uint32_t kPictures = 300;
  constexpr std::int64_t kPeriodNs = 50'000'000;
  auto channel = std::make_shared<kitbag::Channel>();
  channel->topic = "/camera";
  channel->encoding = "ros1";
  channel->schema = std::make_shared<kitbag::Schema>(
      kitbag::Schema{"bench/Image", "ros1msg",
                     "uint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\n"
                     "uint32 step\nuint8[] data\n"});
  const std::uint32_t head[] = {kHeight, kWidth, 4};
  const std::uint32_t sizes[] = {kWidth * 3, kWidth * kHeight * 3};
  std::vector<std::byte> message(sizeof head + 5 + sizeof sizes);
  std::memcpy(message.data(), head, sizeof head);
  std::memcpy(&message[sizeof head], "rgb8", 4);
  std::memcpy(&message[sizeof head + 5], sizes, sizeof sizes);
  const std::size_t head_bytes = message.size();
  message.resize(head_bytes + sizes[1]);
  kitbag::WriteOptions options;
  options.format = "mcap";
  options.compression = "none";
  auto writer = session.create(path, options);
  std::ofstream plain(path + ".rgb", std::ios::binary);
  for (std::uint32_t i = 0; i < kPictures; ++i) {
    paint(i, message, head_bytes);
    plain.write(reinterpret_cast<const char*>(&message[head_bytes]), sizes[1]);
    auto time = kitbag::from_ns(static_cast<std::int64_t>(start_ns) + i * kPeriodNs);
    kitbag::Batch batch;
    batch.channels = std::make_shared<kitbag::Channels>(kitbag::Channels{channel});
    batch.add({batch.channels->front().get(), 0, 0, time, time, message});
    writer->write(std::move(batch));
  }
  writer->close();
  if (!plain.flush()) throw std::runtime_error("cannot write " + path + ".rgb");
}

}  // namespace bench
