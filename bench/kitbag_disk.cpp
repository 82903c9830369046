// kitbag's side of the disk benchmark, through the public headers only: large messages, written
// past the page cache; the bag is on the disk when the time is taken.
//
// usage: kitbag_disk rosbag|mcap FILE write|write_lent

#include <cstdio>
#include <exception>
#include <string>

#include "bench/bag_bench.h"
#include "bench/cached.h"

namespace {

/// One message after the other, each written from where it lies.
void lend_all(const std::string& format, kitbag::WriteOptions options, const std::string& path,
              bench::Meter& meter) {
  const bench::Workload work = bench::workload("large");
  const auto pool = bench::make_pool(work);
  const auto channel = bench::make_channels(work, {{"md5sum", bench::kMd5}})->front();
  meter.start();
  options.format = format;
  auto writer = kitbag::Session().create(path, options);
  for (std::uint64_t i = 0; i < work.messages; ++i) {
    const kitbag::Time time = bench::time_of(work.time_ns(i));
    const kitbag::ByteView payload{pool->data() + work.offset_of(i), work.bytes};
    writer->append(channel, {time, time, 0}, std::span(&payload, 1), pool);
    meter.bytes += payload.size();
  }
  writer->close();
  meter.messages = work.messages;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  try {
    const std::string format = arguments[1];
    const std::string path = arguments[2];
    kitbag::WriteOptions options;
    options.io = kitbag::Io::direct;
    bench::Meter meter;
    if (std::string(arguments[3]) == "write_lent") {
      lend_all(format, options, path, meter);
    } else {
      bench::Feeder feeder(bench::workload("large"), {{"md5sum", bench::kMd5}});
      meter.start();
      bench::write_all(feeder, format, options, path, meter);
    }
    meter.stop();
    meter.cached_bytes = bench::cached_bytes(path);
    meter.report();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
