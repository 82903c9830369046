#pragma once

#include <cstdio>
#include <exception>

#include "bench/bag_bench.h"

namespace bench {

/// A whole program for one format.
/// usage: a|b|mixed COMPRESSION BAG write|write_plain|read|read_time|open
/// write_plain: without any CRC. open: and reading the first message by time.
inline int run_format(const std::string& format, const std::string& name,
                      const std::string& compression, const std::string& path,
                      const std::string& phase) {
  const Workload work = workload(name);
  kitbag::Query query;
  if (phase == "write" || phase == "write_plain") {
    kitbag::WriteOptions options;
    options.compression = compression;
    options.has_crc = phase == "write";
    write_bag(work, format, options, {}, path);
  } else if (phase == "read") {
    query.order = kitbag::Order::file;
    read_bag(path, query);
  } else if (phase == "read_time") {
    read_bag(path, query);
  } else if (phase == "open") {
    query.count = 1;
    read_bag(path, query);
  } else {
    return 2;
  }
  return 0;
}

inline int run_format(const std::string& format, int count, char** arguments) {
  if (count != 5) return 2;
  try {
    return run_format(format, arguments[1], arguments[2], arguments[3], arguments[4]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace bench
