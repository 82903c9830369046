// kitbag's side of the benchmark of converting, through the public headers only: a bag of ROS 1
// without compression to MCAP with zstd, by two threads.
//
// usage: kitbag_convert WORKLOAD BAG prepare|convert

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "bench/bag_bench.h"

namespace {

void convert(const std::string& path) {
  const kitbag::Session session;
  kitbag::WriteOptions options;
  options.compression = "zstd";
  options.threads = 2;
  bench::Meter meter;
  const auto bag = session.open(path);
  const auto source = bag->read({});
  auto writer = session.create(path + ".mcap", options);
  meter.messages = kitbag::run(*source, *writer, *session.clock()).messages;
  writer->close();
  meter.bytes = std::filesystem::file_size(path);
  meter.report();
  std::filesystem::remove(path + ".mcap");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  try {
    const std::string path = arguments[2];
    if (std::string(arguments[3]) == "convert") {
      convert(path);
    } else if (!std::filesystem::exists(path)) {
      bench::write_bag(bench::workload(arguments[1]), "rosbag", {}, {{"md5sum", bench::kMd5}},
                       path);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
