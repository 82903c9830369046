// kitbag's side of the benchmark of huge bags, through the public headers only.
//
// usage: kitbag_huge rosbag|mcap FILE prepare|query

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>

#include "bench/bag_bench.h"

namespace {

constexpr std::uint64_t kMiddleNs = 1'700'050'000'000'000'000;  // as huge_bag.py has it

int prepare(const std::string& format, const std::string& path) {
  if (std::filesystem::exists(path)) return 0;
  const std::string script = KITBAG_SOURCE "/tests/support";
  const std::string function = format == "mcap" ? "write_mcap" : "write_bag";
  const std::string command = "python3 -c \"import sys; sys.path.insert(0, '" + script +
                              "'); import huge_bag; huge_bag." + function + "('" + path + "')\"";
  return std::system(command.c_str()) == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  try {
    const std::string phase = arguments[3];
    if (phase == "prepare") return prepare(arguments[1], arguments[2]);
    kitbag::Query query;
    query.begin = bench::time_of(kMiddleNs);
    query.end = query.begin + std::chrono::seconds(1);
    bench::read_bag(arguments[2], query);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
