#include "storage/rosbag/writer.h"

#include <algorithm>
#include <utility>

#include "storage/rosbag/metadata.h"
#include "storage/writing/reservation.h"

namespace kitbag::rosbag {

namespace {

/// Chunk sizes and offsets in them are 32 bits wide; kept below the sign bit for old readers.
constexpr std::size_t kMaxWrittenChunkBytes = INT32_MAX;
/// Null for plain bags: the pipe compresses by itself.
ChunkPipe::MakeCompressor packer_of(const WriteOptions& options, const Lock& lock) {
  if (!lock.cipher) return {};
  return [compression = options.compression, cipher = lock.cipher] {
    return make_encrypting_compressor(compression, cipher);
  };
}

constexpr std::size_t kFrame = 2 * sizeof(std::uint32_t) + MessageLayout::kHeaderBytes;

/// Puts the frame of a message record, whose header is `header` at `time`; where its data goes.
std::byte* put_frame(std::byte* to, const MessageLayout::Header& header, std::uint64_t time,
                     std::size_t size) {
  to = store_le(to, static_cast<std::uint32_t>(header.size()));
  std::memcpy(to, header.data(), header.size());
  to += header.size();
  store_le(to - sizeof(time), time);
  return store_le(to, static_cast<std::uint32_t>(size));
}

/// The index section is handed to the file in pieces of this size.
constexpr std::size_t kIndexWriteBytes = 1 << 20;

}  // namespace

BagWriter::BagWriter(std::unique_ptr<WriteFile> file, const std::string& path,
                     const WriteOptions& options, Lock lock)
    : file_(std::move(file)),
      path_(path),
      compression_(options.compression),
      lock_(std::move(lock)),
      header_data_end_(kVersionLine.size() + 2 * sizeof(std::uint32_t) + kFileHeaderBytes),
      is_header_last_(options.is_visible),
      encodings_(path),
      on_warning_(options.on_warning),
      pace_(options),
      pipe_(
          options, kMaxWrittenChunkBytes, [this](ChunkBuilder& chunk) { write_chunk(chunk); },
          packer_of(options, lock_), lock_.cipher != nullptr) {
  records_.append(as_bytes(kVersionLine));
  put_file_header(records_, 0);
  file_->append(records_.view());
}

BagWriter::BagWriter(std::unique_ptr<WriteFile> file, const std::string& path,
                     const WriteOptions& options, const BagIndex& index)
    : file_(std::move(file)),
      path_(path),
      compression_(options.compression),
      header_data_end_(index.header.end),
      is_header_last_(true),
      encodings_(path),
      table_(index.table),
      metadata_(index.header.metadata),
      on_warning_(options.on_warning),
      pace_(options),
      pipe_(options, kMaxWrittenChunkBytes, [this](ChunkBuilder& chunk) { write_chunk(chunk); }) {
  ChannelsPtr channels = index.connections.channels();
  for (std::uint32_t slot = 0; slot < channels->size(); ++slot) {
    std::uint32_t place = add_connection((*channels)[slot], index.connections.id(slot));
    connections_[place].is_described = true;
    reusable_[(*channels)[slot]].push_back(place);
  }
  for (auto& [channel, places] : reusable_) std::reverse(places.begin(), places.end());
}

void BagWriter::write(Batch&& batch) {
  sticky_.run([&] {
    drop_reserved();
    places_.declare(batch.channels,
                    [this](const ChannelPtr& channel) { return find_connection(channel); });
    for (const Extra& extra : batch.extras) take(extra);
    for (const Message& message : std::as_const(batch).messages()) {
      put(places_[message.channel->slot], message, std::span(&message.data, 1));
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
    file_->flush();
  });
}

void BagWriter::close() {
  sticky_.run([&] {
    drop_reserved();
    tell_warnings();  // who throws there wants nothing written
    pipe_.drain();
    std::uint64_t index_pos = file_->size();
    write_index();
    records_.clear();
    put_file_header(records_, index_pos);
    // The header must never point at an index that is not on the disk. A new file that gets its
    // name when it is complete is synced before, so there the order does not matter.
    if (is_header_last_) file_->sync();
    file_->rewrite(kVersionLine.size(), records_.view());
    file_->commit();
  });
}

void BagWriter::tell_warnings() const {
  left_out_.tell("rosbag 2.0", path_, on_warning_);
  if (foreign_channels_ == 0 || !on_warning_) return;
  on_warning_(Error(ErrorCode::unsupported,
                    "the bag has messages in other encodings than ROS 1's, on " +
                        std::to_string(foreign_channels_) +
                        " channels; kitbag can read them, other programs cannot",
                    path_));
}

std::uint64_t BagWriter::size_bytes() const {
  std::uint64_t pending = pipe_.pending_bytes();
  if (packed_bytes_ == 0) return file_->size() + pending;
  double ratio = static_cast<double>(stored_bytes_) / static_cast<double>(packed_bytes_);
  return file_->size() + static_cast<std::uint64_t>(static_cast<double>(pending) * ratio);
}

std::uint32_t BagWriter::add_connection(const ChannelPtr& channel, std::uint32_t id) {
  auto place = static_cast<std::uint32_t>(connections_.size());
  encodings_.add(*channel);
  if (channel->encoding != "ros1") ++foreign_channels_;
  connections_.push_back(
      {channel, MessageLayout().header(id, 0), id, pipe_.lane_of(channel->topic), false});
  next_id_ = std::max(next_id_, id + 1);
  return place;
}

/// A connection of the bag appended to when one says the same, else a new one. Two channels that
/// say the same stay two.
std::uint32_t BagWriter::find_connection(const ChannelPtr& channel) {
  auto same = reusable_.find(channel);
  if (same == reusable_.end()) return add_connection(channel, next_id_);
  std::uint32_t place = same->second.back();
  same->second.pop_back();
  if (same->second.empty()) reusable_.erase(same);
  return place;
}

std::uint32_t BagWriter::place_of(const ChannelPtr& channel) {
  return places_.find(channel, [this](const ChannelPtr& added) { return find_connection(added); });
}

/// The chunk that takes a message of the connection.
ChunkBuilder& BagWriter::chunk_for(const Connection& connection, std::size_t payload_bytes) {
  if (payload_bytes > kMaxWrittenChunkBytes - kFrame) {
    throw Error(ErrorCode::unsupported,
                "a message of " + std::to_string(payload_bytes) + " bytes on " +
                    connection.channel->topic + " is too large for a ROS 1 bag",
                path_);
  }
  if (pipe_.closes_before(connection.lane, kFrame + payload_bytes)) {
    pipe_.close_chunk(connection.lane);
  }
  return pipe_.chunk(connection.lane);
}

void BagWriter::put(std::uint32_t place, const Message& head, std::span<const ByteView> pieces) {
  left_out_.add(head);
  Connection& connection = connections_[place];
  std::size_t size = total_bytes(pieces);
  ChunkBuilder& chunk = chunk_for(connection, size);
  if (!connection.is_described) describe(connection);
  std::size_t offset = chunk.bytes.size();
  bool closes_chunk = pipe_.fills(connection.lane, offset + kFrame + size, head.log_time);
  // The payload that fills a chunk is not copied into it where the chunk is written at once.
  bool stays_outside = closes_chunk && pipe_.writes_at_once();
  std::uint64_t time = stored_time(head.log_time);
  std::byte* record = chunk.bytes.extend(kFrame + (stays_outside ? 0 : size));
  std::byte* data = put_frame(record, connection.header, time, size);
  if (!stays_outside) copy_pieces(data, pieces);
  chunk.add({time, static_cast<std::uint32_t>(offset), place}, head.log_time);
  if (stays_outside) {
    pipe_.close_chunk(connection.lane, {pieces, size});
  } else if (closes_chunk) {
    pipe_.close_chunk(connection.lane);
  }
}

void BagWriter::append(const ChannelPtr& channel, const Stamp& stamp,
                       std::span<const ByteView> pieces) {
  sticky_.run([&] {
    drop_reserved();
    put(place_of(channel), head_of(*channel, stamp), pieces);
    pace_.note();
  });
}

std::span<std::byte> BagWriter::reserve(const ChannelPtr& channel, const Stamp& stamp,
                                        std::size_t size) {
  std::span<std::byte> room;
  sticky_.run([&] {
    drop_reserved();
    std::uint32_t place = place_of(channel);
    Connection& connection = connections_[place];
    ChunkBuilder& chunk = chunk_for(connection, size);
    std::size_t before = chunk.bytes.size();
    if (!connection.is_described) describe(connection);
    reserved_ = {place, stamp, size, before, chunk.bytes.size()};
    room = {chunk.bytes.extend(kFrame + size) + kFrame, size};
  });
  return room;
}

void BagWriter::commit(std::size_t size) {
  if (!reserved_ || size > reserved_->size) throw not_reserved();
  sticky_.run([&] {
    Reservation made = *std::exchange(reserved_, std::nullopt);
    Connection& connection = connections_[made.place];
    ChunkBuilder& chunk = pipe_.chunk(connection.lane);
    Time log_time = made.stamp.log_time;
    std::uint64_t time = stored_time(log_time);
    left_out_.add(head_of(*connection.channel, made.stamp));
    put_frame(chunk.bytes.data() + made.record_at, connection.header, time, size);
    chunk.bytes.resize(made.record_at + kFrame + size);
    bool closes_chunk = pipe_.fills(connection.lane, chunk.bytes.size(), log_time);
    chunk.add({time, static_cast<std::uint32_t>(made.record_at), made.place}, log_time);
    if (closes_chunk) pipe_.close_chunk(connection.lane);
    pace_.note();
  });
}

/// With the connection's record in front of it: no chunk is without a message.
void BagWriter::drop_reserved() {
  if (!reserved_) return;
  Connection& connection = connections_[reserved_->place];
  pipe_.chunk(connection.lane).bytes.resize(reserved_->bytes_before);
  if (reserved_->bytes_before < reserved_->record_at) connection.is_described = false;
  reserved_.reset();
}

/// The connection's record goes into the first chunk that holds a message of it, so that a bag
/// without index can be read.
void BagWriter::describe(Connection& connection) {
  append_connection(pipe_.chunk(connection.lane).bytes, connection.id, *connection.channel);
  connection.is_described = true;
}

void BagWriter::write_chunk(ChunkBuilder& chunk) {
  ByteView stored = chunk.stored();
  std::uint64_t offset = file_->size();
  records_.clear();
  put_chunk_head(records_, chunk.is_packed, chunk.size(), chunk.stored_size());
  std::size_t head_bytes = records_.size();
  auto first_count = static_cast<std::uint32_t>(table_.counts.size());
  append_index(chunk);
  ByteView records = records_.view();
  pieces_ = {records.first(head_bytes), stored};
  pieces_.insert(pieces_.end(), chunk.tail.pieces.begin(), chunk.tail.pieces.end());
  pieces_.push_back(records.subspan(head_bytes));
  file_->append(pieces_);
  table_.chunks.push_back({offset, chunk.start, chunk.end, first_count,
                           static_cast<std::uint32_t>(table_.counts.size()) - first_count});
  stored_bytes_ += chunk.stored_size();
  packed_bytes_ += chunk.size();
  if (pace_.syncs_chunks()) file_->begin_sync();
}

void BagWriter::put_chunk_head(Buffer& out, bool is_packed, std::size_t size,
                               std::size_t stored_size) const {
  RecordWriter(out, Op::chunk)
      .field("compression", is_packed ? std::string_view(compression_) : "none")
      .field("size", static_cast<std::uint32_t>(size))
      .data_size(stored_size);
}

/// The index records of a chunk, and what the index section will say of it.
void BagWriter::append_index(const ChunkBuilder& chunk) {
  for (const IndexBySlot::Group& group : by_connection_.sort(chunk.index)) {
    auto count = static_cast<std::uint32_t>(group.entries.size());
    RecordWriter(records_, Op::index)
        .field("conn", connections_[group.slot].id)
        .field("count", count)
        .field("ver", kIndexVersion)
        .data_size(count * kIndexEntryBytes);
    std::byte* to = records_.extend(count * kIndexEntryBytes);
    for (const IndexEntry& entry : group.entries) {
      to = store_le(store_le(to, entry.time), entry.offset);
    }
    table_.counts.push_back({group.slot, count});
  }
}

void BagWriter::write_index() {
  records_.clear();
  Buffer plain;
  for (const Connection& connection : connections_) {
    Buffer& record = lock_.cipher ? plain : records_;
    append_connection(record, connection.id, *connection.channel);
    if (lock_.cipher) append_encrypted(records_, std::exchange(plain, {}).view(), *lock_.cipher);
  }
  for (std::size_t i = 0; i < table_.chunks.size(); ++i) {
    const Chunk& chunk = table_.chunks[i];
    RecordWriter(records_, Op::chunk_info)
        .field("chunk_pos", chunk.offset)
        .field("count", chunk.channels)
        .field("end_time", stored_time(chunk.end))
        .field("start_time", stored_time(chunk.start))
        .field("ver", kIndexVersion)
        .data_size(chunk.channels * kCountEntryBytes);
    for (const ChannelCount& count : table_.counts_of(i)) {
      std::byte* to = records_.extend(kCountEntryBytes);
      store_le(store_le(to, connections_[count.slot].id), count.messages);
    }
    if (records_.size() >= kIndexWriteBytes) {
      file_->append(records_.view());
      records_.clear();
    }
  }
  file_->append(records_.view());
}

/// A metadata record goes into the file header while there is room; that is readable to everybody.
void BagWriter::take(const Extra& extra) {
  const auto* record = std::get_if<Metadata>(&extra);
  if (!record || lock_.cipher) return left_out_.add(extra);
  metadata_.push_back(*record);
  Buffer trial;
  if (fits_file_header(trial, 0)) return;
  metadata_.pop_back();
  left_out_.add(extra);
}

/// Appends a file header record that ends at header_data_end_, so that it can replace another.
/// False: its fields need more room, and what was appended is no record.
bool BagWriter::fits_file_header(Buffer& out, std::uint64_t index_pos) const {
  std::size_t start = out.size();
  RecordWriter header(out, Op::file_header);
  header.field("chunk_count", static_cast<std::uint32_t>(table_.chunks.size()))
      .field("conn_count", static_cast<std::uint32_t>(connections_.size()))
      .field("index_pos", index_pos);
  if (lock_.cipher) append_encryption(header, lock_.encryption);
  for (const Metadata& record : metadata_) append_metadata(header, record);
  std::size_t used = out.size() - start + sizeof(std::uint32_t);
  std::size_t whole = static_cast<std::size_t>(header_data_end_) - kVersionLine.size();
  if (used > whole) return false;
  header.data_size(whole - used);
  std::memset(out.extend(whole - used), ' ', whole - used);
  return true;
}

void BagWriter::put_file_header(Buffer& out, std::uint64_t index_pos) const {
  if (fits_file_header(out, index_pos)) return;
  throw Error(ErrorCode::unsupported,
              lock_.cipher ? "the encrypted key is too long for a bag's header"
                           : "the bag's header has no space for an append; convert the bag first",
              path_, kVersionLine.size());
}

}  // namespace kitbag::rosbag
