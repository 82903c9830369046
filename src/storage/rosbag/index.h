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
  std::vector<ChunkHead> heads;  ///< of chunks whose own record does not tell, by offset
  bool is_scanned = false;       ///< made from the chunks, not read from the file's index
  bool is_found = false;         ///< the file has an index, and it holds together
  /// Where the file's index ends, and so the bag. What stands behind, an append that was not
  /// completed has left. 0: no index was read.
  std::uint64_t end = 0;

  ChannelsPtr channels() const { return connections.channels(); }
};

/// Reads the index section, whose place the file header tells: memory and time are O(chunks).
/// Throws Error (corrupt, truncated) when it does not hold together.
BagIndex read_index(const ChunkFile& file, const FileHeader& header);

/// Where the bag ends; the size of the file where its index does not hold together.
std::uint64_t end_of_bag(const ChunkFile& file);

/// Makes the index from the chunks themselves, reading all of them. Damage goes to `on_problem`;
/// what is whole before it is kept.
BagIndex scan(const ChunkFile& file, const FileHeader& header, const OnProblem& on_problem);

/// Opens what there is: the index, or where that is missing or unsound a scan, told to
/// options.on_problem.
BagIndex open_index(const ChunkFile& file, const ReadOptions& options);

}  // namespace kitbag::rosbag
