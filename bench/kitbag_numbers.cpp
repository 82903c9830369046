// The bag of the plot in the benchmark of the page: ten million messages of one number, one each
// millisecond, through the public headers only.
//
// usage: kitbag_numbers BAG

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <span>

#include "bench/bag_bench.h"

namespace {

constexpr std::uint64_t kMessages = 10'000'000;

/// A slow wave with a fast one on it, which no two messages have at the same place.
double number(std::uint64_t i) {
  const double seconds = static_cast<double>(i) / 1000;
  return 10 * std::sin(seconds / 600) + std::sin(seconds * 7);
}

void write(const std::string& path) {
  auto schema = std::make_shared<const kitbag::Schema>(
      kitbag::Schema{"std_msgs/Float64", "ros1msg", "float64 data\n"});
  const auto channel =
      std::make_shared<const kitbag::Channel>(kitbag::Channel{"/number", "ros1", schema, {}, 0});
  kitbag::WriteOptions options;
  options.format = "mcap";
  options.compression = "zstd";
  auto writer = kitbag::Session().create(path, options);
  for (std::uint64_t i = 0; i < kMessages; ++i) {
    const double value = number(i);
    const kitbag::Time time = bench::time_of(bench::kStartNs + i * bench::kStepNs);
    const kitbag::ByteView payload = std::as_bytes(std::span(&value, 1));
    writer->append(channel, {time, time}, std::span(&payload, 1));
  }
  writer->close();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  try {
    write(arguments[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
