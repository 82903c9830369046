#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/cursor.h"
#include "kitbag/bytes.h"
#include "kitbag/time.h"

/// The records of an MCAP file: `u8 opcode, u64 length, content`. Numbers are little-endian,
/// strings and maps are preceded by a u32 with their size. docs/formats/mcap.md describes them
/// all. Records may end in bytes that are not known, which are passed over; only Message, DataEnd
/// and Footer may not.
namespace kitbag::mcap {

inline constexpr std::string_view kMagic("\x89MCAP0\r\n", 8);
/// Opcode and length.
inline constexpr std::size_t kRecordHead = 9;
inline constexpr std::size_t kFooterBytes = 20;
/// What stands at the end of every file that was closed: footer record and magic.
inline constexpr std::size_t kTailBytes = kRecordHead + kFooterBytes + 8;

/// What a definition, a metadata record or the names in an attachment may claim; real ones are far
/// below.
inline constexpr std::uint64_t kMaxDefinitionBytes = 256 << 20;
/// The content of one chunk, before and after compression. Offsets in it are kept in 32 bits.
inline constexpr std::uint64_t kMaxChunkBytes = UINT32_MAX;

enum class Op : std::uint8_t {
  header = 0x01,
  footer = 0x02,
  schema = 0x03,
  channel = 0x04,
  message = 0x05,
  chunk = 0x06,
  message_index = 0x07,
  chunk_index = 0x08,
  attachment = 0x09,
  attachment_index = 0x0A,
  statistics = 0x0B,
  metadata = 0x0C,
  metadata_index = 0x0D,
  summary_offset = 0x0E,
  data_end = 0x0F,
};
inline constexpr std::uint8_t kFirstPrivateOp = 0x80;

/// Messages and indexes say the time as u64; Time ends in 2262, and what lies behind is cut to it.
constexpr Time time_of(std::uint64_t stored) {
  return stored > INT64_MAX ? Time::max() : from_ns(static_cast<std::int64_t>(stored));
}
/// Throws Error (unsupported) before 1970.
std::uint64_t stored_time(Time time);

using StringMap = std::map<std::string, std::string>;

/// A record as it stands in the file.
struct Record {
  std::uint8_t op = 0;
  ByteView content;
  std::uint64_t bytes = 0;  ///< with its head
};

/// The record at the front of `bytes`. Nothing if it is not all there.
std::optional<Record> parse_record(ByteView bytes);

struct Header {
  std::string_view profile;
  std::string_view library;
};

struct Footer {
  std::uint64_t summary_start = 0;
  std::uint64_t summary_offset_start = 0;
  std::uint32_t summary_crc = 0;
};

struct SchemaRecord {
  std::uint16_t id = 0;
  std::string_view name;
  std::string_view encoding;
  ByteView data;
};

struct ChannelRecord {
  std::uint16_t id = 0;
  std::uint16_t schema_id = 0;
  std::string_view topic;
  std::string_view message_encoding;
  StringMap metadata;
};

/// What stands before a message's payload.
struct MessageHead {
  static constexpr std::size_t kBytes = 22;

  std::uint16_t channel_id = 0;
  std::uint32_t sequence = 0;
  std::uint64_t log_time = 0;
  std::uint64_t publish_time = 0;

  /// `content` has kBytes at least.
  static MessageHead load(const std::byte* content) {
    return {load_le<std::uint16_t>(content), load_le<std::uint32_t>(content + 2),
            load_le<std::uint64_t>(content + 6), load_le<std::uint64_t>(content + 14)};
  }
  /// Returns the place behind it.
  std::byte* store(std::byte* to) const {
    return store_le(store_le(store_le(store_le(to, channel_id), sequence), log_time), publish_time);
  }
};

/// Whether a time of a message is behind the end of Time, so that it is given as another.
constexpr bool exceeds_time(const MessageHead& head) {
  return (head.log_time | head.publish_time) > INT64_MAX;
}
/// What is reported of so many of them, with ErrorCode::unsupported.
std::string describe_beyond(std::uint64_t messages);

/// What stands before a chunk's records.
struct ChunkHead {
  /// Without the name of the compression.
  static constexpr std::size_t kBytes = 40;

  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t uncompressed_size = 0;
  std::uint32_t uncompressed_crc = 0;
  std::string_view compression;
  std::uint64_t records_size = 0;
  std::size_t bytes = 0;  ///< of this head, in front of the records
};

struct MessageIndex {
  static constexpr std::size_t kEntryBytes = 16;

  std::uint16_t channel_id = 0;
  ByteView entries;

  std::size_t count() const { return entries.size() / kEntryBytes; }
  std::uint64_t time(std::size_t i) const {
    return load_le<std::uint64_t>(entries.data() + i * kEntryBytes);
  }
  std::uint64_t offset(std::size_t i) const {
    return load_le<std::uint64_t>(entries.data() + i * kEntryBytes + 8);
  }
};

struct ChunkIndex {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t chunk_offset = 0;
  std::uint64_t chunk_bytes = 0;  ///< of the whole record
  /// Where the index of each channel's messages stands.
  std::vector<std::pair<std::uint16_t, std::uint64_t>> message_index_offsets;
  std::uint64_t message_index_bytes = 0;
  std::string_view compression;
  std::uint64_t compressed_size = 0;
  std::uint64_t uncompressed_size = 0;
};

/// What stands before an attachment's data. Behind the data stands a u32, its CRC.
struct AttachmentHead {
  std::uint64_t log_time = 0;
  std::uint64_t create_time = 0;
  std::string_view name;
  std::string_view media_type;
  std::uint64_t data_size = 0;
  std::size_t bytes = 0;  ///< of this head
};

struct AttachmentIndex {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  ///< of the whole record
  std::uint64_t log_time = 0;
  std::uint64_t create_time = 0;
  std::uint64_t data_size = 0;
  std::string_view name;
  std::string_view media_type;
};

struct Statistics {
  std::uint64_t messages = 0;
  std::uint16_t schemas = 0;
  std::uint32_t channels = 0;
  std::uint32_t attachments = 0;
  std::uint32_t metadata = 0;
  std::uint32_t chunks = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::vector<std::pair<std::uint16_t, std::uint64_t>> channel_messages;  ///< by channel id
};

struct MetadataRecord {
  std::string_view name;
  StringMap values;
};

struct MetadataIndex {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  ///< of the whole record
  std::string_view name;
};

struct SummaryOffset {
  std::uint8_t op = 0;
  std::uint64_t start = 0;
  std::uint64_t bytes = 0;
};

/// Each parses the content of a record of its kind; nothing if a field does not fit. Views point
/// into `content`.
std::optional<Header> parse_header(ByteView content);
std::optional<Footer> parse_footer(ByteView content);
std::optional<SchemaRecord> parse_schema(ByteView content);
std::optional<ChannelRecord> parse_channel(ByteView content);
std::optional<MessageIndex> parse_message_index(ByteView content);
std::optional<ChunkIndex> parse_chunk_index(ByteView content);
std::optional<AttachmentIndex> parse_attachment_index(ByteView content);
std::optional<Statistics> parse_statistics(ByteView content);
std::optional<MetadataRecord> parse_metadata(ByteView content);
std::optional<MetadataIndex> parse_metadata_index(ByteView content);
std::optional<SummaryOffset> parse_summary_offset(ByteView content);
std::optional<std::uint32_t> parse_data_end(ByteView content);

/// These need the beginning of the content only: nothing if the head is not all in `content`.
std::optional<ChunkHead> parse_chunk_head(ByteView content);
std::optional<AttachmentHead> parse_attachment_head(ByteView content);

/// Puts a record together in a Buffer, field by field; its length is set by finish().
class RecordWriter {
 public:
  RecordWriter(Buffer& out, Op op) : RecordWriter(out, static_cast<std::uint8_t>(op)) {}
  RecordWriter(Buffer& out, std::uint8_t op);

  template <std::integral T>
  RecordWriter& number(T value) {
    store_le(out_.extend(sizeof(T)), value);
    return *this;
  }
  /// Throws Error (unsupported) beyond 4 GiB, as the next two do.
  RecordWriter& string(std::string_view text);
  RecordWriter& sized_bytes(ByteView bytes);
  RecordWriter& map(const StringMap& values);
  RecordWriter& numbers(const std::vector<std::pair<std::uint16_t, std::uint64_t>>& values);
  /// As they are.
  RecordWriter& bytes(ByteView bytes);
  /// Nothing is added behind it. `more`: bytes of the content that follow from elsewhere.
  void finish(std::uint64_t more = 0);

 private:
  void length(std::size_t bytes);

  Buffer& out_;
  std::size_t start_;
};

void append(Buffer& out, const Header& header);
void append(Buffer& out, const Footer& footer);
void append(Buffer& out, const SchemaRecord& schema);
void append(Buffer& out, const ChannelRecord& channel);
void append(Buffer& out, const ChunkIndex& index);
void append(Buffer& out, const AttachmentIndex& index);
void append(Buffer& out, const Statistics& statistics);
void append(Buffer& out, const MetadataRecord& metadata);
void append(Buffer& out, const MetadataIndex& index);
void append(Buffer& out, const SummaryOffset& offset);
/// The record up to where the records of the chunk begin; `head.bytes` is not looked at.
void append(Buffer& out, const ChunkHead& head);
/// The record up to where the data begins; `head.bytes` is not looked at.
void append(Buffer& out, const AttachmentHead& head);
void append_data_end(Buffer& out, std::uint32_t data_crc);

}  // namespace kitbag::mcap
