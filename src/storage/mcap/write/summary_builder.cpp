#include "storage/mcap/write/summary_builder.h"

#include <algorithm>
#include <array>

#include "base/crc32.h"

// A SummaryOffset describes all records of one kind by one start and one length, so each kind must
// be in one piece. They come interleaved while a file is written; each kind is therefore collected
// in a buffer of its own, as finished records, and the summary is these buffers one after the
// other. Their order is free; it is that of the files of MCAP's conformance suite.
//
// The CRC covers everything from the summary's start up to the CRC in the footer. So the footer is
// made with a CRC of 0, all of it but its last field is summed, and the field is filled in.

namespace kitbag::mcap {

void SummaryBuilder::add(const SchemaRecord& schema) {
  append(schemas_, schema);
  ++statistics_.schemas;
}

void SummaryBuilder::add(const ChannelRecord& channel) {
  append(channels_, channel);
  ++statistics_.channels;
}

void SummaryBuilder::add(const ChunkIndex& index) {
  append(chunk_indexes_, index);
  ++statistics_.chunks;
}

void SummaryBuilder::add(const AttachmentIndex& index) {
  append(attachment_indexes_, index);
  ++statistics_.attachments;
}

void SummaryBuilder::add(const MetadataIndex& index) {
  append(metadata_indexes_, index);
  ++statistics_.metadata;
}

void SummaryBuilder::add_messages(std::uint16_t channel_id, std::uint64_t messages,
                                  std::uint64_t start, std::uint64_t end) {
  bool is_first = statistics_.messages == 0;
  statistics_.start = is_first ? start : std::min(statistics_.start, start);
  statistics_.end = std::max(statistics_.end, end);
  statistics_.messages += messages;
  counts_[channel_id] += messages;
}

void SummaryBuilder::set(const Statistics& statistics) {
  statistics_ = statistics;
  counts_ = {statistics.channel_messages.begin(), statistics.channel_messages.end()};
}

void SummaryBuilder::write(std::uint64_t start, const SummaryParts& parts,
                           const std::function<void(ByteView)>& put) {
  Buffer statistics;
  statistics_.channel_messages = {counts_.begin(), counts_.end()};
  if (parts.statistics) append(statistics, statistics_);
  struct Group {
    Op op;
    ByteView records;
  };
  auto group = [](bool is_wanted, Op op, const Buffer& records) {
    return Group{op, is_wanted ? records.view() : ByteView()};
  };
  const std::array groups = {
      group(parts.schemas, Op::schema, schemas_),
      group(parts.channels, Op::channel, channels_),
      group(parts.statistics, Op::statistics, statistics),
      group(parts.metadata_indexes, Op::metadata_index, metadata_indexes_),
      group(parts.attachment_indexes, Op::attachment_index, attachment_indexes_),
      group(parts.chunk_indexes, Op::chunk_index, chunk_indexes_),
  };
  std::uint32_t crc = 0;
  auto put_summed = [&](ByteView bytes) {
    if (parts.crc) crc = crc32(bytes, crc);
    put(bytes);
  };
  Buffer offsets;
  std::uint64_t at = start;
  for (const Group& one : groups) {
    if (one.records.empty()) continue;
    SummaryOffset offset{static_cast<std::uint8_t>(one.op), at, one.records.size()};
    if (parts.offsets) append(offsets, offset);
    put_summed(one.records);
    at += one.records.size();
  }
  put_summed(offsets.view());
  Footer footer{at > start ? start : 0, offsets.size() > 0 ? at : 0, 0};
  Buffer end;
  append(end, footer);
  put_summed(end.view().first(end.size() - sizeof(crc)));
  store_le(end.data() + end.size() - sizeof(crc), crc);
  end.append(as_bytes(kMagic));
  put(end.view().last(sizeof(crc) + kMagic.size()));
}

}  // namespace kitbag::mcap
