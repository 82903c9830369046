#include "storage/mcap/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/crc32.h"
#include "storage/mcap/extras.h"
#include "storage/writing/reservation.h"

namespace kitbag::mcap {

namespace {

constexpr std::size_t kFrame = kRecordHead + MessageHead::kBytes;
/// Of one message in a chunk, so that its definitions have room before it.
constexpr std::uint64_t kMaxChunkedPayload = kMaxChunkBytes - kMaxDefinitionBytes;
constexpr std::uint32_t kMostIds = std::numeric_limits<std::uint16_t>::max();
constexpr const char* kLibrary = "kitbag " KITBAG_VERSION;
/// Records outside of chunks are handed to the file in pieces of this size, payloads from
/// kLooseStraight on from where they lie.
constexpr std::size_t kLooseBytes = 256 << 10;
constexpr std::size_t kLooseStraight = 64 << 10;
constexpr std::size_t kExtraPiece = 1 << 20;

bool is_of_world(const Channel& channel, std::string_view encoding,
                 std::initializer_list<std::string_view> languages) {
  if (channel.encoding != encoding || !channel.schema) return false;
  return std::find(languages.begin(), languages.end(), channel.schema->language) != languages.end();
}

/// Puts the frame of a message record: all but its data.
void put_frame(std::byte* to, std::uint16_t channel_id, const Message& message,
               std::uint64_t log_time, std::size_t size) {
  std::uint64_t publish_time =
      message.publish_time == message.log_time ? log_time : stored_time(message.publish_time);
  *to = static_cast<std::byte>(Op::message);
  to = store_le(to + 1, std::uint64_t{MessageHead::kBytes + size});
  MessageHead{channel_id, message.sequence, log_time, publish_time}.store(to);
}

ChannelRecord record_of(const Channel& channel, std::uint16_t id, std::uint16_t schema_id) {
  return {id, schema_id, channel.topic, channel.encoding, channel.metadata};
}

SchemaRecord record_of(const Schema& schema, std::uint16_t id) {
  return {id, schema.name, schema.language, as_bytes(schema.text)};
}

/// The options that the pipe looks at.
WriteOptions pipe_options(const WriteOptions& options, const Settings& settings) {
  WriteOptions plain = options;
  if (settings.compression.empty()) plain.compression = "none";
  plain.chunk_bytes = settings.chunk_bytes;
  return plain;
}

}  // namespace

BagWriter::BagWriter(std::unique_ptr<WriteFile> file, const std::string& path,
                     const WriteOptions& options)
    : file_(std::move(file)),
      path_(path),
      settings_(make_settings(options)),
      on_warning_(options.on_warning),
      encodings_(path),
      pace_(options),
      pipe_(
          pipe_options(options, settings_), kMaxChunkBytes,
          [this](ChunkBuilder& chunk) { write_chunk(chunk); }, settings_.make_packer()) {}

BagWriter::BagWriter(std::unique_ptr<WriteFile> file, const std::string& path,
                     const WriteOptions& options, Old old)
    : BagWriter(std::move(file), path, options) {
  has_header_ = true;
  settings_.has_data_crc = settings_.has_data_crc && old.data_crc != 0;
  data_crc_ = old.data_crc;
  patch_ = std::move(old.patch);
  patch_at_ = old.patch_at;
  bool has_loose = !old.index.stretches.empty();
  settings_.is_chunked = settings_.is_chunked && !has_loose;
  ChannelsPtr channels = old.index.definitions.channels();
  for (const auto& [id, content] : old.index.definitions.schemas()) {
    SchemaRecord schema = *parse_schema(as_bytes(content));
    summary_.add(schema);
    auto known = std::make_shared<const Schema>(Schema{
        std::string(schema.name), std::string(schema.encoding), std::string(as_text(schema.data))});
    keep_schema({std::move(known), id, true});
    next_schema_id_ = std::max(next_schema_id_, id + 1U);
  }
  for (std::uint32_t slot = 0; slot < channels->size(); ++slot) {
    std::uint16_t id = old.index.definitions.id(slot);
    ByteView content = as_bytes(old.index.definitions.channel_contents().at(id));
    ChannelRecord record = *parse_channel(content);
    summary_.add(record);
    encodings_.add(*(*channels)[slot]);
    ChannelPtr known = rosbag2::with_qos_form((*channels)[slot], settings_.conventions.qos);
    reusable_[known].push_back(static_cast<std::uint32_t>(channels_.size()));
    std::uint32_t lane = pipe_.lane_of((*channels)[slot]->topic);
    channels_.push_back({(*channels)[slot], id, record.schema_id, lane, true});
    next_channel_id_ = std::max(next_channel_id_, id + 1U);
  }
  for (auto& [channel, places] : reusable_) std::reverse(places.begin(), places.end());
  for (ByteView content : old.tail.summary->chunk_indexes) {
    summary_.add(*parse_chunk_index(content));
  }
  for (const auto& one : old.tail.summary->attachment_indexes) summary_.add(one);
  for (const auto& one : old.tail.summary->metadata_indexes) summary_.add(one);
  summary_.set(*old.index.statistics);
}

void BagWriter::write(Batch&& batch) {
  sticky_.run([&] {
    drop_reserved();
    places_.declare(batch.channels,
                    [this](const ChannelPtr& channel) { return find_channel(channel); });
    for (const Extra& extra : batch.extras) write_extra(extra);
    for (const Message& message : std::as_const(batch).messages()) {
      put_message(places_[message.channel->slot], message, std::span(&message.data, 1));
    }
    if (!batch.empty()) pace_.note();
  });
}

void BagWriter::tick(SteadyTime now) {
  WritePace::Work work = pace_.tick(now);
  if (work.flush || work.sync) flush();
  if (work.sync) sticky_.run([&] { file_->begin_sync(); });
}

void BagWriter::flush() {
  sticky_.run([&] {
    drop_reserved();
    pipe_.drain();
    if (!channels_.empty()) write_loose();
    file_->flush();
  });
}

void BagWriter::close() {
  sticky_.run([&] {
    drop_reserved();
    pipe_.drain();
    write_silent_channels();
    write_loose();
    records_.clear();
    append_data_end(records_, settings_.has_data_crc ? data_crc_ : 0);
    file_->append(records_.view());
    records_.clear();
    SummaryParts parts;
    parts.crc = settings_.has_summary_crc;
    summary_.write(file_->size(), parts, [this](ByteView bytes) { file_->append(bytes); });
    if (!patch_.empty()) {
      file_->sync();
      file_->rewrite(patch_at_, patch_);
    }
    file_->commit();
    left_out_.tell("mcap", path_, on_warning_);
  });
}

std::uint64_t BagWriter::size_bytes() const {
  std::uint64_t pending = pipe_.pending_bytes();
  if (packed_bytes_ == 0) return file_->size() + pending + records_.size();
  double ratio = static_cast<double>(stored_bytes_) / static_cast<double>(packed_bytes_);
  return file_->size() + static_cast<std::uint64_t>(static_cast<double>(pending) * ratio);
}

/// A channel of the file appended to when one says the same, else a new one. Two channels that say
/// the same stay two.
std::uint32_t BagWriter::find_channel(const ChannelPtr& given) {
  encodings_.add(*given);
  ChannelPtr channel = rosbag2::with_qos_form(given, settings_.conventions.qos);
  auto same = reusable_.find(channel);
  if (same == reusable_.end()) return add_channel(channel);
  std::uint32_t place = same->second.back();
  same->second.pop_back();
  if (same->second.empty()) reusable_.erase(same);
  return place;
}

std::uint32_t BagWriter::add_channel(const ChannelPtr& channel) {
  if (next_channel_id_ > kMostIds) {
    throw Error(ErrorCode::unsupported, "an MCAP file cannot have more than 65536 channels", path_);
  }
  auto id = static_cast<std::uint16_t>(next_channel_id_++);
  std::uint16_t schema_id = channel->schema ? find_schema(channel->schema) : std::uint16_t{0};
  summary_.add(record_of(*channel, id, schema_id));
  channels_.push_back({channel, id, schema_id, pipe_.lane_of(channel->topic)});
  return static_cast<std::uint32_t>(channels_.size() - 1);
}

std::uint16_t BagWriter::find_schema(const SchemaPtr& schema) {
  auto same = schemas_by_content_.find(schema);
  if (same != schemas_by_content_.end()) return schemas_[same->second].id;
  if (next_schema_id_ > kMostIds) {
    throw Error(ErrorCode::unsupported, "an MCAP file cannot have more than 65535 schemas", path_);
  }
  auto id = static_cast<std::uint16_t>(next_schema_id_++);
  summary_.add(record_of(*schema, id));
  keep_schema({schema, id, false});
  return id;
}

void BagWriter::keep_schema(WrittenSchema schema) {
  schemas_by_content_.try_emplace(schema.schema, schemas_.size());
  schemas_by_id_.try_emplace(schema.id, schemas_.size());
  schemas_.push_back(std::move(schema));
}

std::uint32_t BagWriter::place_of(const ChannelPtr& channel) {
  return places_.find(channel, [this](const ChannelPtr& added) { return find_channel(added); });
}

/// Where a message of the channel is put: its chunk, or the records on their way.
Buffer& BagWriter::bytes_for(const WrittenChannel& channel, std::size_t payload_bytes) {
  if (!settings_.is_chunked) return records_;
  if (payload_bytes > kMaxChunkedPayload) {
    throw Error(ErrorCode::unsupported,
                fmt::format("a message of {} bytes on {} is too large for a chunk, which holds at "
                            "most {} bytes; write the file without chunks",
                            payload_bytes, channel.channel->topic, kMaxChunkedPayload),
                path_);
  }
  if (pipe_.closes_before(channel.lane, kFrame + payload_bytes)) pipe_.close_chunk(channel.lane);
  return pipe_.chunk(channel.lane).bytes;
}

void BagWriter::put_message(std::uint32_t place, const Message& head,
                            std::span<const ByteView> pieces) {
  std::size_t size = total_bytes(pieces);
  WrittenChannel& channel = channels_[place];
  Buffer& bytes = bytes_for(channel, size);
  if (!channel.is_described) describe(channel, bytes);
  if (!settings_.is_chunked) return put_loose(channel, head, pieces);
  std::uint32_t lane = channel.lane;
  std::uint64_t time = stored_time(head.log_time);
  auto offset = static_cast<std::uint32_t>(bytes.size());
  bool closes_chunk = pipe_.fills(lane, offset + kFrame + size, head.log_time);
  // A payload that fills a chunk is not copied into it where the chunk is written at once.
  bool stays_outside = closes_chunk && pipe_.writes_at_once();
  std::byte* record = bytes.extend(kFrame + (stays_outside ? 0 : size));
  put_frame(record, channel.id, head, time, size);
  if (!stays_outside) copy_pieces(record + kFrame, pieces);
  pipe_.chunk(lane).add({time, offset, place}, head.log_time);
  if (stays_outside) {
    pipe_.close_chunk(lane, {pieces, size});
  } else if (closes_chunk) {
    pipe_.close_chunk(lane);
  }
}

/// Straight into the file.
void BagWriter::put_loose(WrittenChannel& channel, const Message& head,
                          std::span<const ByteView> pieces) {
  std::uint64_t time = stored_time(head.log_time);
  std::size_t size = total_bytes(pieces);
  channel.count(time);
  if (size < kLooseStraight) {
    std::byte* record = records_.extend(kFrame + size);
    put_frame(record, channel.id, head, time, size);
    copy_pieces(record + kFrame, pieces);
    if (records_.size() >= kLooseBytes) write_loose();
    return;
  }
  write_header();
  put_frame(records_.extend(kFrame), channel.id, head, time, size);
  pieces_ = {records_.view()};
  pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
  put(pieces_);
  records_.clear();
}

void BagWriter::append(const ChannelPtr& channel, const Stamp& stamp,
                       std::span<const ByteView> pieces) {
  sticky_.run([&] {
    drop_reserved();
    put_message(place_of(channel), head_of(*channel, stamp), pieces);
    pace_.note();
  });
}

std::span<std::byte> BagWriter::reserve(const ChannelPtr& channel, const Stamp& stamp,
                                        std::size_t size) {
  std::span<std::byte> room;
  sticky_.run([&] {
    drop_reserved();
    std::uint32_t place = place_of(channel);
    Buffer& bytes = bytes_for(channels_[place], size);
    if (!channels_[place].is_described) describe(channels_[place], bytes);
    reserved_ = {place, stamp, size, bytes.size(), bytes.size()};
    room = {bytes.extend(kFrame + size) + kFrame, size};
  });
  return room;
}

void BagWriter::commit(std::size_t size) {
  if (!reserved_ || size > reserved_->size) throw not_reserved();
  sticky_.run([&] {
    Reservation made = *std::exchange(reserved_, std::nullopt);
    WrittenChannel& channel = channels_[made.place];
    Buffer& bytes = bytes_for(channel, 0);
    Time log_time = made.stamp.log_time;
    std::uint64_t time = stored_time(log_time);
    put_frame(bytes.data() + made.record_at, channel.id, head_of(*channel.channel, made.stamp),
              time, size);
    bytes.resize(made.record_at + kFrame + size);
    pace_.note();
    if (!settings_.is_chunked) {
      channel.count(time);
      if (bytes.size() >= kLooseBytes) write_loose();
      return;
    }
    bool closes_chunk = pipe_.fills(channel.lane, bytes.size(), log_time);
    auto offset = static_cast<std::uint32_t>(made.record_at);
    pipe_.chunk(channel.lane).add({time, offset, made.place}, log_time);
    if (closes_chunk) pipe_.close_chunk(channel.lane);
  });
}

/// The records of its channel and schema stay.
void BagWriter::drop_reserved() {
  if (!reserved_) return;
  bytes_for(channels_[reserved_->place], 0).resize(reserved_->bytes_before);
  reserved_.reset();
}

/// The channel's record, and its schema's, go before its first message, so that a file without
/// summary can be read.
void BagWriter::describe(WrittenChannel& channel, Buffer& into) {
  auto place = schemas_by_id_.find(channel.schema_id);
  if (place != schemas_by_id_.end() && !schemas_[place->second].is_stored) {
    WrittenSchema& schema = schemas_[place->second];
    auto& lanes = schema.lanes;
    if (std::find(lanes.begin(), lanes.end(), channel.lane) == lanes.end()) {
      lanes.push_back(channel.lane);
      mcap::append(into, record_of(*schema.schema, schema.id));
    }
  }
  mcap::append(into, record_of(*channel.channel, channel.id, channel.schema_id));
  channel.is_described = true;
}

void BagWriter::write_chunk(ChunkBuilder& chunk) {
  write_header();
  ByteView stored = chunk.stored();
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
  ChunkIndex index;
  index.start = head.start;
  index.end = head.end;
  records_.clear();
  index.chunk_offset = file_->size();
  index.compression = head.compression;
  index.compressed_size = head.records_size;
  index.uncompressed_size = head.uncompressed_size;
  mcap::append(records_, head);
  std::size_t head_bytes = records_.size();
  index.chunk_bytes = head_bytes + chunk.stored_size();
  append_indexes(chunk, index.chunk_offset + index.chunk_bytes, index);
  ByteView records = records_.view();
  pieces_ = {records.first(head_bytes), stored};
  pieces_.insert(pieces_.end(), chunk.tail.pieces.begin(), chunk.tail.pieces.end());
  pieces_.push_back(records.subspan(head_bytes));
  bool is_summed = settings_.has_chunk_crc && !chunk.is_packed;
  if (settings_.has_data_crc && is_summed) {
    data_crc_ =
        crc32_joined(crc32(pieces_.front(), data_crc_), head.uncompressed_crc, chunk.size());
    data_crc_ = crc32(pieces_.back(), data_crc_);
    file_->append(pieces_);
  } else {
    put(pieces_);
  }
  records_.clear();
  summary_.add(index);
  stored_bytes_ += chunk.stored_size();
  packed_bytes_ += chunk.size();
  if (pace_.syncs_chunks()) file_->begin_sync();
}

/// The message indexes of a chunk, which stand from `at` on, and what the summary will say of them.
void BagWriter::append_indexes(const ChunkBuilder& chunk, std::uint64_t at, ChunkIndex& index) {
  std::size_t before = records_.size();
  for (const IndexBySlot::Group& group : by_channel_.sort(chunk.index)) {
    std::uint16_t id = channels_[group.slot].id;
    index.message_index_offsets.emplace_back(id, at + records_.size() - before);
    std::size_t bytes = group.entries.size() * MessageIndex::kEntryBytes;
    RecordWriter record(records_, Op::message_index);
    record.number(id).number(static_cast<std::uint32_t>(bytes)).finish(bytes);
    std::byte* to = records_.extend(bytes);
    std::uint64_t start = UINT64_MAX;
    std::uint64_t end = 0;
    for (const IndexEntry& entry : group.entries) {
      to = store_le(store_le(to, entry.time), std::uint64_t{entry.offset});
      start = std::min(start, entry.time);
      end = std::max(end, entry.time);
    }
    summary_.add_messages(id, group.entries.size(), start, end);
  }
  index.message_index_bytes = records_.size() - before;
}

void BagWriter::write_extra(const Extra& extra) {
  const auto* record = std::get_if<PrivateRecord>(&extra);
  if (record && record->format != kFormatName) return left_out_.add(extra);
  write_loose();
  if (const auto* attachment = std::get_if<Attachment>(&extra)) {
    write_attachment(*attachment);
  } else if (const auto* metadata = std::get_if<Metadata>(&extra)) {
    write_metadata(*metadata);
  } else {
    write_private(*record);
  }
}

namespace {

/// Calls `take` with all bytes of `file`, piece by piece.
template <class Take>
void read_pieces(const std::shared_ptr<const ReadFile>& file, const std::string& path,
                 Take&& take) {
  Buffer piece;
  std::uint64_t size = file ? file->size() : 0;
  for (std::uint64_t at = 0; at < size; at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size - at, kExtraPiece)));
    if (file->read(at, piece.span()) < piece.size()) {
      throw Error(ErrorCode::io, "the data to copy into the file became shorter in the meantime",
                  path);
    }
    take(piece.view());
  }
}

}  // namespace

void BagWriter::write_attachment(const Attachment& attachment) {
  AttachmentHead head;
  head.log_time = stored_time(attachment.log_time);
  head.create_time = stored_time(attachment.create_time);
  head.name = attachment.name;
  head.media_type = attachment.media_type;
  head.data_size = attachment.data ? attachment.data->size() : 0;
  std::uint64_t offset = file_->size();
  Buffer bytes;
  mcap::append(bytes, head);
  std::uint32_t crc = crc32(bytes.view().subspan(kRecordHead));
  put(bytes.view());
  read_pieces(attachment.data, path_, [&](ByteView piece) {
    crc = crc32(piece, crc);
    put(piece);
  });
  bytes.clear();
  store_le(bytes.extend(sizeof(crc)), settings_.has_data_crc ? crc : 0);
  put(bytes.view());
  summary_.add(AttachmentIndex{offset, file_->size() - offset, head.log_time, head.create_time,
                               head.data_size, head.name, head.media_type});
}

void BagWriter::write_metadata(const Metadata& metadata) {
  std::uint64_t offset = file_->size();
  Buffer bytes;
  Metadata readable = rosbag2::readable_by(metadata, settings_.conventions.metadata_version);
  mcap::append(bytes, MetadataRecord{readable.name, readable.values});
  put(bytes.view());
  summary_.add(MetadataIndex{offset, bytes.size(), metadata.name});
}

void BagWriter::write_private(const PrivateRecord& record) {
  Buffer head;
  RecordWriter(head, record.opcode).finish(record.data ? record.data->size() : 0);
  put(head.view());
  read_pieces(record.data, path_, [&](ByteView piece) { put(piece); });
}

/// Once, when the channels are known.
void BagWriter::write_header() {
  if (std::exchange(has_header_, true)) return;
  auto are_all = [&](std::string_view encoding, std::initializer_list<std::string_view> languages) {
    return !channels_.empty() &&
           std::all_of(channels_.begin(), channels_.end(), [&](const WrittenChannel& channel) {
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

/// All chunks are written: what stands in any of them stands in front.
void BagWriter::write_silent_channels() {
  for (WrittenSchema& schema : schemas_) schema.is_stored |= !schema.lanes.empty();
  for (WrittenChannel& channel : channels_) {
    if (!channel.is_described) describe(channel, records_);
    if (channel.messages == 0) continue;
    summary_.add_messages(channel.id, channel.messages, channel.start, channel.end);
  }
}

void BagWriter::write_loose() {
  write_header();
  if (records_.size() == 0) return;
  put(records_.view());
  records_.clear();
}

void BagWriter::put(std::span<const ByteView> pieces) {
  if (settings_.has_data_crc) {
    for (ByteView piece : pieces) data_crc_ = crc32(piece, data_crc_);
  }
  file_->append(pieces);
}

}  // namespace kitbag::mcap
