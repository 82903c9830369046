#include "storage/rosbag/chunk_walk.h"
#include "storage/rosbag/recovery/compressed_search.h"
#include "storage/rosbag/recovery/scan_parts.h"

// Compressed data has no records that could be found. But it has a magic of its own, so its begin
// is searched for in each gap, and the stream says where it ends. It is taken only if messages come
// out of it. Data that happens to have the magic is tried and dropped; the budget limits what such
// tries may read. Encrypted data has no magic and cannot be found without its chunk record.

namespace kitbag::rosbag {

namespace {

/// A gap is read so often at most, whatever it pretends to hold.
constexpr std::uint64_t kMostReadings = 4;

/// Takes what the data at `head` holds, if it holds messages.
Rescued take_compressed(ScanState& scan, ChunkHead head) {
  ChunkBody body = scan.file.body(head, 0);
  Tally tally;
  walk_chunk(
      body.content,
      [&](std::uint32_t connection, std::uint64_t time, std::size_t, ByteView) {
        tally.add(connection, time);
      },
      [&](const Record& record, std::size_t) {
        Op op = record.header.kind();
        if (op == Op::connection || op == Op::message_definition) {
          scan.take_connection(record, head.offset);
        }
      },
      [&](std::string_view topic) { return scan.id_of(topic); });
  Rescued rescued{body.consumed, tally.messages()};
  if (rescued.messages == 0) return {};
  head.stored_bytes = static_cast<std::uint32_t>(body.consumed);
  scan.index.heads.push_back(head);
  tally.add_chunk(head.offset, scan.index.table);
  return rescued;
}

}  // namespace

Rescued rescue_compressed(ScanState& scan, std::uint64_t begin, std::uint64_t end) {
  Rescued all;
  if (scan.file.cipher()) return all;
  RecordSearch search(scan.file.file(), end);
  std::uint64_t budget = kMostReadings * (end - begin);
  while (auto head = find_compressed(search, begin, end)) {
    if (budget < head->stored_bytes) break;
    budget -= head->stored_bytes;
    Rescued one = take_compressed(scan, *head);
    all.bytes += one.bytes;
    all.messages += one.messages;
    begin = head->offset + std::max<std::uint64_t>(one.bytes, 1);
  }
  return all;
}

}  // namespace kitbag::rosbag
