// kitbag's side of the benchmark of threads, through the public headers only: BENCH_THREADS (2 if
// it is not set) compress.
//
// usage: kitbag_threads a|b|mixed COMPRESSION BAG write

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench/bag_bench.h"

int main(int count, char** arguments) {
  if (count != 5) return 2;
  try {
    const char* threads = std::getenv("BENCH_THREADS");
    kitbag::WriteOptions options;
    options.compression = arguments[2];
    options.io = kitbag::Io::direct;  // the page cache has threads and a will of its own
    options.threads = threads ? static_cast<unsigned>(std::atoi(threads)) : 2;
    bench::write_bag(bench::workload(arguments[1]), "mcap", options, {}, arguments[3]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
