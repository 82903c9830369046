#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bench {

/// Writes an MCAP of 10 GB without chunks or index: 8,000 images of 1 MB and 2,000 lists of 250,000
/// numbers. All values are 0 and are holes in the file, so it takes 40 MB of the disk.
inline void prepare_sparse(const std::string& path, std::uint64_t start_ns) {
  constexpr std::uint64_t kMessages = 10'000;
  constexpr std::uint32_t kPayloadBytes = 1'000'000;
  constexpr std::string_view kMagic("\x89MCAP0\r\n", 8);
  std::ofstream file(path, std::ios::binary);
  std::string out(kMagic);
  auto number = [&](auto value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  auto text = [&](std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    out += value;
  };
  auto record = [&](std::uint8_t op, auto content) {
    number(op);
    const std::size_t at = out.size();
    number(std::uint64_t{0});
    content();
    const std::uint64_t size = out.size() - at - sizeof size;
    std::memcpy(&out[at], &size, sizeof size);
  };
  auto channel = [&](std::uint16_t id, std::string_view topic, std::string_view type,
                     std::string_view definition) {
    record(3, [&] {
      number(id);
      text(type);
      text("ros1msg");
      text(definition);
    });
    record(4, [&] {
      number(id);
      number(id);
      text(topic);
      text("ros1");
      number(std::uint32_t{0});
    });
  };
  record(1, [&] {
    text("");
    text("bench");
  });
  channel(1, "/camera", "bench/Bytes", "uint8[] data\n");
  channel(2, "/ranges", "bench/Numbers", "float32[] data\n");
  for (std::uint64_t i = 0; i < kMessages; ++i) {
    const bool is_list = i % 5 == 4;
    constexpr std::uint64_t kHeadBytes = 22;
    number(std::uint8_t{5});
    number(kHeadBytes + sizeof(std::uint32_t) + kPayloadBytes);
    number(static_cast<std::uint16_t>(is_list ? 2 : 1));
    number(static_cast<std::uint32_t>(i));
    number(start_ns + i * 1'000'000);
    number(start_ns + i * 1'000'000);
    number(is_list ? kPayloadBytes / 4 : kPayloadBytes);
    file.write(out.data(), static_cast<std::streamsize>(out.size()));
    file.seekp(kPayloadBytes, std::ios::cur);
    out.clear();
  }
  record(15, [&] { number(std::uint32_t{0}); });
  record(2, [&] {
    number(std::uint64_t{0});
    number(std::uint64_t{0});
    number(std::uint32_t{0});
  });
  out += kMagic;
  file.write(out.data(), static_cast<std::streamsize>(out.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace bench
