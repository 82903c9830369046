#pragma once

#include <string>

#include "storage/rosbag/index.h"
#include "storage/rosbag/recovery/findings.h"
#include "storage/rosbag/recovery/salvage.h"
#include "storage/rosbag/recovery/tally.h"

namespace kitbag::rosbag {

/// What the parts of a scan share, and what it has found so far. The slots of the table's counts
/// are connections until the scan is over: what describes one may come behind its messages.
class ScanState {
 public:
  ScanState(const ChunkFile& bag, const FileHeader& header);

  void take_connection(const Record& record, std::uint64_t offset);
  /// The finding that what is at `begin` is damaged, and that nobody knows what is lost by it.
  Finding damage(std::uint64_t begin, std::uint64_t end, std::string what) const;
  /// The connection that stands for a topic, in version 1.3.
  std::optional<std::uint32_t> id_of(std::string_view topic) {
    if (!index.header.has_topics) return std::nullopt;
    return index.connections.id_of_topic(topic);
  }

  const ChunkFile& file;
  std::uint64_t size;  ///< of the file, without what was never written at its end
  BagIndex index;
  Findings findings;
  bool is_in_index = false;  ///< records of the index section were the last
  // Of the last chunk:
  std::uint64_t chunk = 0;           ///< its place
  std::uint64_t chunk_messages = 0;  ///< those in it
  std::uint64_t chunk_end = 0;       ///< where its data ends, and records that follow directly
  std::uint64_t index_end = 0;       ///< where the index behind it ends, were it whole
};

/// Reads the chunk of `head`; returns where its data really ends. `finding` says what is already
/// known to be wrong with it, or nothing.
std::uint64_t scan_chunk(ScanState& scan, const ChunkHead& head, Finding finding);

/// Walks on from `from` to the next record between chunks, and keeps intact data on the way;
/// returns the record's place. `finding` says what is wrong there.
std::uint64_t scan_region(ScanState& scan, std::uint64_t from, Finding finding);

/// What was found of compressed chunks whose records are lost.
struct Rescued {
  std::uint64_t bytes = 0;  ///< compressed
  std::uint64_t messages = 0;
};

/// Takes such chunks between `begin` and `end`.
Rescued rescue_compressed(ScanState& scan, std::uint64_t begin, std::uint64_t end);

}  // namespace kitbag::rosbag
