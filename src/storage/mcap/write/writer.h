#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/file_system.h"
#include "storage/chunked/chunked_writer.h"
#include "storage/mcap/index.h"
#include "storage/mcap/settings.h"
#include "storage/mcap/write/summary_builder.h"
#include "storage/mcap/write/written_schemas.h"

namespace kitbag::mcap {

/// A channel of the file. The summary lists them in the order in which they are added.
struct NumberedChannel : WrittenChannel {
  std::uint16_t id = 0;
  std::uint16_t schema_id = 0;
};

/// Writes an MCAP file.
///
/// Layout: magic, header, then each chunk with its message indexes after it, and between them
/// attachments, metadata and private records. Then DataEnd and the summary, which repeats the
/// schemas and channels. Everything is appended and nothing is rewritten, so the file may be a
/// pipe. The header is therefore written as late as possible: by then the channels are known, and
/// with them the profile.
///
/// A schema and its channel are in the chunk of the channel's first message; those of channels
/// without messages are before DataEnd. Without chunks, a piece of the data section takes the place
/// of a chunk; it is written without a head and an index.
///
/// Appending: see append.cpp.
class BagWriter final : public ChunkedWriter<BagWriter, NumberedChannel> {
 public:
  BagWriter(std::unique_ptr<WriteFile> file, const std::string& path, const WriteOptions& options);

  /// What appending needs to know about the file.
  struct Old {
    BagIndex index;
    Tail tail;
    std::uint32_t data_crc = 0;    ///< up to where is written; 0: there is none
    std::vector<std::byte> patch;  ///< written at `patch_at` when all else is on the disk
    std::uint64_t patch_at = 0;
  };
  /// Appends to the file that `old` describes.
  BagWriter(std::unique_ptr<WriteFile> file, const std::string& path, const WriteOptions& options,
            Old old);

 private:
  friend ChunkedWriter;

  static constexpr StoredTimes kTimes{"MCAP", "from 1970 on", Time{}, Time::max(), true};
  static constexpr std::size_t kFrameBytes = kRecordHead + MessageHead::kBytes;
  static constexpr bool kHasEmptyChunks = true;  // of schemas and channels alone

  BagWriter(std::unique_ptr<WriteFile> file, const std::string& path, const WriteOptions& options,
            Settings settings);

  std::uint64_t put_frame(std::byte* to, const NumberedChannel& channel, const Message& message,
                          std::size_t size);
  void check_payload(const NumberedChannel& channel, std::size_t bytes) const;
  void describe(const NumberedChannel& channel, Buffer& into);
  ChannelPtr stored_form(const ChannelPtr& channel) const;
  NumberedChannel make_channel(const ChannelPtr& channel);
  void write_chunk(const ChunkBuilder& chunk);
  void take(const Extra& extra);
  void before_flush();
  void tell_warnings() const { tell_left_out("mcap"); }
  void write_end();

  ChunkHead describe_chunk(const ChunkBuilder& chunk) const;
  void append_indexes(const ChunkBuilder& chunk, std::uint64_t at, ChunkIndex& index);
  void write_piece(const ChunkBuilder& chunk);
  void write_attachment(const Attachment& attachment);
  void write_metadata(const Metadata& metadata);
  void write_private(const PrivateRecord& record);
  void write_header();
  void write_silent_channels();
  void put(std::span<const ByteView> pieces);
  void put(ByteView bytes) { put(std::span(&bytes, 1)); }

  Settings settings_;
  std::uint64_t most_payload_;  ///< of one message
  bool has_header_ = false;
  std::uint32_t data_crc_ = 0;
  std::vector<std::byte> patch_;
  std::uint64_t patch_at_ = 0;

  SummaryBuilder summary_;
  WrittenSchemas schemas_;
  std::uint32_t next_channel_id_ = 0;
  IndexBySlot by_channel_;
  Buffer records_;  ///< not in the file yet
};

}  // namespace kitbag::mcap

namespace kitbag {

/// Instantiated once, in the file that defines what is called for each message.
extern template class ChunkedWriter<mcap::BagWriter, mcap::NumberedChannel>;

}  // namespace kitbag
