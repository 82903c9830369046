#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/meter.h"
#include "kitbag/kitbag.h"

namespace bench {

inline constexpr std::size_t kJpegBytes = 500'000;
inline constexpr std::uint64_t kJpegs = 1000;

/// A frame of 1600 x 1200 whose content is noise: kitbag looks at its head and its end.
inline std::vector<std::byte> jpeg(std::uint32_t number) {
  constexpr std::string_view kHead("\xFF\xD8\xFF\xC0\0\x0B\x08\x04\xB0\x06\x40\x01\x01\x11\0", 15);
  std::vector<std::byte> bytes(kJpegBytes);
  for (std::byte& each : bytes) {
    number = number * 1'664'525U + 1'013'904'223U;
    each = static_cast<std::byte>(number >> 25);
  }
  std::memcpy(bytes.data(), kHead.data(), kHead.size());
  std::memcpy(&bytes[kJpegBytes - 2], "\xFF\xD9", 2);
  return bytes;
}

inline void prepare_jpegs(const std::string& path, std::uint64_t start_ns,
                          const kitbag::Session& session) {
  kitbag::WriteOptions options;
  options.format = "mcap";
  auto writer = session.create(path, options);
  auto schema = std::make_shared<kitbag::Schema>(
      kitbag::Schema{"sensor_msgs/CompressedImage", "ros1msg", "string format\nuint8[] data\n"});
  auto channel = std::make_shared<kitbag::Channel>(
      kitbag::Channel{.topic = "/camera", .encoding = "ros1", .schema = schema});
  for (std::uint64_t i = 0; i < kJpegs; ++i) {
    const std::vector<std::byte> image = jpeg(static_cast<std::uint32_t>(i));
    const auto size = static_cast<std::uint32_t>(image.size());
    const kitbag::ByteView payload[] = {kitbag::as_bytes(std::string_view("\4\0\0\0jpeg", 8)),
                                        std::as_bytes(std::span(&size, 1)), image};
    writer->append(channel, {.log_time = kitbag::from_ns(static_cast<std::int64_t>(start_ns + i))},
                   payload);
  }
  writer->close();
}

/// All pictures of the bag as files, in a folder of which each run needs a new one.
inline void export_jpegs(const std::string& path, const kitbag::Session& session, Meter& meter) {
  const std::string target = path + ".images";
  std::filesystem::remove_all(target);
  meter.start();
  const kitbag::ExportRequest request{.format = "images"};
  auto bag = session.open(path);
  for (const kitbag::Exported& each :
       kitbag::export_messages(bag->read(), target, request, session)) {
    meter.messages += each.messages;
    meter.bytes += each.size_bytes;
  }
  meter.stop();
  std::filesystem::remove_all(target);
}

/// What the system gives without anything around it: as many bytes of the bag in as many files,
/// each sent to the disk at once, and waited for at the end, as an export does it.
inline void write_jpegs(const std::string& path, Meter& meter) {
  const std::string target = path + ".files";
  std::filesystem::remove_all(target);
  meter.start();
  auto require = [](bool is_done) {
    if (!is_done) throw std::runtime_error("the loop cannot write its files");
  };
  std::filesystem::create_directory(target);
  const int bag = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(bag >= 0);
  std::vector<std::byte> bytes(kJpegBytes);
  for (std::uint64_t i = 0; i < kJpegs; ++i) {
    const std::string name = target + "/" + std::to_string(i) + ".jpg";
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    require(file >= 0 &&
            ::read(bag, bytes.data(), kJpegBytes) == static_cast<ssize_t>(kJpegBytes) &&
            ::write(file, bytes.data(), kJpegBytes) == static_cast<ssize_t>(kJpegBytes));
    ::sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
    require(::close(file) == 0);
    meter.bytes += kJpegBytes;
  }
  ::close(bag);
  auto sync = [&](const std::string& name) {
    const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    require(file >= 0 && ::fsync(file) == 0 && ::close(file) == 0);
  };
  for (const auto& each : std::filesystem::directory_iterator(target)) sync(each.path().string());
  sync(target);
  meter.stop();
  meter.messages = kJpegs;
  std::filesystem::remove_all(target);
}

}  // namespace bench
