#pragma once

#include <cstdio>
#include <exception>

#include "bench/bag_bench.h"

namespace bench {

/// A whole program for one format.
/// usage: a|b|mixed COMPRESSION BAG
///        write|write_plain|write_lanes|read|read_unchecked|read_time|read_small|open
/// write_plain: without any CRC. read_unchecked: none is verified. write_lanes: large topics have
/// chunks of their own. open: and reading the first message by time.
inline int run_format(const std::string& format, const std::string& name,
                      const std::string& compression, const std::string& path,
                      const std::string& phase) {
  const Workload work = workload(name);
  kitbag::Query query;
  if (phase.starts_with("write")) {
    kitbag::WriteOptions options;
    options.compression = compression;
    options.has_crc = phase != "write_plain";
    if (phase == "write_lanes") options.topic_chunks = {{topic(0), 4 << 20}, {topic(1), 4 << 20}};
    write_bag(work, format, options, {}, path);
  } else if (phase == "read" || phase == "read_unchecked") {
    kitbag::ReadOptions options;
    options.check_crc = phase == "read";
    query.order = kitbag::Order::file;
    read_bag(path, query, options);
  } else if (phase == "read_time") {
    read_bag(path, query);
  } else if (phase == "read_small") {  // the smallest messages of the mixed workload
    query.order = kitbag::Order::file;
    query.select.topics = {topic(2)};
    read_bag(path, query);
  } else if (phase == "query") {
    bench::read_bag(path, bench::narrow_query(work));
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
