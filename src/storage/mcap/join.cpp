#include <algorithm>
#include <array>
#include <map>

#include "storage/chunked/file_window.h"
#include "storage/mcap/extras.h"
#include "storage/mcap/index.h"
#include "storage/mcap/record_parser.h"
#include "storage/mcap/stretches.h"

// Opening by the summary. It lists the chunks, but not what lies between them: messages outside of
// chunks, private records, attachments and metadata that their writer did not index. So the heads
// of the records between the chunks are read. The usual file has none, and a chunk costs nothing
// but its entry; a file without chunks is read as a whole.
//
// The number of messages of a channel in a chunk is not stored, but follows from the offsets of the
// message indexes after the chunk. If it agrees with the statistics, it is certain; otherwise the
// heads of the message indexes are read. If they disagree too, the whole summary is worthless, and
// everything is read.

namespace kitbag::mcap {

namespace {

/// What a message index record takes beside its entries.
constexpr std::uint64_t kMessageIndexFrame = kRecordHead + 2 + 4;
/// What is read at once between two chunks. There usually is nothing but a header in front of the
/// first and the end of the data behind the last; where there is more, there is much.
constexpr std::size_t kFirstOfGap = 512;
constexpr std::size_t kGapWindow = 64 << 10;

class Joiner {
 public:
  Joiner(const ChunkFile& file, const Tail& tail, const ReadOptions& options, bool reads_indexes)
      : file_(file),
        tail_(tail),
        options_(options),
        reads_indexes_(reads_indexes),
        stretches_(index_) {
    index_.definitions = tail.summary->definitions;
    index_.statistics = tail.summary->statistics;
    index_.is_found = true;
  }

  std::optional<BagIndex> join();

 private:
  bool step_to(std::uint64_t offset);
  bool step();
  bool take(std::uint8_t op, std::uint64_t bytes, ByteView head);
  bool take_chunk(ChunkIndex& chunk);
  bool count_channels(ChunkIndex& chunk);
  std::optional<std::uint64_t> count_entries(std::uint16_t channel, std::uint64_t begin,
                                             std::uint64_t end) const;
  bool settle_counts();

  const ChunkFile& file_;
  const Tail& tail_;
  const ReadOptions& options_;
  bool reads_indexes_;
  BagIndex index_;
  Stretches stretches_;
  RecordParser parser_;
  RunScratch scratch_;
  FileWindow window_;
  std::uint64_t at_ = kMagic.size();
  std::size_t gap_window_ = kFirstOfGap;
  bool is_at_end_ = false;                    ///< of the data section
  std::vector<std::size_t> without_indexes_;  ///< chunks that have no message indexes
};

std::optional<BagIndex> Joiner::join() {
  for (ByteView content : tail_.summary->chunk_indexes) {
    ChunkIndex chunk = *parse_chunk_index(content);
    if (!step_to(chunk.chunk_offset) || !take_chunk(chunk)) return std::nullopt;
  }
  while (!is_at_end_) {
    if (!step()) return std::nullopt;
  }
  stretches_.close();
  bool ends_before_summary = at_ == tail_.footer->summary_start;
  if (!ends_before_summary || !index_.definitions.are_complete()) return std::nullopt;
  if (!settle_counts()) return std::nullopt;
  if (name_slots(index_) > 0) return std::nullopt;
  return std::move(index_);
}

/// Goes through the records up to `offset`. False: none begins there.
bool Joiner::step_to(std::uint64_t offset) {
  while (at_ < offset && !is_at_end_) {
    if (!step()) return false;
  }
  return at_ == offset && !is_at_end_;
}

bool Joiner::step() {
  std::uint64_t wanted = kRecordHead;
  std::uint64_t end = tail_.records_end;
  for (;;) {
    ByteView bytes = window_.at(file_.file(), end, at_, wanted, gap_window_);
    gap_window_ = kGapWindow;
    if (bytes.empty()) return false;
    RunRecord record = parser_.parse(bytes, scratch_);
    if (record.kind == RunRecord::Kind::damaged) return false;
    bool is_beyond = record.bytes > end - at_;
    if (is_beyond) return false;
    if (record.kind != RunRecord::Kind::cut) {
      if (bytes.size() < record.head_bytes) {
        wanted = record.head_bytes;
        continue;
      }
      std::uint64_t offset = at_;
      at_ += record.bytes;
      if (record.kind == RunRecord::Kind::message) {
        stretches_.message(offset, record.bytes, static_cast<std::uint16_t>(record.slot),
                           record.time);
        return true;
      }
      return take(std::to_integer<std::uint8_t>(bytes[0]), record.bytes,
                  bytes.first(record.head_bytes));
    }
    if (bytes.size() >= record.bytes) return false;
    wanted = record.bytes;
  }
}

/// A record that ends at `at_` and is no message. False: it should not stand here.
bool Joiner::take(std::uint8_t op, std::uint64_t bytes, ByteView head) {
  using Added = Definitions::Added;
  auto is_sound = [](Added added) { return added == Added::news || added == Added::known; };
  std::uint64_t offset = at_ - bytes;
  switch (static_cast<Op>(op)) {
    case Op::header: {
      auto header = parse_header(head.subspan(kRecordHead));
      if (!header || offset != kMagic.size()) return false;
      index_.profile = header->profile;
      index_.library = header->library;
      return true;
    }
    case Op::schema:
      stretches_.other(offset, bytes);
      return is_sound(index_.definitions.add_schema(head.subspan(kRecordHead)));
    case Op::channel:
      stretches_.other(offset, bytes);
      return is_sound(index_.definitions.add_channel(head.subspan(kRecordHead)));
    case Op::message_index:
      return true;
    case Op::data_end:
      is_at_end_ = true;
      index_.table.data_end = offset;
      return true;
    case Op::attachment:
    case Op::metadata:
      break;
    default:
      if (op <= static_cast<std::uint8_t>(Op::data_end)) return false;
      stretches_.other(offset, bytes);
  }
  auto extra = read_extra(file_.shared_file(), file_.path(), offset, op, bytes, options_);
  if (extra) index_.extras.push_back(std::move(*extra));
  return extra || op > static_cast<std::uint8_t>(Op::data_end);
}

bool Joiner::take_chunk(ChunkIndex& chunk) {
  std::uint64_t left = tail_.records_end - at_;
  bool fits = chunk.chunk_bytes >= kRecordHead + ChunkHead::kBytes && chunk.chunk_bytes <= left &&
              chunk.message_index_bytes <= left - chunk.chunk_bytes;
  if (!fits) return false;
  stretches_.close();
  index_.has_chunks = true;
  ChunkTable& table = index_.table;
  table.chunks.push_back({chunk.chunk_offset, time_of(chunk.start), time_of(chunk.end),
                          static_cast<std::uint32_t>(table.counts.size()), 0});
  index_.add_size(chunk);
  if (!count_channels(chunk)) return false;
  table.chunks.back().channels =
      static_cast<std::uint32_t>(table.counts.size()) - table.chunks.back().first_count;
  at_ += chunk.chunk_bytes + chunk.message_index_bytes;
  gap_window_ = kFirstOfGap;
  return true;
}

/// Computes the number of messages in message indexes from their offsets.
bool Joiner::count_channels(ChunkIndex& chunk) {
  ChunkTable& table = index_.table;
  auto& places = chunk.message_index_offsets;
  if (places.empty()) without_indexes_.push_back(table.chunks.size() - 1);
  std::sort(places.begin(), places.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  std::uint64_t begin = chunk.chunk_offset + chunk.chunk_bytes;
  std::uint64_t end = begin + chunk.message_index_bytes;
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto [channel, place] = places[i];
    std::uint64_t next = i + 1 < places.size() ? places[i + 1].second : end;
    bool is_inside = place >= begin && next <= end && next - place >= kMessageIndexFrame;
    auto entries = is_inside ? count_entries(channel, place, next) : std::nullopt;
    table.are_counts_sure &= entries.has_value();
    std::uint64_t count = entries.value_or(0);
    if (count > UINT32_MAX || !index_.definitions.slot(channel)) return false;
    table.counts.push_back({channel, static_cast<std::uint32_t>(count)});
  }
  return true;
}

/// The count of the message index from `begin` to `end`; nothing if it is uncertain.
std::optional<std::uint64_t> Joiner::count_entries(std::uint16_t channel, std::uint64_t begin,
                                                   std::uint64_t end) const {
  std::uint64_t bytes = end - begin - kMessageIndexFrame;
  if (reads_indexes_) {
    std::array<std::byte, kMessageIndexFrame> head;
    if (file_.file().read(begin, head) < head.size()) return std::nullopt;
    bool is_own = head[0] == static_cast<std::byte>(Op::message_index) &&
                  load_le<std::uint16_t>(&head[kRecordHead]) == channel;
    bytes = load_le<std::uint32_t>(&head[kRecordHead + sizeof(channel)]);
    if (!is_own || bytes > end - begin) return std::nullopt;
  }
  if (bytes % MessageIndex::kEntryBytes != 0) return std::nullopt;
  return bytes / MessageIndex::kEntryBytes;
}

/// Compares the counts with the statistics. False: only reading everything gives the number of
/// messages.
bool Joiner::settle_counts() {
  ChunkTable& table = index_.table;
  if (!index_.statistics) return table.are_counts_sure && without_indexes_.empty();
  std::map<std::uint32_t, std::uint64_t> counted;
  for (const ChannelCount& count : table.counts) counted[count.slot] += count.messages;
  std::erase_if(counted, [](const auto& entry) { return entry.second == 0; });
  std::map<std::uint32_t, std::uint64_t> promised;
  for (auto [channel, messages] : index_.statistics->channel_messages) {
    if (messages > 0) promised[channel] += messages;
  }
  // An empty map says that the writer has not counted by channel, and not that nothing is there.
  std::uint64_t told = 0;
  for (const auto& [channel, messages] : promised) told += messages;
  if (!without_indexes_.empty() && told != index_.statistics->messages) return false;
  table.are_counts_sure &= counted == promised;
  if (table.are_counts_sure) return true;
  // Without message indexes, only the statistics have counts; with them, something is wrong.
  if (without_indexes_.empty() && index_.has_chunks) return false;
  bool is_declared = std::all_of(promised.begin(), promised.end(), [&](const auto& entry) {
    return index_.definitions.slot(static_cast<std::uint16_t>(entry.first)).has_value();
  });
  if (!is_declared || !index_.has_chunks) return false;
  for (std::size_t chunk : without_indexes_) table.chunks[chunk].channels = Chunk::kAnyChannels;
  return true;
}

}  // namespace

std::optional<BagIndex> join_summary(const ChunkFile& file, const Tail& tail,
                                     const ReadOptions& options) {
  // Without a read for each chunk, if the counts that follow from the offsets are those of the
  // statistics.
  auto index = Joiner(file, tail, options, false).join();
  if (index) return index;
  return Joiner(file, tail, options, true).join();
}

}  // namespace kitbag::mcap
