#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/sticky.h"
#include "kitbag/bag.h"
#include "kitbag/file_system.h"
#include "model/extras.h"
#include "storage/chunked/chunk_pipe.h"
#include "storage/rosbag/chunk_walk.h"
#include "storage/rosbag/encryption.h"
#include "storage/rosbag/index.h"
#include "storage/writing/channel_places.h"
#include "storage/writing/topic_encodings.h"
#include "storage/writing/write_pace.h"
#include "stream/channel_table.h"

namespace kitbag::rosbag {

/// Writes a rosbag 2.0 file.
///
/// Layout: version line, file header record, then each chunk with its index records behind it, then
/// the index section: all connections, all chunk infos. Everything is appended; only the file
/// header is rewritten, at close(), when the place of the index is known.
///
/// Appending leaves the old index section where it is, as dead bytes, and writes new chunks and a
/// new, whole index behind it. So the old file header, and with it the old bag, is valid until the
/// moment of its rewriting, which comes after everything else is on the disk; real rosbag
/// overwrites the index first, and loses it when it dies. The price is the size of the old index.
class BagWriter final : public Writer {
 public:
  /// With the cipher of `lock` an encrypted bag.
  BagWriter(std::unique_ptr<WriteFile> file, const std::string& path, const WriteOptions& options,
            Lock lock = {});
  /// Goes on behind the bag whose index is `index`.
  BagWriter(std::unique_ptr<WriteFile> file, const std::string& path, const WriteOptions& options,
            const BagIndex& index);

  void write(Batch&& batch) override;
  void append(const ChannelPtr& channel, const Stamp& stamp,
              std::span<const ByteView> pieces) override;
  std::span<std::byte> reserve(const ChannelPtr& channel, const Stamp& stamp,
                               std::size_t size) override;
  void commit(std::size_t size) override;
  SteadyTime due() const override { return pace_.due(); }
  void tick(SteadyTime now) override;
  void flush() override;
  void close() override;
  std::uint64_t size_bytes() const override;

 private:
  /// A connection of the file. Slots of batches lead here.
  struct Connection {
    ChannelPtr channel;
    MessageLayout::Header header{};  ///< template for its messages
    std::uint32_t id = 0;
    std::uint32_t lane = 0;     ///< of ChunkPipe
    bool is_described = false;  ///< its record stands in a chunk
  };

  std::uint32_t add_connection(const ChannelPtr& channel, std::uint32_t id);
  std::uint32_t find_connection(const ChannelPtr& channel);
  std::uint32_t place_of(const ChannelPtr& channel);
  ChunkBuilder& chunk_for(const Connection& connection, std::size_t payload_bytes);
  void put(std::uint32_t place, const Message& head, std::span<const ByteView> pieces);
  void drop_reserved();
  void describe(Connection& connection);
  void write_chunk(ChunkBuilder& chunk);
  void put_chunk_head(Buffer& out, bool is_packed, std::size_t size, std::size_t stored_size) const;
  void append_index(const ChunkBuilder& chunk);
  void write_index();
  void take(const Extra& extra);
  bool fits_file_header(Buffer& out, std::uint64_t index_pos) const;
  void put_file_header(Buffer& out, std::uint64_t index_pos) const;
  void tell_warnings() const;

  std::unique_ptr<WriteFile> file_;
  std::string path_;
  std::string compression_;
  Lock lock_;
  std::uint64_t header_data_end_;  ///< where the file header record ends
  bool is_header_last_ = false;    ///< it is rewritten when all else is on the disk

  ChannelPlaces places_;                 ///< in connections_
  std::vector<Connection> connections_;  ///< in this order in the index
  /// Connections of a bag appended to that are not claimed yet, by content; the first of them last.
  std::unordered_map<ChannelPtr, std::vector<std::uint32_t>, ChannelContentHash,
                     ChannelContentEqual>
      reusable_;
  std::uint32_t next_id_ = 0;
  TopicEncodings encodings_;
  ChunkTable table_;  ///< slots here are places in connections_
  IndexBySlot by_connection_;
  Buffer records_;                ///< records on their way into the file
  std::vector<ByteView> pieces_;  ///< the same of a chunk
  std::optional<Reservation> reserved_;
  std::uint64_t stored_bytes_ = 0;  ///< of chunks written, compressed
  std::uint64_t packed_bytes_ = 0;  ///< the same, uncompressed
  std::vector<Metadata> metadata_;  ///< what of it there is room for in the file header
  LeftOutExtras left_out_;
  std::uint64_t foreign_channels_ = 0;  ///< whose messages are not ROS 1's
  OnWarning on_warning_;
  WritePace pace_;
  Sticky sticky_;
  ChunkPipe pipe_;  ///< last: its threads end before the rest is gone
};

}  // namespace kitbag::rosbag
