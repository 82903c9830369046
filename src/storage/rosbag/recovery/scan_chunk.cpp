#include <fmt/format.h>

#include "storage/rosbag/chunk_walk.h"
#include "storage/rosbag/recovery/scan_parts.h"

// A chunk is walked at full speed first, because nearly all chunks of a damaged bag are sound. Only
// if the walk meets a fault, what it has counted is thrown away, and the chunk is read a second
// time by the slow rules for damage.
//
// `consumed` is where a compressed stream really ended. It is used instead of the stored length,
// which may be damaged. Where the stored length is not confirmed, the scan continues there.

namespace kitbag::rosbag {

namespace {

/// Reads one chunk: fast while it is sound, and where it is not a second time, over the damage.
class ChunkScan {
 public:
  ChunkScan(ScanState& scan, const ChunkHead& head, Finding finding)
      : scan_(scan),
        head_(head),
        body_(scan.file.body(head, 0)),
        is_end_known_(finding.what.empty()),
        finding_(std::move(finding)) {}

  std::uint64_t run();

 private:
  ChunkWalk walk();
  Gaps salvage();
  void name_fault(const ChunkWalk& walk);
  void tell_gaps(const Gaps& gaps);
  void take_record(const Record& record) {
    Op op = record.header.kind();
    if (op == Op::connection || op == Op::message_definition) {
      scan_.take_connection(record, head_.offset);
    }
  }

  ScanState& scan_;
  const ChunkHead& head_;
  ChunkBody body_;
  bool is_end_known_;
  Finding finding_;
  Tally tally_;
};

std::uint64_t ChunkScan::run() {
  ChunkWalk walked = walk();
  name_fault(walked);
  if (walked.fault.empty() && body_.is_whole) {
    finding_.loss.reset();
  } else {
    tell_gaps(salvage());
  }
  finding_.messages = tally_.messages();
  std::uint64_t end = body_.is_whole ? head_.data_offset + body_.consumed : head_.end();
  scan_.chunk = head_.offset;
  scan_.chunk_messages = tally_.messages();
  scan_.chunk_end = end;
  scan_.index_end = 0;
  if (tally_.messages() > 0) {
    scan_.findings.note_messages(tally_.start(), tally_.end());
    scan_.index_end = end + tally_.index_bytes();
  }
  if (!finding_.what.empty()) scan_.findings.add(std::move(finding_));
  tally_.add_chunk(head_.offset, scan_.index.table);
  return end;
}

ChunkWalk ChunkScan::walk() {
  return walk_chunk(
      body_.content,
      [&](std::uint32_t connection, std::uint64_t time, std::size_t, ByteView) {
        tally_.add(connection, time);
      },
      [&](const Record& record, std::size_t) { take_record(record); },
      [&](std::string_view topic) { return scan_.id_of(topic); });
}

void ChunkScan::name_fault(const ChunkWalk& walk) {
  if (!finding_.what.empty()) return;
  if (body_.fault) {
    finding_.what = body_.fault->message();
    finding_.code = body_.fault->code();
  } else if (!walk.fault.empty()) {
    finding_.what = fmt::format("{} at byte {} of this chunk", walk.fault, walk.end);
  }
}

Gaps ChunkScan::salvage() {
  tally_.clear();
  GapTimes times(scan_.findings.last_time());
  Gaps gaps = salvage_chunk(
      body_.content, places_behind(scan_.file, head_, body_.content, is_end_known_),
      [&](std::uint32_t connection, std::uint64_t time, std::size_t, ByteView, std::uint64_t gap) {
        if (gap > 0) times.gap();
        times.message(time_of(time));
        tally_.add(connection, time);
      },
      [&](const Record& record, std::size_t) { take_record(record); },
      [&](std::string_view topic) { return scan_.id_of(topic); });
  if (gaps.last_bytes > 0 || !body_.is_whole) times.gap();
  times.put_into(*finding_.loss);
  return gaps;
}

void ChunkScan::tell_gaps(const Gaps& gaps) {
  finding_.loss->bytes = body_.is_packed ? head_.stored_bytes - body_.consumed : gaps.bytes;
  // All messages are there, but some of the data was not what its checksum says.
  finding_.is_doubtful = body_.is_packed && !body_.is_whole;
  if (!gaps.is_counted) return;
  finding_.is_counted = true;
  finding_.loss->messages = gaps.missed.size();
  if (!gaps.missed.empty()) put_times(gaps.missed, *finding_.loss);
}

}  // namespace

std::uint64_t scan_chunk(ScanState& scan, const ChunkHead& head, Finding finding) {
  return ChunkScan(scan, head, std::move(finding)).run();
}

}  // namespace kitbag::rosbag
