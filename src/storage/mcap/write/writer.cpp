#include "storage/mcap/write/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

#include "base/crc32.h"
#include "base/little_endian.h"
#include "storage/rosbag2/conventions.h"

// What a closed chunk becomes, written by one call:
//
//     Chunk head | records, perhaps packed | MessageIndex of a channel | MessageIndex | ...
//
// The whole chunk is in memory until then. So its head (sizes, times, CRC) and the places of its
// message indexes are known before the first byte is written, and nothing is filled in later.
//
// A byte of a chunk is part of two sums: the CRC of the chunk, over the records before compression,
// and the CRC of the data section, over the file as it is. Where the records are stored as they
// are, both cover the same bytes; these are summed once, and crc32_joined() continues the file's
// sum with the chunk's. A payload that is written from the caller's memory is the tail of its chunk
// and belongs to the same sum.
//
// Without chunks, pieces of 64 KiB take the same way. They have no head and no message indexes, so
// only the statistics of the summary count their messages.

namespace kitbag::mcap {

namespace {

/// Limit for one message in a chunk: its definitions must fit before it.
constexpr std::uint64_t kMaxChunkedPayload = kMaxChunkBytes - kMaxDefinitionBytes;
constexpr std::uint32_t kMaxChannelId = std::numeric_limits<std::uint16_t>::max();
constexpr const char* kLibrary = "kitbag " KITBAG_VERSION;
/// Records outside of chunks are passed to the file in pieces of this size, which is large enough
/// that the file does not buffer them.
constexpr std::size_t kPlainChunkBytes = 64 << 10;

bool is_of_world(const Channel& channel, std::string_view encoding,
                 std::initializer_list<std::string_view> languages) {
  if (channel.encoding != encoding || !channel.schema) return false;
  return std::find(languages.begin(), languages.end(), channel.schema->language) != languages.end();
}

ChannelRecord record_of(const Channel& channel, std::uint16_t id, std::uint16_t schema_id) {
  return {id, schema_id, channel.topic, channel.encoding, channel.metadata};
}

/// The options as the preset changes them. Pieces of a file without chunks are no chunks: they are
/// stored as they are, one behind the other.
WriteOptions chunk_options(const WriteOptions& options, const Settings& settings) {
  WriteOptions plain = options;
  plain.chunk_bytes = settings.chunk_bytes;
  if (settings.compression.empty()) plain.compression = "none";
  if (settings.is_chunked) return plain;
  plain.chunk_bytes = kPlainChunkBytes;
  plain.compression = "none";
  plain.topic_chunks.clear();
  if (plain.sync.when == SyncPolicy::When::chunk) plain.sync.when = SyncPolicy::When::at_close;
  return plain;
}

ChunkPipe::MakeCompressor packer_of(const Settings& settings) {
  return settings.is_chunked ? settings.make_packer() : nullptr;
}

/// A file with messages outside of chunks gets no chunks.
Settings settings_behind(const BagWriter::Old& old, const WriteOptions& options) {
  Settings settings = make_settings(options);
  settings.has_data_crc = settings.has_data_crc && old.data_crc != 0;
  settings.is_chunked = settings.is_chunked && old.index.stretches.empty();
  return settings;
}

/// From the earliest to the latest of stored times.
struct TimeRange {
  std::uint64_t start = UINT64_MAX;
  std::uint64_t end = 0;

  void add(std::uint64_t time) {
    start = std::min(start, time);
    end = std::max(end, time);
  }
};

}  // namespace

BagWriter::BagWriter(std::unique_ptr<WriteFile> file, const std::string& path,
                     const WriteOptions& options, Settings settings)
    : ChunkedWriter(std::move(file), path, chunk_options(options, settings), kMaxChunkBytes,
                    packer_of(settings)),
      settings_(std::move(settings)),
      most_payload_(settings_.is_chunked ? kMaxChunkedPayload : UINT64_MAX),
      schemas_(path, summary_) {}

BagWriter::BagWriter(std::unique_ptr<WriteFile> file, const std::string& path,
                     const WriteOptions& options)
    : BagWriter(std::move(file), path, options, make_settings(options)) {}

BagWriter::BagWriter(std::unique_ptr<WriteFile> file, const std::string& path,
                     const WriteOptions& options, Old old)
    : BagWriter(std::move(file), path, options, settings_behind(old, options)) {
  has_header_ = true;
  data_crc_ = old.data_crc;
  patch_ = std::move(old.patch);
  patch_at_ = old.patch_at;
  ChannelsPtr channels = old.index.definitions.channels();
  for (const auto& [id, content] : old.index.definitions.schemas()) {
    SchemaRecord schema = *parse_schema(as_bytes(content));
    summary_.add(schema);
    schemas_.add_known(schema);
  }
  for (std::uint32_t slot = 0; slot < channels->size(); ++slot) {
    std::uint16_t id = old.index.definitions.id(slot);
    ByteView content = as_bytes(old.index.definitions.channel_contents().at(id));
    ChannelRecord record = *parse_channel(content);
    summary_.add(record);
    const ChannelPtr& known = (*channels)[slot];
    add_known({{known, 0, true}, id, record.schema_id}, stored_form(known));
    next_channel_id_ = std::max(next_channel_id_, id + 1U);
  }
  for (ByteView content : old.tail.summary->chunk_indexes) {
    summary_.add(*parse_chunk_index(content));
  }
  for (const auto& one : old.tail.summary->attachment_indexes) summary_.add(one);
  for (const auto& one : old.tail.summary->metadata_indexes) summary_.add(one);
  summary_.set(*old.index.statistics);
}

void BagWriter::before_flush() {
  if (!channels().empty()) write_header();
}

void BagWriter::write_end() {
  records_.clear();
  write_silent_channels();
  write_header();
  put(records_.view());
  records_.clear();
  // Not by put(): DataEnd is not part of the sum that it holds.
  append_data_end(records_, settings_.has_data_crc ? data_crc_ : 0);
  file().append(records_.view());
  records_.clear();
  SummaryParts parts;
  parts.crc = settings_.has_summary_crc;
  summary_.write(file().size(), parts, [this](ByteView bytes) { file().append(bytes); });
  if (patch_.empty()) return;
  // The patch hides the old summary. If it reached the disk before the new one, the file would have
  // none.
  file().sync();
  file().rewrite(patch_at_, patch_);
}

ChannelPtr BagWriter::stored_form(const ChannelPtr& channel) const {
  return rosbag2::with_qos_form(channel, settings_.conventions.qos);
}

NumberedChannel BagWriter::make_channel(const ChannelPtr& channel) {
  if (next_channel_id_ > kMaxChannelId) {
    throw Error(ErrorCode::unsupported, "an MCAP file cannot have more than 65536 channels",
                path());
  }
  auto id = static_cast<std::uint16_t>(next_channel_id_++);
  std::uint16_t schema_id = channel->schema ? schemas_.find(channel->schema) : std::uint16_t{0};
  summary_.add(record_of(*channel, id, schema_id));
  return {{channel}, id, schema_id};
}

void BagWriter::check_payload(const NumberedChannel& channel, std::size_t bytes) const {
  if (bytes <= most_payload_) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("a message of {} bytes on {} is too large for a chunk, which holds at "
                          "most {} bytes; write the file without chunks",
                          bytes, channel.channel->topic, kMaxChunkedPayload),
              path());
}

std::uint64_t BagWriter::put_frame(std::byte* to, const NumberedChannel& channel,
                                   const Message& message, std::size_t size) {
  std::uint64_t log_time = stored_time(message.log_time);
  std::uint64_t publish_time =
      message.publish_time == message.log_time ? log_time : stored_time(message.publish_time);
  *to = static_cast<std::byte>(Op::message);
  to = store_le(to + 1, std::uint64_t{MessageHead::kBytes + size});
  MessageHead{channel.id, message.sequence, log_time, publish_time}.store(to);
  return log_time;
}

/// The channel's record, and its schema's, go before its first message, so that a file without
/// summary can be read.
void BagWriter::describe(const NumberedChannel& channel, Buffer& into) {
  schemas_.describe(channel.schema_id, channel.lane, into);
  mcap::append(into, record_of(*channel.channel, channel.id, channel.schema_id));
}

void BagWriter::write_chunk(const ChunkBuilder& chunk) {
  write_header();
  if (!settings_.is_chunked) return write_piece(chunk);
  ChunkHead head = describe_chunk(chunk);
  ChunkIndex index;
  index.start = head.start;
  index.end = head.end;
  index.chunk_offset = file().size();
  index.compression = head.compression;
  index.compressed_size = head.records_size;
  index.uncompressed_size = head.uncompressed_size;
  records_.clear();
  mcap::append(records_, head);
  std::size_t head_bytes = records_.size();
  index.chunk_bytes = head_bytes + chunk.stored_size();
  append_indexes(chunk, index.chunk_offset + index.chunk_bytes, index);
  ByteView records = records_.view();
  auto pieces = pieces_of(records.first(head_bytes), chunk, records.subspan(head_bytes));
  bool is_summed = settings_.has_chunk_crc && !chunk.is_packed;
  if (settings_.has_data_crc && is_summed) {
    data_crc_ = crc32_joined(crc32(pieces.front(), data_crc_), head.uncompressed_crc, chunk.size());
    // Not pieces.back(): a chunk without messages has no indexes behind it.
    data_crc_ = crc32(records.subspan(head_bytes), data_crc_);
    file().append(pieces);
  } else {
    put(pieces);
  }
  summary_.add(index);
}

ChunkHead BagWriter::describe_chunk(const ChunkBuilder& chunk) const {
  ChunkHead head;
  bool has_messages = !chunk.index.empty();
  head.start = has_messages ? stored_time(chunk.start) : 0;
  head.end = has_messages ? stored_time(chunk.end) : 0;
  head.uncompressed_size = chunk.size();
  if (settings_.has_chunk_crc) {
    head.uncompressed_crc = crc32(chunk.bytes.view());
    for (ByteView piece : chunk.tail.pieces) {
      head.uncompressed_crc = crc32(piece, head.uncompressed_crc);
    }
  }
  if (chunk.is_packed) head.compression = settings_.compression;
  head.records_size = chunk.stored_size();
  return head;
}

/// Of a file without chunks, which has no message indexes: only the statistics count messages.
void BagWriter::write_piece(const ChunkBuilder& chunk) {
  struct Sum {
    std::uint64_t messages = 0;
    TimeRange times;
  };
  std::vector<Sum> sums(channels().size());
  for (const IndexEntry& entry : chunk.index) {
    Sum& sum = sums[entry.slot];
    ++sum.messages;
    sum.times.add(entry.time);
  }
  for (std::size_t slot = 0; slot < sums.size(); ++slot) {
    const auto& [messages, times] = sums[slot];
    if (messages == 0) continue;
    summary_.add_messages(channels()[slot].id, messages, times.start, times.end);
  }
  put(pieces_of({}, chunk, {}));
}

/// The message indexes of a chunk, which stand from `at` on, and what the summary will say of them.
void BagWriter::append_indexes(const ChunkBuilder& chunk, std::uint64_t at, ChunkIndex& index) {
  std::size_t before = records_.size();
  for (const IndexBySlot::Group& group : by_channel_.sort(chunk.index)) {
    std::uint16_t id = channels()[group.slot].id;
    index.message_index_offsets.emplace_back(id, at + records_.size() - before);
    std::size_t bytes = group.entries.size() * MessageIndex::kEntryBytes;
    RecordWriter record(records_, Op::message_index);
    record.number(id).number(static_cast<std::uint32_t>(bytes)).finish(bytes);
    std::byte* to = records_.extend(bytes);
    TimeRange times;
    for (const IndexEntry& entry : group.entries) {
      to = store_le(store_le(to, entry.time), std::uint64_t{entry.offset});
      times.add(entry.time);
    }
    summary_.add_messages(id, group.entries.size(), times.start, times.end);
  }
  index.message_index_bytes = records_.size() - before;
}

/// Once, when the channels are known.
void BagWriter::write_header() {
  if (std::exchange(has_header_, true)) return;
  auto are_all = [&](std::string_view encoding, std::initializer_list<std::string_view> languages) {
    return !channels().empty() &&
           std::all_of(channels().begin(), channels().end(), [&](const NumberedChannel& channel) {
             return is_of_world(*channel.channel, encoding, languages);
           });
  };
  Header header;
  header.library = kLibrary;
  if (are_all("ros1", {"ros1msg"})) header.profile = "ros1";
  if (are_all("cdr", {"ros2msg", "ros2idl", ""})) header.profile = "ros2";
  Buffer bytes;
  bytes.append(as_bytes(kMagic));
  mcap::append(bytes, header);
  put(bytes.view());
}

/// All chunks are written.
void BagWriter::write_silent_channels() {
  schemas_.settle();
  for (NumberedChannel& channel : channels()) {
    if (!channel.is_described) describe(channel, records_);
  }
}

void BagWriter::put(std::span<const ByteView> pieces) {
  if (settings_.has_data_crc) {
    for (ByteView piece : pieces) data_crc_ = crc32(piece, data_crc_);
  }
  file().append(pieces);
}

}  // namespace kitbag::mcap

namespace kitbag {

template class ChunkedWriter<mcap::BagWriter, mcap::NumberedChannel>;

}  // namespace kitbag
