// kitbag's side of the rosbag benchmark, through the public headers only.
// usage: kitbag_rosbag a|b none|lz4|bz2 BAG write|read|query

#include <cstdio>
#include <exception>

#include "bench/bag_bench.h"

namespace {

int run(const std::string& name, const std::string& compression, const std::string& path,
        const std::string& phase) {
  const bench::Workload work = bench::workload(name);
  if (phase == "write") {
    kitbag::WriteOptions options;
    options.compression = compression;
    bench::write_bag(work, "rosbag", options, {{"md5sum", bench::kMd5}}, path);
  } else if (phase == "read") {
    bench::read_bag(path, {});
  } else if (phase == "query") {
    bench::read_bag(path, bench::narrow_query(work));
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
