#pragma once

#include <vector>

#include "kitbag/bag.h"
#include "storage/chunked/chunk_store.h"
#include "storage/rosbag/connections.h"
#include "storage/rosbag/record_file.h"

namespace kitbag::rosbag {

/// What is known of a bag once it is open.
struct BagIndex {
  FileHeader header;
  Connections connections;
  ChunkTable table;
  std::vector<ChunkHead> heads;  ///< of chunks without a sound record of their own
  bool is_scanned = false;       ///< made from the chunks, not read from the file's index
  bool is_found = false;         ///< the file has an index, and it is consistent
  /// The offset at which the file's index ends, and with it the bag. An append that was not
  /// completed has left the rest. 0: no index was read.
  std::uint64_t end = 0;

  ChannelsPtr channels() const { return connections.channels(); }
};

/// Reads the index section, whose offset is in the file header: memory and time are O(chunks).
/// Throws Error (corrupt, truncated) if it is inconsistent.
BagIndex read_index(const ChunkFile& file, const FileHeader& header);

/// The offset at which the bag ends; the size of the file if its index is inconsistent.
std::uint64_t end_of_bag(const ChunkFile& file);

/// Makes the index from the chunks themselves, and reads all of them. Damage goes to `on_problem`;
/// intact data before it is kept.
BagIndex scan(const ChunkFile& file, const FileHeader& header, const OnProblem& on_problem);

/// Opens the bag by its index. If that is missing or unsound, reports it to options.on_problem and
/// scans the bag.
BagIndex open_index(const ChunkFile& file, const ReadOptions& options);

}  // namespace kitbag::rosbag
