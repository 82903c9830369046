#include <algorithm>
#include <array>

#include "storage/rosbag/chunk_walk.h"
#include "storage/rosbag/recovery/scan_parts.h"

// A region is what lies between damage and the next record between chunks: the rest of a chunk
// whose length is wrong, or messages whose chunk record is lost. Its whole records are collected
// into stretches of about a megabyte, which the engine reads as chunks. A gap of more than 64 KiB
// ends a stretch, so that loading one does not read a large hole.
//
// How many messages are lost is known in two cases. If the region is one chunk and the index
// records behind it are whole, these list all messages. To make sure that they are this chunk's,
// the first message found must be among them, with its time, at an offset that fits. And if the
// region is only the end of a cut-off message, that is one. In all other cases the number is left
// open, and the file's index may settle it later (findings.h).
//
// If only index records can have stood here, nothing is lost: they repeat what the chunks say.

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
  void tell(std::uint64_t stop);
  void count_loss(std::uint64_t stop);
  bool is_index_only(std::uint64_t stop);
  std::optional<std::uint64_t> messages_by_index(std::uint64_t stop);

  ScanState& scan_;
  Salvage walk_;
  RecordWindow window_;
  Finding finding_;
  GapTimes times_;
  Stretches stretches_;
  std::optional<FoundRecord> first_;  ///< message
  std::uint64_t messages_ = 0;
  std::uint64_t last_gap_end_ = 0;
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
  std::uint64_t rest = walk_.gaps().last_bytes;
  if (stop == scan_.size && rest > 0) take_gap(stop - rest, stop);
  stretches_.close();
  tell(stop);
  return stop;
}

void RegionScan::take(FoundRecord record) {
  if (Stretches::is_message(record)) {
    if (!record.connection) record.connection = scan_.id_of(record.topic);
    if (!record.connection) return;
    if (!first_) first_ = record;
    ++messages_;
    times_.message(time_of(record.time));
  } else if (auto whole = window_.record(record.offset, kMaxConnectionBytes)) {
    scan_.take_connection(*whole, record.offset);
  }
  stretches_.add(record);
}

void RegionScan::take_gap(std::uint64_t begin, std::uint64_t end) {
  times_.gap();
  last_gap_end_ = end;
  Rescued rescued = rescue_compressed(scan_, begin, end);
  if (rescued.bytes > 0) stretches_.close();
  messages_ += rescued.messages;
  finding_.loss->bytes += end - begin - rescued.bytes;
}

void RegionScan::tell(std::uint64_t stop) {
  finding_.end = stop;
  finding_.messages += messages_;
  times_.put_into(*finding_.loss);
  count_loss(stop);
  if (times_.first()) scan_.findings.note_messages(*times_.first(), *times_.last());
  scan_.findings.add(std::move(finding_));
  scan_.chunk_end = scan_.index_end = 0;
}

/// How many messages are lost according to the region itself.
void RegionScan::count_loss(std::uint64_t stop) {
  Loss& loss = *finding_.loss;
  const Gaps& gaps = walk_.gaps();
  bool is_cut_chunk = finding_.code == ErrorCode::truncated && stop == scan_.size;
  bool is_cut_message = !is_cut_chunk && gaps.ends_in_message && gaps.last_bytes == loss.bytes;
  if (is_cut_message) finding_.code = ErrorCode::truncated;
  if (is_index_only(stop) || (loss.bytes == 0 && !is_cut_chunk)) {
    loss.messages = 0;
  } else if (auto indexed = messages_by_index(stop)) {
    loss.messages = *indexed - std::min(*indexed, messages_);
    finding_.is_counted = true;
  } else if (is_cut_message) {
    loss.messages = 1;
  }
}

/// Whether only an index can have stood here: that behind the last chunk, or the section at the end
/// of the file, whose first records are those of connections.
bool RegionScan::is_index_only(std::uint64_t stop) {
  std::uint64_t begin = finding_.begin;
  if (messages_ == 0 && scan_.is_in_index) return true;
  if (messages_ > 0 || scan_.index_end == 0 || begin > scan_.index_end) return false;
  if (stop <= scan_.index_end || scan_.index.header.index_pos == scan_.index_end) return true;
  if (begin != scan_.index_end || stop != scan_.size) return false;
  std::array<std::byte, 16> bytes;
  ByteView head = ByteView(bytes).first(scan_.file.file().read(begin, bytes));
  return head.size() > 13 && as_text(head.subspan(8)).starts_with("conn=");
}

/// How many messages there were, if the region is no more than one chunk and its index, and the
/// index, which then stands at `stop`, is whole.
std::optional<std::uint64_t> RegionScan::messages_by_index(std::uint64_t stop) {
  constexpr std::uint64_t kMostOfChunkHead = 256;
  bool is_index_cut = last_gap_end_ == stop;  // at its begin
  if (!first_ || stop == scan_.size || is_index_cut) return std::nullopt;
  IndexPlaces index = read_places(scan_.file, stop, stop - finding_.begin);
  if (!index.is_whole) return std::nullopt;
  std::uint64_t begin = std::max(finding_.begin, std::min(scan_.index_end, stop));
  auto is_first = [&](const IndexPlace& place) {
    return place.connection == first_->connection && place.time == first_->time &&
           place.offset <= first_->offset &&
           first_->offset - place.offset <= begin + kMostOfChunkHead;
  };
  bool is_own = std::any_of(index.places.begin(), index.places.end(), is_first);
  return is_own ? std::optional(index.places.size()) : std::nullopt;
}

}  // namespace

std::uint64_t scan_region(ScanState& scan, std::uint64_t from, Finding finding) {
  return RegionScan(scan, from, std::move(finding)).run();
}

}  // namespace kitbag::rosbag
