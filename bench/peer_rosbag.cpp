// The real rosbag's side of the benchmark: Debian's librosbag_storage.
// usage: peer_rosbag a|b none|lz4|bz2 BAG write|read|query

#include <rosbag/bag.h>
#include <rosbag/view.h>

#include <cstdio>
#include <exception>

#include "bench/meter.h"
#include "bench/payload.h"

namespace {

/// A message that is serialized already; what the recorder writes, too.
struct Serialized {
  const std::byte* data;
  std::size_t bytes;
};

}  // namespace

namespace ros {

namespace message_traits {
template <>
struct IsMessage<Serialized> : TrueType {};
template <>
struct MD5Sum<Serialized> {
  static const char* value(const Serialized&) { return bench::kMd5; }
  static const char* value() { return bench::kMd5; }
};
template <>
struct DataType<Serialized> {
  static const char* value(const Serialized&) { return bench::kType; }
  static const char* value() { return bench::kType; }
};
template <>
struct Definition<Serialized> {
  static const char* value(const Serialized&) { return bench::kDefinition; }
};
}  // namespace message_traits

namespace serialization {
template <>
struct Serializer<Serialized> {
  template <typename Stream>
  static void write(Stream& stream, const Serialized& message) {
    const auto bytes = static_cast<std::uint32_t>(message.bytes);
    std::memcpy(stream.advance(bytes), message.data, message.bytes);
  }
  static std::uint32_t serializedLength(const Serialized& message) {
    return static_cast<std::uint32_t>(message.bytes);
  }
};
}  // namespace serialization

}  // namespace ros

namespace {

ros::Time time_of(std::uint64_t ns) {
  ros::Time time;
  time.fromNSec(ns);
  return time;
}

rosbag::CompressionType compression_of(const std::string& name) {
  if (name == "lz4") return rosbag::compression::LZ4;
  if (name == "bz2") return rosbag::compression::BZ2;
  return rosbag::compression::Uncompressed;
}

void write(const bench::Workload& work, const std::string& compression, const std::string& path) {
  const auto pool = bench::make_pool(work);
  std::vector<std::string> topics;
  for (std::size_t i = 0; i < work.topics; ++i) topics.push_back(bench::topic(i));
  bench::Meter meter;
  rosbag::Bag bag(path, rosbag::bagmode::Write);
  bag.setCompression(compression_of(compression));
  for (std::uint64_t i = 0; i < work.messages; ++i) {
    const Serialized message{pool->data() + i % work.pool * work.bytes, work.bytes};
    bag.write(topics[i % work.topics], time_of(work.time_ns(i)), message);
    ++meter.messages;
    meter.bytes += work.bytes;
  }
  bag.close();
  meter.report();
}

void read_all(rosbag::View& view, bench::Meter& meter) {
  std::vector<std::uint8_t> buffer;
  for (const rosbag::MessageInstance& message : view) {
    buffer.resize(message.size());
    ros::serialization::OStream stream(buffer.data(), message.size());
    message.write(stream);
    ++meter.messages;
    meter.bytes += buffer.size();
    meter.sum += bench::touch(reinterpret_cast<const std::byte*>(buffer.data()), buffer.size());
  }
}

void read(const std::string& path) {
  bench::Meter meter;
  rosbag::Bag bag(path, rosbag::bagmode::Read);
  rosbag::View view(bag);
  read_all(view, meter);
  meter.report();
}

void query(const bench::Workload& work, const std::string& path) {
  bench::Meter meter;
  rosbag::Bag bag(path, rosbag::bagmode::Read);
  // The real one's end is included.
  rosbag::View view(bag, rosbag::TopicQuery(bench::topic(0)), time_of(work.query_begin_ns()),
                    time_of(work.query_end_ns() - 1));
  read_all(view, meter);
  meter.report();
}

int run(const std::string& name, const std::string& compression, const std::string& path,
        const std::string& phase) {
  const bench::Workload work = bench::workload(name);
  if (phase == "write") {
    write(work, compression, path);
  } else if (phase == "read") {
    read(path);
  } else if (phase == "query") {
    query(work, path);
  } else {
    return 2;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  try {
    return run(arguments[1], arguments[2], arguments[3], arguments[4]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
