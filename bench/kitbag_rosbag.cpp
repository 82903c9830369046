// kitbag's side of the rosbag benchmark, through the public headers only.
// usage: kitbag_rosbag a|b none|lz4|bz2 BAG write|read|query

#include <cstdio>
#include <exception>

#include "bench/meter.h"
#include "bench/payload.h"
#include "kitbag/kitbag.h"

namespace {

using kitbag::Time;

Time time_of(std::uint64_t ns) {
  return kitbag::from_ns(static_cast<std::int64_t>(ns));
}

kitbag::ChannelsPtr make_channels(const bench::Workload& work) {
  auto schema = std::make_shared<const kitbag::Schema>(
      kitbag::Schema{bench::kType, "ros1msg", bench::kDefinition});
  auto channels = std::make_shared<kitbag::Channels>();
  for (std::size_t i = 0; i < work.topics; ++i) {
    channels->push_back(
        std::make_shared<const kitbag::Channel>(kitbag::Channel{bench::topic(i),
                                                                "ros1",
                                                                schema,
                                                                {{"md5sum", bench::kMd5}},
                                                                static_cast<std::uint32_t>(i)}));
  }
  return channels;
}

/// Batches as any Source gives them: full, or the last.
class Feeder {
 public:
  explicit Feeder(const bench::Workload& work)
      : work_(work), pool_(bench::make_pool(work)), channels_(make_channels(work)) {}

  bool next(kitbag::Batch& batch) {
    if (given_ == work_.messages) return false;
    batch.channels = channels_;
    batch.keep(pool_, pool_->size());
    for (; given_ < work_.messages && !batch.full(); ++given_) batch.add(message(given_));
    return true;
  }

 private:
  kitbag::Message message(std::uint64_t i) const {
    const Time time = time_of(work_.time_ns(i));
    const std::byte* data = pool_->data() + i % work_.pool * work_.bytes;
    return {(*channels_)[i % work_.topics].get(), 0, 0, time, time, {data, work_.bytes}};
  }

  const bench::Workload work_;
  std::shared_ptr<const std::vector<std::byte>> pool_;
  kitbag::ChannelsPtr channels_;
  std::uint64_t given_ = 0;
};

void write(const bench::Workload& work, const std::string& compression, const std::string& path) {
  Feeder feeder(work);
  bench::Meter meter;
  kitbag::WriteOptions options;
  options.compression = compression;
  auto writer = kitbag::create(path, "rosbag", options, kitbag::standard_registry());
  kitbag::Batch batch;
  while (feeder.next(batch)) {
    meter.messages += batch.messages().size();
    meter.bytes += batch.payload();
    writer->write(std::move(batch));
    batch.clear();
  }
  writer->close();
  meter.report();
}

void read(const std::string& path, const kitbag::Query& query) {
  bench::Meter meter;
  const auto bag = kitbag::open(path, {}, kitbag::standard_registry());
  const auto source = bag->read(query);
  kitbag::Batch batch;
  while (source->read(batch, {})) {
    meter.messages += batch.messages().size();
    meter.bytes += batch.payload();
    for (const auto& message : batch.messages()) {
      meter.sum += bench::touch(message.data.data(), message.data.size());
    }
    batch.clear();
  }
  meter.report();
}

int run(const std::string& name, const std::string& compression, const std::string& path,
        const std::string& phase) {
  const bench::Workload work = bench::workload(name);
  kitbag::Query query;
  if (phase == "write") {
    write(work, compression, path);
  } else if (phase == "read") {
    read(path, query);
  } else if (phase == "query") {
    query.select.topics = {bench::topic(0)};
    query.begin = time_of(work.query_begin_ns());
    query.end = time_of(work.query_end_ns());
    read(path, query);
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
