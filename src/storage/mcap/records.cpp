#include "storage/mcap/records.h"

#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <type_traits>

#include "kitbag/error.h"
#include "kitbag/text.h"

// The fields of each record are listed once, by list(). Two visitors go through this list: a
// FieldReader and a RecordWriter. So reading and writing cannot differ in the order or the width of
// a field.
//
// What is parsed are views into the record; only maps and lists of numbers are copied. Each length
// is checked against the rest of what encloses it before it is used. The first field that does not
// fit makes all later ones fail, so only the end of a record needs a check. Bytes after the last
// known field are ignored, because the specification lets records grow there. Footer and DataEnd
// must have their exact size: a reader finds the footer by counting back from the end of the file.
//
// Payloads are not fields here. Chunks and attachments have a head that is parsed and data that is
// not, so parse_head() also returns where the head ends.

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

// The fields of each record in their order: a FieldReader fills them, a RecordWriter puts them.

/// True for `Kind` and for `const Kind`, so that each list() serves both directions.
template <class Record, class Kind>
concept Is = std::same_as<std::remove_const_t<Record>, Kind>;

void list(auto& fields, Is<Header> auto& header) {
  fields.string(header.profile).string(header.library);
}

void list(auto& fields, Is<Footer> auto& footer) {
  fields.number(footer.summary_start)
      .number(footer.summary_offset_start)
      .number(footer.summary_crc);
}

void list(auto& fields, Is<SchemaRecord> auto& schema) {
  fields.number(schema.id).string(schema.name).string(schema.encoding).sized_bytes(schema.data);
}

void list(auto& fields, Is<ChannelRecord> auto& channel) {
  fields.number(channel.id)
      .number(channel.schema_id)
      .string(channel.topic)
      .string(channel.message_encoding)
      .map(channel.metadata);
}

void list(auto& fields, Is<ChunkHead> auto& head) {
  fields.number(head.start)
      .number(head.end)
      .number(head.uncompressed_size)
      .number(head.uncompressed_crc)
      .string(head.compression)
      .number(head.records_size);
}

void list(auto& fields, Is<MessageIndex> auto& index) {
  fields.number(index.channel_id).sized_bytes(index.entries);
}

void list(auto& fields, Is<ChunkIndex> auto& index) {
  fields.number(index.start)
      .number(index.end)
      .number(index.chunk_offset)
      .number(index.chunk_bytes)
      .numbers(index.message_index_offsets)
      .number(index.message_index_bytes)
      .string(index.compression)
      .number(index.compressed_size)
      .number(index.uncompressed_size);
}

void list(auto& fields, Is<AttachmentHead> auto& head) {
  fields.number(head.log_time)
      .number(head.create_time)
      .string(head.name)
      .string(head.media_type)
      .number(head.data_size);
}

void list(auto& fields, Is<AttachmentIndex> auto& index) {
  fields.number(index.offset)
      .number(index.bytes)
      .number(index.log_time)
      .number(index.create_time)
      .number(index.data_size)
      .string(index.name)
      .string(index.media_type);
}

void list(auto& fields, Is<Statistics> auto& statistics) {
  fields.number(statistics.messages)
      .number(statistics.schemas)
      .number(statistics.channels)
      .number(statistics.attachments)
      .number(statistics.metadata)
      .number(statistics.chunks)
      .number(statistics.start)
      .number(statistics.end)
      .numbers(statistics.channel_messages);
}

void list(auto& fields, Is<MetadataRecord> auto& metadata) {
  fields.string(metadata.name).map(metadata.values);
}

void list(auto& fields, Is<MetadataIndex> auto& index) {
  fields.number(index.offset).number(index.bytes).string(index.name);
}

void list(auto& fields, Is<SummaryOffset> auto& offset) {
  fields.number(offset.op).number(offset.start).number(offset.bytes);
}

template <class Kind>
std::optional<Kind> parse(ByteView content) {
  Kind record;
  FieldReader fields(content);
  list(fields, record);
  return fields.result(std::move(record));
}

/// The head of a record, and where it ends.
template <class Kind>
std::optional<Kind> parse_head(ByteView content) {
  Kind head;
  FieldReader fields(content);
  list(fields, head);
  head.bytes = fields.position();
  return fields.result(head);
}

template <class Kind>
void put(Buffer& out, Op op, const Kind& record, std::uint64_t more = 0) {
  RecordWriter fields(out, op);
  list(fields, record);
  fields.finish(more);
}

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
  return parse<Header>(content);
}

std::optional<Footer> parse_footer(ByteView content) {
  if (content.size() != kFooterBytes) return std::nullopt;
  return parse<Footer>(content);
}

std::optional<SchemaRecord> parse_schema(ByteView content) {
  auto parsed = parse<SchemaRecord>(content);
  if (parsed && parsed->id == 0) return std::nullopt;  // which means: no schema
  return parsed;
}

std::optional<ChannelRecord> parse_channel(ByteView content) {
  return parse<ChannelRecord>(content);
}

std::optional<MessageIndex> parse_message_index(ByteView content) {
  auto parsed = parse<MessageIndex>(content);
  if (parsed && parsed->entries.size() % MessageIndex::kEntryBytes != 0) return std::nullopt;
  return parsed;
}

std::optional<ChunkIndex> parse_chunk_index(ByteView content) {
  return parse<ChunkIndex>(content);
}

std::optional<AttachmentIndex> parse_attachment_index(ByteView content) {
  return parse<AttachmentIndex>(content);
}

std::optional<Statistics> parse_statistics(ByteView content) {
  return parse<Statistics>(content);
}

std::optional<MetadataRecord> parse_metadata(ByteView content) {
  return parse<MetadataRecord>(content);
}

std::optional<MetadataIndex> parse_metadata_index(ByteView content) {
  return parse<MetadataIndex>(content);
}

std::optional<SummaryOffset> parse_summary_offset(ByteView content) {
  return parse<SummaryOffset>(content);
}

std::optional<std::uint32_t> parse_data_end(ByteView content) {
  if (content.size() != sizeof(std::uint32_t)) return std::nullopt;
  return load_le<std::uint32_t>(content.data());
}

std::optional<ChunkHead> parse_chunk_head(ByteView content) {
  return parse_head<ChunkHead>(content);
}

std::optional<AttachmentHead> parse_attachment_head(ByteView content) {
  return parse_head<AttachmentHead>(content);
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

/// The length of a record is known at its end. `more` are bytes that the caller puts behind it.
void RecordWriter::finish(std::uint64_t more) {
  std::uint64_t size = out_.size() - start_ - kRecordHead + more;
  store_le(out_.data() + start_ + kLengthAt, size);
}

void append(Buffer& out, const Header& header) {
  put(out, Op::header, header);
}

void append(Buffer& out, const Footer& footer) {
  put(out, Op::footer, footer);
}

void append(Buffer& out, const SchemaRecord& schema) {
  put(out, Op::schema, schema);
}

void append(Buffer& out, const ChannelRecord& channel) {
  put(out, Op::channel, channel);
}

void append(Buffer& out, const ChunkIndex& index) {
  put(out, Op::chunk_index, index);
}

void append(Buffer& out, const AttachmentIndex& index) {
  put(out, Op::attachment_index, index);
}

void append(Buffer& out, const Statistics& statistics) {
  put(out, Op::statistics, statistics);
}

void append(Buffer& out, const MetadataRecord& metadata) {
  put(out, Op::metadata, metadata);
}

void append(Buffer& out, const MetadataIndex& index) {
  put(out, Op::metadata_index, index);
}

void append(Buffer& out, const SummaryOffset& offset) {
  put(out, Op::summary_offset, offset);
}

void append(Buffer& out, const ChunkHead& head) {
  put(out, Op::chunk, head, head.records_size);
}

void append(Buffer& out, const AttachmentHead& head) {
  put(out, Op::attachment, head, head.data_size + sizeof(std::uint32_t));
}

void append_data_end(Buffer& out, std::uint32_t data_crc) {
  RecordWriter(out, Op::data_end).number(data_crc).finish();
}

std::string describe_beyond(std::uint64_t messages) {
  return fmt::format(
      "{} messages are later than {}, the last time that can be held, and are given with this time",
      messages, format_time(Time::max()));
}

}  // namespace kitbag::mcap
