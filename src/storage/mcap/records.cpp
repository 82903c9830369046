#include "storage/mcap/records.h"

#include <limits>

#include "kitbag/error.h"

namespace kitbag::mcap {

namespace {

constexpr std::size_t kLengthAt = 1;  ///< in a record

/// Reads fields one behind the other. What does not fit makes everything after it fail.
class FieldReader {
 public:
  explicit FieldReader(ByteView content) : cursor_(content) {}

  template <class T>
  FieldReader& number(T& to) {
    auto value = is_sound_ ? cursor_.number<T>() : std::nullopt;
    is_sound_ = value.has_value();
    if (value) to = *value;
    return *this;
  }
  FieldReader& sized_bytes(ByteView& to) {
    auto value = is_sound_ ? cursor_.sized_bytes() : std::nullopt;
    is_sound_ = value.has_value();
    if (value) to = *value;
    return *this;
  }
  FieldReader& string(std::string_view& to) {
    ByteView bytes;
    sized_bytes(bytes);
    if (is_sound_) to = as_text(bytes);
    return *this;
  }
  FieldReader& map(StringMap& to) {
    ByteView bytes;
    sized_bytes(bytes);
    FieldReader entries(bytes);
    while (is_sound_ && !entries.at_end()) {
      std::string_view key;
      std::string_view value;
      is_sound_ = entries.string(key).string(value).is_sound();
      if (is_sound_) to.insert_or_assign(std::string(key), std::string(value));
    }
    return *this;
  }
  FieldReader& numbers(std::vector<std::pair<std::uint16_t, std::uint64_t>>& to) {
    constexpr std::size_t kEntry = 10;
    ByteView bytes;
    sized_bytes(bytes);
    is_sound_ = is_sound_ && bytes.size() % kEntry == 0;
    if (is_sound_) to.reserve(bytes.size() / kEntry);
    for (; is_sound_ && !bytes.empty(); bytes = bytes.subspan(kEntry)) {
      to.emplace_back(load_le<std::uint16_t>(bytes.data()), load_le<std::uint64_t>(&bytes[2]));
    }
    return *this;
  }

  bool is_sound() const { return is_sound_; }
  bool at_end() const { return cursor_.at_end(); }
  std::size_t position() const { return cursor_.position(); }

  template <class T>
  std::optional<T> result(T value) const {
    if (!is_sound_) return std::nullopt;
    return value;
  }

 private:
  Cursor cursor_;
  bool is_sound_ = true;
};

}  // namespace

std::uint64_t stored_time(Time time) {
  if (to_ns(time) >= 0) return static_cast<std::uint64_t>(to_ns(time));
  throw Error(ErrorCode::unsupported, "MCAP does not support times before 1970");
}

std::optional<Record> parse_record(ByteView bytes) {
  if (bytes.size() < kRecordHead) return std::nullopt;
  auto size = load_le<std::uint64_t>(bytes.data() + kLengthAt);
  if (size > bytes.size() - kRecordHead) return std::nullopt;
  ByteView content = bytes.subspan(kRecordHead, static_cast<std::size_t>(size));
  return Record{std::to_integer<std::uint8_t>(bytes[0]), content, kRecordHead + size};
}

std::optional<Header> parse_header(ByteView content) {
  Header header;
  return FieldReader(content).string(header.profile).string(header.library).result(header);
}

std::optional<Footer> parse_footer(ByteView content) {
  Footer footer;
  if (content.size() != kFooterBytes) return std::nullopt;
  return FieldReader(content)
      .number(footer.summary_start)
      .number(footer.summary_offset_start)
      .number(footer.summary_crc)
      .result(footer);
}

std::optional<SchemaRecord> parse_schema(ByteView content) {
  SchemaRecord schema;
  auto parsed = FieldReader(content)
                    .number(schema.id)
                    .string(schema.name)
                    .string(schema.encoding)
                    .sized_bytes(schema.data)
                    .result(schema);
  if (parsed && parsed->id == 0) return std::nullopt;  // which means: no schema
  return parsed;
}

std::optional<ChannelRecord> parse_channel(ByteView content) {
  ChannelRecord channel;
  FieldReader reader(content);
  reader.number(channel.id)
      .number(channel.schema_id)
      .string(channel.topic)
      .string(channel.message_encoding)
      .map(channel.metadata);
  return reader.result(std::move(channel));
}

std::optional<MessageIndex> parse_message_index(ByteView content) {
  MessageIndex index;
  auto parsed =
      FieldReader(content).number(index.channel_id).sized_bytes(index.entries).result(index);
  if (parsed && parsed->entries.size() % MessageIndex::kEntryBytes != 0) return std::nullopt;
  return parsed;
}

std::optional<ChunkIndex> parse_chunk_index(ByteView content) {
  ChunkIndex index;
  FieldReader reader(content);
  reader.number(index.start)
      .number(index.end)
      .number(index.chunk_offset)
      .number(index.chunk_bytes)
      .numbers(index.message_index_offsets)
      .number(index.message_index_bytes)
      .string(index.compression)
      .number(index.compressed_size)
      .number(index.uncompressed_size);
  return reader.result(std::move(index));
}

std::optional<AttachmentIndex> parse_attachment_index(ByteView content) {
  AttachmentIndex index;
  return FieldReader(content)
      .number(index.offset)
      .number(index.bytes)
      .number(index.log_time)
      .number(index.create_time)
      .number(index.data_size)
      .string(index.name)
      .string(index.media_type)
      .result(index);
}

std::optional<Statistics> parse_statistics(ByteView content) {
  Statistics statistics;
  FieldReader reader(content);
  reader.number(statistics.messages)
      .number(statistics.schemas)
      .number(statistics.channels)
      .number(statistics.attachments)
      .number(statistics.metadata)
      .number(statistics.chunks)
      .number(statistics.start)
      .number(statistics.end)
      .numbers(statistics.channel_messages);
  return reader.result(std::move(statistics));
}

std::optional<MetadataRecord> parse_metadata(ByteView content) {
  MetadataRecord metadata;
  FieldReader reader(content);
  reader.string(metadata.name).map(metadata.values);
  return reader.result(std::move(metadata));
}

std::optional<MetadataIndex> parse_metadata_index(ByteView content) {
  MetadataIndex index;
  return FieldReader(content)
      .number(index.offset)
      .number(index.bytes)
      .string(index.name)
      .result(index);
}

std::optional<SummaryOffset> parse_summary_offset(ByteView content) {
  SummaryOffset offset;
  return FieldReader(content)
      .number(offset.op)
      .number(offset.start)
      .number(offset.bytes)
      .result(offset);
}

std::optional<std::uint32_t> parse_data_end(ByteView content) {
  if (content.size() != sizeof(std::uint32_t)) return std::nullopt;
  return load_le<std::uint32_t>(content.data());
}

std::optional<ChunkHead> parse_chunk_head(ByteView content) {
  ChunkHead head;
  FieldReader reader(content);
  reader.number(head.start)
      .number(head.end)
      .number(head.uncompressed_size)
      .number(head.uncompressed_crc)
      .string(head.compression)
      .number(head.records_size);
  head.bytes = reader.position();
  return reader.result(head);
}

std::optional<AttachmentHead> parse_attachment_head(ByteView content) {
  AttachmentHead head;
  FieldReader reader(content);
  reader.number(head.log_time)
      .number(head.create_time)
      .string(head.name)
      .string(head.media_type)
      .number(head.data_size);
  head.bytes = reader.position();
  return reader.result(head);
}

RecordWriter::RecordWriter(Buffer& out, std::uint8_t op) : out_(out), start_(out.size()) {
  std::byte* head = out_.extend(kRecordHead);
  *head = std::byte{op};
}

void RecordWriter::length(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::unsupported, "MCAP does not support names or lists of more than 4 GiB");
  }
  number(static_cast<std::uint32_t>(bytes));
}

RecordWriter& RecordWriter::string(std::string_view text) {
  return sized_bytes(as_bytes(text));
}

RecordWriter& RecordWriter::sized_bytes(ByteView bytes) {
  length(bytes.size());
  out_.append(bytes);
  return *this;
}

RecordWriter& RecordWriter::map(const StringMap& values) {
  std::size_t size = 0;
  for (const auto& [key, value] : values)
    size += 2 * sizeof(std::uint32_t) + key.size() + value.size();
  length(size);
  for (const auto& [key, value] : values) string(key).string(value);
  return *this;
}

RecordWriter& RecordWriter::numbers(
    const std::vector<std::pair<std::uint16_t, std::uint64_t>>& values) {
  length(values.size() * (sizeof(std::uint16_t) + sizeof(std::uint64_t)));
  for (const auto& [key, value] : values) number(key).number(value);
  return *this;
}

RecordWriter& RecordWriter::bytes(ByteView bytes) {
  out_.append(bytes);
  return *this;
}

void RecordWriter::finish(std::uint64_t more) {
  std::uint64_t size = out_.size() - start_ - kRecordHead + more;
  store_le(out_.data() + start_ + kLengthAt, size);
}

void append(Buffer& out, const Header& header) {
  RecordWriter(out, Op::header).string(header.profile).string(header.library).finish();
}

void append(Buffer& out, const Footer& footer) {
  RecordWriter(out, Op::footer)
      .number(footer.summary_start)
      .number(footer.summary_offset_start)
      .number(footer.summary_crc)
      .finish();
}

void append(Buffer& out, const SchemaRecord& schema) {
  RecordWriter(out, Op::schema)
      .number(schema.id)
      .string(schema.name)
      .string(schema.encoding)
      .sized_bytes(schema.data)
      .finish();
}

void append(Buffer& out, const ChannelRecord& channel) {
  RecordWriter(out, Op::channel)
      .number(channel.id)
      .number(channel.schema_id)
      .string(channel.topic)
      .string(channel.message_encoding)
      .map(channel.metadata)
      .finish();
}

void append(Buffer& out, const ChunkIndex& index) {
  RecordWriter(out, Op::chunk_index)
      .number(index.start)
      .number(index.end)
      .number(index.chunk_offset)
      .number(index.chunk_bytes)
      .numbers(index.message_index_offsets)
      .number(index.message_index_bytes)
      .string(index.compression)
      .number(index.compressed_size)
      .number(index.uncompressed_size)
      .finish();
}

void append(Buffer& out, const AttachmentIndex& index) {
  RecordWriter(out, Op::attachment_index)
      .number(index.offset)
      .number(index.bytes)
      .number(index.log_time)
      .number(index.create_time)
      .number(index.data_size)
      .string(index.name)
      .string(index.media_type)
      .finish();
}

void append(Buffer& out, const Statistics& statistics) {
  RecordWriter(out, Op::statistics)
      .number(statistics.messages)
      .number(statistics.schemas)
      .number(statistics.channels)
      .number(statistics.attachments)
      .number(statistics.metadata)
      .number(statistics.chunks)
      .number(statistics.start)
      .number(statistics.end)
      .numbers(statistics.channel_messages)
      .finish();
}

void append(Buffer& out, const MetadataRecord& metadata) {
  RecordWriter(out, Op::metadata).string(metadata.name).map(metadata.values).finish();
}

void append(Buffer& out, const MetadataIndex& index) {
  RecordWriter(out, Op::metadata_index)
      .number(index.offset)
      .number(index.bytes)
      .string(index.name)
      .finish();
}

void append(Buffer& out, const SummaryOffset& offset) {
  RecordWriter(out, Op::summary_offset)
      .number(offset.op)
      .number(offset.start)
      .number(offset.bytes)
      .finish();
}

void append(Buffer& out, const ChunkHead& head) {
  RecordWriter(out, Op::chunk)
      .number(head.start)
      .number(head.end)
      .number(head.uncompressed_size)
      .number(head.uncompressed_crc)
      .string(head.compression)
      .number(head.records_size)
      .finish(head.records_size);
}

void append(Buffer& out, const AttachmentHead& head) {
  RecordWriter(out, Op::attachment)
      .number(head.log_time)
      .number(head.create_time)
      .string(head.name)
      .string(head.media_type)
      .number(head.data_size)
      .finish(head.data_size + sizeof(std::uint32_t));
}

void append_data_end(Buffer& out, std::uint32_t data_crc) {
  RecordWriter(out, Op::data_end).number(data_crc).finish();
}

}  // namespace kitbag::mcap
