// kitbag's side of the MCAP benchmark, through the public headers only.
// usage: kitbag_mcap a|b|mixed none|lz4|zstd BAG write|write_plain|read|read_time
// write_plain: without any CRC.

#include <cstdio>
#include <exception>

#include "bench/bag_bench.h"

namespace {

int run(const std::string& name, const std::string& compression, const std::string& path,
        const std::string& phase) {
  const bench::Workload work = bench::workload(name);
  kitbag::Query query;
  if (phase == "write" || phase == "write_plain") {
    kitbag::WriteOptions options;
    options.compression = compression;
    options.has_crc = phase == "write";
    bench::write_bag(work, "mcap", options, {}, path);
  } else if (phase == "read") {
    query.order = kitbag::Order::file;
    bench::read_bag(path, query);
  } else if (phase == "read_time") {
    bench::read_bag(path, query);
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
