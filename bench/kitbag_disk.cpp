// kitbag's side of the disk benchmark, through the public headers only: large messages, written
// past the page cache; the bag is on the disk when the time is taken.
//
// usage: kitbag_disk rosbag|mcap FILE write

#include <cstdio>
#include <exception>
#include <string>

#include "bench/bag_bench.h"
#include "bench/cached.h"

int main(int count, char** arguments) {
  if (count != 4) return 2;
  try {
    const std::string format = arguments[1];
    const std::string path = arguments[2];
    kitbag::WriteOptions options;
    options.io = kitbag::Io::direct;
    bench::Meter meter;
    bench::Feeder feeder(bench::workload("large"), {{"md5sum", bench::kMd5}});
    meter.start();
    bench::write_all(feeder, format, options, path, meter);
    meter.stop();
    meter.cached_bytes = bench::cached_bytes(path);
    meter.report();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
