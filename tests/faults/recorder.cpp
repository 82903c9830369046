// A recorder that never ends by itself: tests kill it.
//
//     recorder PATH COMPRESSION IO       prints a line when the first message is on its way
//
// Message i is on one of three topics and at its own millisecond. Its payload begins with its
// number and length, and the other bytes follow from them, so that a test recognizes a whole one in
// any file. All of it is what its definition says, which `kitbag check` looks at.

#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "kitbag/kitbag.h"

namespace {

using namespace kitbag;

constexpr std::size_t kBatch = 20;
constexpr std::size_t kHead = 28;  // up to the noise
constexpr std::size_t kNoiseBytes = 1 << 17;
constexpr auto kPause = std::chrono::microseconds(500);

std::size_t payload_size(std::uint64_t number) {
  return kHead + number * 7919 % 3001;
}

/// Bytes that do not compress, the same in every run.
std::string make_noise() {
  std::string noise;
  for (std::uint32_t x = 1; noise.size() < kNoiseBytes;) {
    x = (x * 1103515245U + 12345U) & 0x7fffffffU;
    noise += static_cast<char>(x >> 16 & 0xffU);
  }
  return noise;
}

std::string payload_of(std::uint64_t number, const std::string& noise) {
  std::uint64_t size = payload_size(number);
  std::string payload("\xabKITBAG\xba");
  payload.append(reinterpret_cast<const char*>(&number), 8);
  payload.append(reinterpret_cast<const char*>(&size), 8);
  auto count = static_cast<std::uint32_t>(size - kHead);
  payload.append(reinterpret_cast<const char*>(&count), 4);
  return payload + noise.substr(number * 104729 % (kNoiseBytes - 3100), count);
}

ChannelsPtr make_channels() {
  auto schema = std::make_shared<Schema>(Schema{
      "test/Noise", "ros1msg", "uint8[8] magic\nuint64 number\nuint64 size\nuint8[] noise\n"});
  auto channels = std::make_shared<Channels>();
  for (const char* topic : {"/a", "/b", "/c"}) {
    auto slot = static_cast<std::uint32_t>(channels->size());
    std::map<std::string, std::string> metadata = {{"callerid", "/recorder"}, {"md5sum", "*"}};
    channels->push_back(
        std::make_shared<Channel>(Channel{topic, "ros1", schema, std::move(metadata), slot}));
  }
  return channels;
}

Io io_named(const std::string& name) {
  return name == "direct" ? Io::direct : name == "buffered" ? Io::buffered : Io::automatic;
}

[[noreturn]] void record(const std::string& path, const std::string& compression, Io io) {
  WriteOptions options;
  options.compression = compression;
  options.chunk_bytes = 64 * 1024;
  options.is_visible = true;
  options.io = io;
  auto writer = Session().create(path, options);
  ChannelsPtr channels = make_channels();
  std::string noise = make_noise();
  std::cout << "recording" << std::endl;
  for (std::uint64_t number = 0;;) {
    Batch batch;
    batch.channels = channels;
    for (std::size_t i = 0; i < kBatch; ++i, ++number) {
      auto payload = std::make_shared<const std::string>(payload_of(number, noise));
      batch.keep(payload, payload->size());
      Time time =
          from_ns(1'700'000'000'000'000'000 + static_cast<std::int64_t>(number) * 1'000'000);
      batch.add({(*channels)[number % 3].get(), 0, 0, time, time, as_bytes(*payload)});
    }
    writer->write(std::move(batch));
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: recorder PATH COMPRESSION IO\n";
    return 2;
  }
  try {
    record(argv[1], argv[2], io_named(argv[3]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
