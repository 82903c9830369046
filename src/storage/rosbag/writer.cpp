#include "storage/rosbag/writer.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "base/little_endian.h"
#include "storage/rosbag/connections.h"
#include "storage/rosbag/metadata.h"
#include "storage/rosbag/records.h"

// Everything is appended, and only the file header is rewritten, when the place of the index is
// known. A header has 4096 bytes of fields and spaces, so any header replaces any other. It also
// holds the metadata records, for which the format has no place; take() tries whether one more
// fits.
//
// The header of each message differs from the last one of its connection in the time only. So it is
// made once, when the connection appears, and copied. Fields stand in the order conn, op, time, as
// in the original C++ writer.
//
// Index records and chunk infos are kept as numbers (32 bytes a chunk, 8 a connection in it), not
// as records, because they are needed only at the end.
//
// The order of the last writes matters for a file that others can see: index, sync, header. If the
// power fails between them, the old header is there, and the bag reads as it was or as not closed.

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

/// The index section is handed to the file in pieces of this size.
constexpr std::size_t kIndexWriteBytes = 1 << 20;

}  // namespace

BagWriter::BagWriter(std::unique_ptr<WriteFile> file, const std::string& path,
                     const WriteOptions& options, Lock lock)
    : ChunkedWriter(std::move(file), path, options, kMaxWrittenChunkBytes, packer_of(options, lock),
                    lock.cipher != nullptr),
      compression_(options.compression),
      lock_(std::move(lock)),
      header_data_end_(kVersionLine.size() + 2 * sizeof(std::uint32_t) + kFileHeaderBytes),
      is_header_last_(options.is_visible) {
  records_.append(as_bytes(kVersionLine));
  put_file_header(records_, 0);
  this->file().append(records_.view());
}

BagWriter::BagWriter(std::unique_ptr<WriteFile> file, const std::string& path,
                     const WriteOptions& options, const BagIndex& index)
    : ChunkedWriter(std::move(file), path, options, kMaxWrittenChunkBytes),
      compression_(options.compression),
      header_data_end_(index.header.end),
      is_header_last_(true),
      table_(index.table),
      metadata_(index.header.metadata) {
  ChannelsPtr known = index.connections.channels();
  for (std::uint32_t slot = 0; slot < known->size(); ++slot) {
    Connection connection = make_connection((*known)[slot], index.connections.id(slot));
    connection.is_described = true;
    add_known(std::move(connection), (*known)[slot]);
  }
}

Connection BagWriter::make_connection(const ChannelPtr& channel, std::uint32_t id) {
  if (channel->encoding != "ros1") ++foreign_channels_;
  next_id_ = std::max(next_id_, id + 1);
  return {{channel}, MessageLayout().header(id, 0), id};
}

void BagWriter::check_payload(const Connection& connection, std::size_t bytes) const {
  if (bytes <= kMaxWrittenChunkBytes - kFrameBytes) return;
  throw Error(ErrorCode::unsupported,
              "a message of " + std::to_string(bytes) + " bytes on " + connection.channel->topic +
                  " is too large for a ROS 1 bag",
              path());
}

std::uint64_t BagWriter::put_frame(std::byte* to, const Connection& connection,
                                   const Message& message, std::size_t size) {
  left_out().add(message);
  const MessageLayout::Header& header = connection.header;
  std::uint64_t time = stored_time(message.log_time);
  to = store_le(to, static_cast<std::uint32_t>(header.size()));
  std::memcpy(to, header.data(), header.size());
  to += header.size();
  store_le(to - sizeof(time), time);
  store_le(to, static_cast<std::uint32_t>(size));
  return time;
}

void BagWriter::describe(Connection& connection, Buffer& into) const {
  append_connection(into, connection.id, *connection.channel);
}

void BagWriter::write_chunk(const ChunkBuilder& chunk) {
  std::uint64_t offset = file().size();
  records_.clear();
  put_chunk_head(records_, chunk);
  std::size_t head_bytes = records_.size();
  auto first_count = static_cast<std::uint32_t>(table_.counts.size());
  append_index(chunk);
  ByteView records = records_.view();
  file().append(pieces_of(records.first(head_bytes), chunk, records.subspan(head_bytes)));
  table_.chunks.push_back({offset, chunk.start, chunk.end, first_count,
                           static_cast<std::uint32_t>(table_.counts.size()) - first_count});
}

void BagWriter::put_chunk_head(Buffer& out, const ChunkBuilder& chunk) const {
  RecordWriter(out, Op::chunk)
      .field("compression", chunk.is_packed ? std::string_view(compression_) : "none")
      .field("size", static_cast<std::uint32_t>(chunk.size()))
      .data_size(chunk.stored_size());
}

/// The index records of a chunk, and what the index section will say of it.
void BagWriter::append_index(const ChunkBuilder& chunk) {
  for (const IndexBySlot::Group& group : by_connection_.sort(chunk.index)) {
    auto count = static_cast<std::uint32_t>(group.entries.size());
    RecordWriter(records_, Op::index)
        .field("conn", channels()[group.slot].id)
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

void BagWriter::tell_warnings() const {
  tell_left_out("rosbag 2.0");
  if (foreign_channels_ == 0) return;
  tell(Error(ErrorCode::unsupported,
             "the bag has messages in other encodings than ROS 1's, on " +
                 std::to_string(foreign_channels_) +
                 " channels; kitbag can read them, other programs cannot",
             path()));
}

void BagWriter::write_end() {
  std::uint64_t index_pos = file().size();
  write_index();
  records_.clear();
  put_file_header(records_, index_pos);
  // The header must never point at an index that is not on the disk. A new file that gets its
  // name when it is complete is synced before, so there the order does not matter.
  if (is_header_last_) file().sync();
  file().rewrite(kVersionLine.size(), records_.view());
}

void BagWriter::write_index() {
  records_.clear();
  Buffer plain;
  for (const Connection& connection : channels()) {
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
      store_le(store_le(to, channels()[count.slot].id), count.messages);
    }
    if (records_.size() >= kIndexWriteBytes) {
      file().append(records_.view());
      records_.clear();
    }
  }
  file().append(records_.view());
}

/// A metadata record goes into the file header while there is room; that is readable to everybody.
void BagWriter::take(const Extra& extra) {
  const auto* record = std::get_if<Metadata>(&extra);
  if (!record || lock_.cipher) return left_out().add(extra);
  metadata_.push_back(*record);
  Buffer trial;
  if (fits_file_header(trial, 0)) return;
  metadata_.pop_back();
  left_out().add(extra);
}

/// Appends a file header record that ends at header_data_end_, so that it can replace another.
/// False: its fields need more room, and what was appended is no record.
bool BagWriter::fits_file_header(Buffer& out, std::uint64_t index_pos) const {
  std::size_t start = out.size();
  RecordWriter header(out, Op::file_header);
  header.field("chunk_count", static_cast<std::uint32_t>(table_.chunks.size()))
      .field("conn_count", static_cast<std::uint32_t>(channels().size()))
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
              path(), kVersionLine.size());
}

}  // namespace kitbag::rosbag

namespace kitbag {

template class ChunkedWriter<rosbag::BagWriter, rosbag::Connection>;

}  // namespace kitbag
