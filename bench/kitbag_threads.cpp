// kitbag's side of the benchmark of threads, through the public headers only: BENCH_THREADS (2 if
// it is not set) compress, or load ahead.
//
// usage: kitbag_threads a|b|mixed COMPRESSION BAG write|read

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench/bag_bench.h"

int main(int count, char** arguments) {
  if (count != 5) return 2;
  try {
    const char* asked = std::getenv("BENCH_THREADS");
    const unsigned threads = asked ? static_cast<unsigned>(std::atoi(asked)) : 2;
    const std::string phase = arguments[4];
    if (phase == "write") {
      kitbag::WriteOptions options;
      options.compression = arguments[2];
      options.io = kitbag::Io::direct;  // the page cache has threads and a will of its own
      options.threads = threads;
      bench::write_bag(bench::workload(arguments[1]), "mcap", options, {}, arguments[3]);
      return 0;
    }
    if (phase == "read") {
      kitbag::ReadOptions options;
      options.threads = threads;
      bench::read_bag(arguments[3], {}, options);
      return 0;
    }
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
