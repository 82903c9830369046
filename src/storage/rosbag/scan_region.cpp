#include <algorithm>
#include <array>

#include "storage/rosbag/chunk_walk.h"
#include "storage/rosbag/scan_parts.h"

namespace kitbag::rosbag {

namespace {

/// A stretch is closed when it has this size, and where a gap has that.
constexpr std::uint64_t kStretchBytes = 1 << 20;
constexpr std::uint64_t kStretchGap = 64 << 10;

/// Groups records that stand outside of chunks into stretches: chunks without a chunk record.
class Stretches {
 public:
  explicit Stretches(BagIndex& index) : index_(index) {}

  void add(const FoundRecord& record) {
    bool fits =
        is_open_ && record.offset - end_ < kStretchGap && record.offset - begin_ < kStretchBytes;
    if (!fits) close();
    if (!is_open_) begin_ = record.offset;
    is_open_ = true;
    end_ = record.end;
    if (is_message(record)) tally_.add(*record.connection, record.time);
  }
  void close();

  static bool is_message(const FoundRecord& record) { return record.op == Op::message; }

 private:
  BagIndex& index_;
  Tally tally_;
  bool is_open_ = false;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

void Stretches::close() {
  if (!std::exchange(is_open_, false) || tally_.messages() == 0) return;
  auto bytes = static_cast<std::uint32_t>(end_ - begin_);
  index_.heads.push_back({begin_, begin_, bytes, "none", bytes});
  tally_.add_chunk(begin_, index_.table);
}

class RegionScan {
 public:
  RegionScan(ScanState& scan, std::uint64_t from, Finding finding)
      : scan_(scan),
        walk_(scan.file.file(), from, scan.size),
        window_(scan.file.window()),
        finding_(std::move(finding)),
        times_(scan.findings.last_time()),
        stretches_(scan.index) {}

  std::uint64_t run();

 private:
  void take(FoundRecord record);
  void take_gap(std::uint64_t begin, std::uint64_t end);
  void settle();
  bool is_index_only();

  ScanState& scan_;
  Salvage walk_;
  RecordWindow window_;
  Finding finding_;
  GapTimes times_;
  Stretches stretches_;
};

std::uint64_t RegionScan::run() {
  std::uint64_t stop = scan_.size;
  while (auto record = walk_.next()) {
    if (record->gap > 0) take_gap(record->offset - record->gap, record->offset);
    if (is_structural(record->op) && record->offset > finding_.begin) {
      stop = record->offset;
      break;
    }
    if (!is_structural(record->op)) take(*record);
  }
  finding_.end = stop;
  std::uint64_t rest = walk_.gaps().last_bytes;
  if (stop == scan_.size && rest > 0) take_gap(stop - rest, stop);
  stretches_.close();
  settle();
  return stop;
}

void RegionScan::take(FoundRecord record) {
  if (Stretches::is_message(record)) {
    if (!record.connection) record.connection = scan_.id_of(record.topic);
    if (!record.connection) return;
    ++finding_.messages;
    times_.message(time_of(record.time));
  } else if (auto whole = window_.record(record.offset, kMaxConnectionBytes)) {
    scan_.take_connection(*whole, record.offset);
  }
  stretches_.add(record);
}

void RegionScan::take_gap(std::uint64_t begin, std::uint64_t end) {
  times_.gap();
  std::uint64_t rescued = rescue_compressed(scan_, begin, end);
  if (rescued > 0) stretches_.close();
  finding_.loss->bytes += end - begin - rescued;
}

/// Works out what is lost, and tells.
void RegionScan::settle() {
  Loss& loss = *finding_.loss;
  times_.put_into(loss);
  const Gaps& gaps = walk_.gaps();
  bool is_cut_chunk = finding_.code == ErrorCode::truncated && finding_.end == scan_.size;
  if (!is_cut_chunk && gaps.ends_in_message && gaps.last_bytes == loss.bytes) {
    loss.messages = 1;
    finding_.code = ErrorCode::truncated;
  }
  if (loss.bytes == 0 && !is_cut_chunk) loss.messages = 0;
  if (is_index_only()) loss.messages = 0;
  if (times_.first()) scan_.findings.note_messages(*times_.first(), *times_.last());
  scan_.findings.add(std::move(finding_));
}

/// Whether only an index can have stood here: that behind the last chunk, or the begin of the one
/// at the end, whose first records are those of connections.
bool RegionScan::is_index_only() {
  if (finding_.messages > 0 || scan_.index_end == 0) return false;
  if (finding_.end <= scan_.index_end) return true;
  if (finding_.begin != scan_.index_end || finding_.end != scan_.size) return false;
  std::array<std::byte, 16> bytes;
  ByteView begin = ByteView(bytes).first(scan_.file.file().read(finding_.begin, bytes));
  return begin.size() > 13 && as_text(begin.subspan(8)).starts_with("conn=");
}

}  // namespace

std::uint64_t scan_region(ScanState& scan, std::uint64_t from, Finding finding) {
  return RegionScan(scan, from, std::move(finding)).run();
}

}  // namespace kitbag::rosbag
