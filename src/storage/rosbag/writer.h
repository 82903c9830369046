#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/file_system.h"
#include "storage/chunked/chunk_store.h"
#include "storage/chunked/chunked_writer.h"
#include "storage/rosbag/chunk_walk.h"
#include "storage/rosbag/encryption.h"
#include "storage/rosbag/index.h"

namespace kitbag::rosbag {

/// A connection of the file. The index lists them in the order in which they are added.
struct Connection : WrittenChannel {
  MessageLayout::Header header{};  ///< template for its messages
  std::uint32_t id = 0;
};

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
class BagWriter final : public ChunkedWriter<BagWriter, Connection> {
 public:
  /// The cipher of `lock` encrypts the bag; null: it is not encrypted.
  BagWriter(std::unique_ptr<WriteFile> file, const std::string& path, const WriteOptions& options,
            Lock lock = {});
  /// Appends to the bag whose index is `index`.
  BagWriter(std::unique_ptr<WriteFile> file, const std::string& path, const WriteOptions& options,
            const BagIndex& index);

 private:
  friend ChunkedWriter;

  static constexpr StoredTimes kTimes = kStoredTimes;
  static constexpr std::size_t kFrameBytes =
      2 * sizeof(std::uint32_t) + MessageLayout::kHeaderBytes;
  static constexpr bool kHasEmptyChunks = false;

  std::uint64_t put_frame(std::byte* to, const Connection& connection, const Message& message,
                          std::size_t size);
  void check_payload(const Connection& connection, std::size_t bytes) const;
  void describe(Connection& connection, Buffer& into) const;
  Connection make_channel(const ChannelPtr& channel) { return make_connection(channel, next_id_); }
  void write_chunk(const ChunkBuilder& chunk);
  void take(const Extra& extra);
  void tell_warnings() const;
  void write_end();

  Connection make_connection(const ChannelPtr& channel, std::uint32_t id);
  void put_chunk_head(Buffer& out, const ChunkBuilder& chunk) const;
  void append_index(const ChunkBuilder& chunk);
  void write_index();
  bool fits_file_header(Buffer& out, std::uint64_t index_pos) const;
  void put_file_header(Buffer& out, std::uint64_t index_pos) const;

  std::string compression_;
  Lock lock_;
  std::uint64_t header_data_end_;  ///< where the file header record ends
  bool is_header_last_ = false;    ///< it is rewritten when all else is on the disk
  std::uint32_t next_id_ = 0;
  ChunkTable table_;  ///< slots here are places in channels()
  IndexBySlot by_connection_;
  Buffer records_;                      ///< on their way into the file
  std::vector<Metadata> metadata_;      ///< those that fit into the file header
  std::uint64_t foreign_channels_ = 0;  ///< whose messages are not ROS 1's
};

}  // namespace kitbag::rosbag

namespace kitbag {

/// Instantiated once, in the file that defines what is called for each message.
extern template class ChunkedWriter<rosbag::BagWriter, rosbag::Connection>;

}  // namespace kitbag
