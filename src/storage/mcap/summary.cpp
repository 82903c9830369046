#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/crc32.h"
#include "base/little_endian.h"
#include "storage/mcap/end.h"
#include "storage/mcap/index.h"

// The end of a file, which is read first:
//
//     ... | DataEnd | Schema, Channel, Statistics, ... | SummaryOffset ... | Footer | magic |
//                   ^ summary_start                                        |<-- 37 bytes -->|
//
// Footer and magic have a fixed size, so the first read is that of the last 37 bytes, and the
// second one is the whole summary. Everything is a view into these bytes. Chunk indexes are checked
// here and parsed again when they are needed, because a large file has a million of them.
// SummaryOffsets are not used: they would help only to read a part of the summary.
//
// The CRC in the footer covers the summary and the footer up to the CRC itself. If summary_start is
// 0 there is no summary, and the CRC covers the footer alone.
//
// Chunk indexes may come in any order. They are sorted by place, because the walk between the
// chunks (join.cpp) goes through the file once.

namespace kitbag::mcap {

namespace {

/// A summary takes some 200 bytes a chunk: this is that of several terabytes.
constexpr std::uint64_t kMaxSummaryBytes = std::uint64_t{2} << 30;

void add_record(SummarySection& summary, const Record& record, bool& is_sound) {
  auto keep = [&](auto& list, auto parsed) {
    is_sound &= parsed.has_value();
    if (parsed) list.push_back(*parsed);
  };
  auto define = [&](Definitions::Added added) {
    is_sound &=
        added != Definitions::Added::malformed && added != Definitions::Added::contradiction;
  };
  switch (static_cast<Op>(record.op)) {
    case Op::schema:
      return define(summary.definitions.add_schema(record.content));
    case Op::channel:
      return define(summary.definitions.add_channel(record.content));
    case Op::chunk_index:
      is_sound &= parse_chunk_index(record.content).has_value();
      return summary.chunk_indexes.push_back(record.content);
    case Op::attachment_index:
      return keep(summary.attachment_indexes, parse_attachment_index(record.content));
    case Op::metadata_index:
      return keep(summary.metadata_indexes, parse_metadata_index(record.content));
    case Op::statistics:
      summary.statistics = parse_statistics(record.content);
      is_sound &= summary.statistics.has_value();
      return;
    default:
      return;
  }
}

/// False: a record in it is damaged.
bool parse_summary(ByteView section, SummarySection& summary) {
  bool is_sound = true;
  while (!section.empty() && is_sound) {
    auto record = parse_record(section);
    if (!record) return false;
    add_record(summary, *record, is_sound);
    section = section.subspan(static_cast<std::size_t>(record->bytes));
  }
  // Behind the times. All have been parsed.
  auto place = [](ByteView index) { return load_le<std::uint64_t>(&index[16]); };
  auto by_place = [&](ByteView a, ByteView b) { return place(a) < place(b); };
  std::vector<ByteView>& chunks = summary.chunk_indexes;
  if (is_sound && !std::is_sorted(chunks.begin(), chunks.end(), by_place)) {
    std::sort(chunks.begin(), chunks.end(), by_place);
  }
  return is_sound;
}

/// Reads the summary that `tail.footer`, which stands at `footer_at`, promises.
void read_summary(const ChunkFile& file, std::uint64_t footer_at, Tail& tail) {
  constexpr std::uint64_t kSummedOfFooter = kRecordHead + kFooterBytes - sizeof(std::uint32_t);
  const Footer& footer = *tail.footer;
  std::uint64_t start = footer.summary_start == 0 ? footer_at : footer.summary_start;
  auto damaged = [&](const std::string& what) {
    tail.fault = file.error(ErrorCode::corrupt, what, footer_at);
  };
  if (start < kMagic.size() || start > footer_at || footer_at - start > kMaxSummaryBytes) {
    return damaged(
        fmt::format("the footer places the summary at byte {}, which is impossible", start));
  }
  SummarySection summary;
  summary.bytes.resize(static_cast<std::size_t>(footer_at - start + kSummedOfFooter));
  if (file.file().read(start, summary.bytes.span()) < summary.bytes.size()) {
    return damaged("the file was truncated while it was being read");
  }
  if (file.checks_crc() && footer.summary_crc != 0) {
    std::uint32_t crc = crc32(summary.bytes.view());
    if (crc != footer.summary_crc) {
      return damaged(fmt::format("the summary is damaged: its CRC is {:08x}, expected {:08x}", crc,
                                 footer.summary_crc));
    }
  }
  if (footer.summary_start == 0) return;
  ByteView section = summary.bytes.view().first(static_cast<std::size_t>(footer_at - start));
  if (!parse_summary(section, summary)) return damaged("a record of the summary is damaged");
  tail.summary = std::move(summary);
}

}  // namespace

const Stretch* BagIndex::stretch_at(std::uint64_t offset) const {
  auto found = std::lower_bound(
      stretches.begin(), stretches.end(), offset,
      [](const Stretch& stretch, std::uint64_t place) { return stretch.begin < place; });
  bool is_there = found != stretches.end() && found->begin == offset;
  return is_there ? &*found : nullptr;
}

const ChunkSize* BagIndex::size_at(std::uint64_t offset) const {
  auto found = std::lower_bound(
      sizes.begin(), sizes.end(), offset,
      [](const ChunkSize& size, std::uint64_t place) { return size.offset < place; });
  bool is_there = found != sizes.end() && found->offset == offset;
  return is_there ? &*found : nullptr;
}

void BagIndex::add_size(const ChunkIndex& chunk) {
  auto name = std::find(compressions.begin(), compressions.end(), chunk.compression);
  auto number = static_cast<std::uint32_t>(name - compressions.begin());
  if (name == compressions.end()) compressions.emplace_back(chunk.compression);
  sizes.push_back({chunk.chunk_offset, chunk.compressed_size, chunk.uncompressed_size, number});
}

Tail read_tail(const ChunkFile& file) {
  Tail tail;
  std::uint64_t size = file.file().size();
  tail.records_end = size;
  std::array<std::byte, kTailBytes> bytes;
  std::uint64_t begin = size < kTailBytes ? 0 : size - kTailBytes;
  ByteView found = ByteView(bytes).first(file.file().read(begin, bytes));
  tail.has_magic = size >= kTailBytes + kMagic.size() && as_text(found).ends_with(kMagic);
  if (!tail.has_magic) {
    tail.fault =
        file.error(ErrorCode::truncated,
                   "the end of the file is missing; the file was not closed, or is cut off", size);
    return tail;
  }
  tail.records_end = size - kMagic.size();
  auto record = parse_record(found);
  if (record && record->op == static_cast<std::uint8_t>(Op::footer)) {
    tail.footer = parse_footer(record->content);
  }
  if (tail.footer) {
    read_summary(file, begin, tail);
  } else {
    tail.fault = file.error(ErrorCode::corrupt, "the footer at the end is damaged", begin);
  }
  return tail;
}

std::optional<Error> verify_data(const ChunkFile& file, std::uint64_t data_end) {
  constexpr std::size_t kPiece = 256 << 10;
  std::byte record[kRecordHead + sizeof(std::uint32_t)];
  if (!file.checks_crc() || file.file().read(data_end, record) < sizeof(record)) return {};
  auto expected = load_le<std::uint32_t>(record + kRecordHead);
  if (record[0] != static_cast<std::byte>(Op::data_end) || expected == 0) return {};
  Buffer piece;
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0; at < data_end; at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, data_end - at)));
    if (file.file().read(at, piece.span()) < piece.size()) return {};
    crc = crc32(piece.view(), crc);
  }
  if (crc == expected) return {};
  return file.error(
      ErrorCode::corrupt,
      fmt::format("the data is damaged: its CRC is {:08x}, expected {:08x}", crc, expected),
      data_end);
}

std::uint64_t name_slots(BagIndex& index) {
  ChunkTable& table = index.table;
  std::vector<ChannelCount> counts;
  counts.reserve(table.counts.size());
  std::uint64_t strangers = 0;
  for (Chunk& chunk : table.chunks) {
    if (chunk.channels == Chunk::kAnyChannels) continue;
    auto first = static_cast<std::uint32_t>(counts.size());
    for (std::uint32_t i = 0; i < chunk.channels; ++i) {
      const ChannelCount& count = table.counts[chunk.first_count + i];
      auto slot = index.definitions.slot(static_cast<std::uint16_t>(count.slot));
      if (slot) counts.push_back({*slot, count.messages});
      if (!slot) strangers += count.messages;
    }
    chunk.first_count = first;
    chunk.channels = static_cast<std::uint32_t>(counts.size()) - first;
  }
  table.counts = std::move(counts);
  return strangers;
}

std::optional<BagIndex> open_by_summary(std::shared_ptr<const ChunkFile>& file, Tail& tail,
                                        const ReadOptions& options) {
  tail = read_tail(*file);
  std::optional<BagIndex> index;
  if (!tail.fault && tail.summary) index = join_summary(*file, tail, options);
  if (index || !leave_unfinished(file, options)) return index;
  tail = read_tail(*file);
  return join_summary(*file, tail, options);
}

BagIndex open_index(std::shared_ptr<const ChunkFile>& file, const ReadOptions& options) {
  Tail tail;
  if (options.trust_index) {
    if (auto index = open_by_summary(file, tail, options)) return std::move(*index);
  }
  return scan(*file, read_tail(*file), options);
}

}  // namespace kitbag::mcap
