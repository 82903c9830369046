#pragma once

#include <string>
#include <utility>

#include "bench/meter.h"
#include "bench/payload.h"
#include "kitbag/kitbag.h"

/// Writing and reading the workloads through the public headers, for any format.
namespace bench {

inline kitbag::Time time_of(std::uint64_t ns) {
  return kitbag::from_ns(static_cast<std::int64_t>(ns));
}

inline kitbag::ChannelsPtr make_channels(const Workload& work,
                                         const std::map<std::string, std::string>& metadata) {
  auto schema =
      std::make_shared<const kitbag::Schema>(kitbag::Schema{kType, "ros1msg", kDefinition});
  auto channels = std::make_shared<kitbag::Channels>();
  for (std::size_t i = 0; i < work.topics; ++i) {
    channels->push_back(std::make_shared<const kitbag::Channel>(
        kitbag::Channel{topic(i), "ros1", schema, metadata, static_cast<std::uint32_t>(i)}));
  }
  return channels;
}

/// Batches as any Source gives them: full, or the last.
class Feeder {
 public:
  Feeder(const Workload& work, const std::map<std::string, std::string>& metadata)
      : work_(work), pool_(make_pool(work)), channels_(make_channels(work, metadata)) {}

  bool next(kitbag::Batch& batch) {
    if (given_ == work_.messages) return false;
    batch.channels = channels_;
    batch.keep(pool_, pool_->size());
    for (; given_ < work_.messages && !batch.full(); ++given_) batch.add(message(given_));
    return true;
  }

 private:
  kitbag::Message message(std::uint64_t i) const {
    const kitbag::Time time = time_of(work_.time_ns(i));
    const std::byte* data = pool_->data() + work_.offset_of(i);
    return {(*channels_)[work_.topic_of(i)].get(), 0, 0, time, time, {data, work_.bytes_of(i)}};
  }

  const Workload work_;
  std::shared_ptr<const std::vector<std::byte>> pool_;
  kitbag::ChannelsPtr channels_;
  std::uint64_t given_ = 0;
};

/// To a bag that is whole, and on the disk, when it returns.
inline void write_all(Feeder& feeder, const std::string& format, kitbag::WriteOptions options,
                      const std::string& path, Meter& meter) {
  options.format = format;
  auto writer = kitbag::Session().create(path, options);
  kitbag::Batch batch;
  while (feeder.next(batch)) {
    meter.messages += batch.messages().size();
    meter.bytes += batch.payload();
    writer->write(std::move(batch));
    batch.clear();
  }
  writer->close();
}

/// `metadata`: of each channel.
inline void write_bag(const Workload& work, const std::string& format,
                      const kitbag::WriteOptions& options,
                      const std::map<std::string, std::string>& metadata, const std::string& path) {
  Feeder feeder(work, metadata);
  Meter meter;
  write_all(feeder, format, options, path, meter);
  meter.report();
}

inline void read_bag(const std::string& path, const kitbag::Query& query,
                     const kitbag::ReadOptions& options = {}) {
  Meter meter;
  const auto bag = kitbag::Session().open(path, options);
  const auto source = bag->read(query);
  kitbag::Batch batch;
  while (source->read(batch, {})) {
    meter.messages += batch.messages().size();
    meter.bytes += batch.payload();
    for (const auto& message : batch.messages()) {
      meter.sum += touch(message.data.data(), message.data.size());
    }
    batch.clear();
  }
  meter.report();
}

/// The middle hundredth of the time on one topic.
inline kitbag::Query narrow_query(const Workload& work) {
  kitbag::Query query;
  query.select.topics = {topic(0)};
  query.begin = time_of(work.query_begin_ns());
  query.end = time_of(work.query_end_ns());
  return query;
}

}  // namespace bench
