// The benchmark of the old ROS 1 versions, which have no peer that reads both.
// usage: kitbag_old 1.1|1.2 small|mixed BAG write|read

#include <cstdio>
#include <exception>

#include "bench/meter.h"
#include "bench/payload.h"
#include "kitbag/kitbag.h"

namespace {

constexpr std::size_t kTopics = 10;
constexpr std::uint64_t kFileBytes = 200'000'000;
constexpr std::size_t kSmallest = 100;
constexpr std::size_t kLargest = 1000;

kitbag::ChannelsPtr make_channels() {
  auto schema = std::make_shared<const kitbag::Schema>(
      kitbag::Schema{bench::kType, "ros1msg", bench::kDefinition});
  auto channels = std::make_shared<kitbag::Channels>();
  for (std::uint32_t i = 0; i < kTopics; ++i) {
    channels->push_back(std::make_shared<const kitbag::Channel>(kitbag::Channel{
        bench::topic(i), "ros1", schema, {{"md5sum", bench::kMd5}, {"callerid", "/bench"}}, i}));
  }
  return channels;
}

/// 200 MB of messages of 100 B, or of 100 B to 1 kB.
void write(const std::string& version, bool is_mixed, const std::string& path) {
  const auto channels = make_channels();
  std::vector<std::byte> payload(kLargest);
  bench::fill(payload.data(), payload.size(), 1);
  bench::Meter meter;
  kitbag::WriteOptions options;
  options.format_version = version;
  options.format = "rosbag";
  auto writer = kitbag::Session().create(path, options);
  kitbag::Batch batch;
  while (writer->size_bytes() < kFileBytes) {
    batch.channels = channels;
    while (!batch.full()) {
      const std::uint64_t i = meter.messages++;
      const auto time = kitbag::from_ns(static_cast<std::int64_t>(bench::kStartNs + i * 1'000));
      const std::size_t size = is_mixed ? kSmallest + i * 37 % (kLargest - kSmallest) : kSmallest;
      batch.add({(*channels)[i % kTopics].get(), 0, 0, time, time, {payload.data(), size}});
      meter.bytes += size;
    }
    writer->write(std::move(batch));
    batch.clear();
  }
  writer->close();
  meter.report();
}

/// Opens, which reads the file once, and reads all in the order of time. Counts bytes of the file.
void read(const std::string& path) {
  bench::Meter meter;
  const auto bag = kitbag::Session().open(path);
  const auto source = bag->read();
  kitbag::Batch batch;
  while (source->read(batch, {})) {
    meter.messages += batch.messages().size();
    for (const auto& message : batch.messages()) {
      meter.sum += bench::touch(message.data.data(), message.data.size());
    }
    batch.clear();
  }
  meter.bytes = bag->summary().size_bytes;
  meter.report();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  try {
    const std::string phase = arguments[4];
    if (phase == "write") {
      write(arguments[1], std::string(arguments[2]) == "mixed", arguments[3]);
    } else {
      read(arguments[3]);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
