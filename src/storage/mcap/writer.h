#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "io/sticky.h"
#include "kitbag/bag.h"
#include "kitbag/file_system.h"
#include "model/extras.h"
#include "storage/chunked/chunk_pipe.h"
#include "storage/mcap/index.h"
#include "storage/mcap/settings.h"
#include "storage/mcap/summary_builder.h"
#include "storage/writing/channel_places.h"
#include "storage/writing/topic_encodings.h"
#include "storage/writing/write_pace.h"
#include "stream/channel_table.h"

namespace kitbag::mcap {

/// Writes an MCAP file.
///
/// Layout: magic, header, then each chunk with its message indexes behind it, and whatever comes
/// between them: attachments, metadata, private records. Behind these DataEnd, and the summary,
/// which repeats the schemas and channels. Everything is appended, nothing is gone back to, so that
/// the file may be a pipe. Therefore the header is written as late as can be: by then the channels
/// are known, and with them the profile.
///
/// A schema and its channel stand in the chunk of the channel's first message; those of channels
/// without messages in front of DataEnd. Without chunks records go straight into the file.
///
/// Appending: see append.cpp.
class BagWriter final : public Writer {
 public:
  BagWriter(std::unique_ptr<WriteFile> file, const std::string& path, const WriteOptions& options);

  /// What appending finds in the file.
  struct Old {
    BagIndex index;
    Tail tail;
    std::uint32_t data_crc = 0;    ///< up to where is written; 0: there is none
    std::vector<std::byte> patch;  ///< over what is at `patch_at`, when all else is on the disk
    std::uint64_t patch_at = 0;
  };
  /// Goes on behind the file that `old` tells of.
  BagWriter(std::unique_ptr<WriteFile> file, const std::string& path, const WriteOptions& options,
            Old old);

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
  /// A channel of the file. Slots of batches lead here; its place is its slot in chunks.
  struct WrittenChannel {
    ChannelPtr channel;
    std::uint16_t id = 0;
    std::uint16_t schema_id = 0;
    std::uint32_t lane = 0;     ///< of ChunkPipe
    bool is_described = false;  ///< its record stands in the data section
    // Not yet told to the summary; of messages outside of chunks:
    std::uint64_t messages = 0;
    std::uint64_t start = UINT64_MAX;
    std::uint64_t end = 0;

    void count(std::uint64_t time) {
      ++messages;
      start = std::min(start, time);
      end = std::max(end, time);
    }
  };
  struct WrittenSchema {
    SchemaPtr schema;
    std::uint16_t id = 0;
    bool is_stored = false;  ///< it stands in front of whatever comes
    /// Whose chunks have it: which lane's first chunk is written first, nobody knows.
    std::vector<std::uint32_t> lanes = {};
  };

  void keep_schema(WrittenSchema schema);
  std::uint32_t place_of(const ChannelPtr& channel);
  std::uint32_t find_channel(const ChannelPtr& given);
  std::uint32_t add_channel(const ChannelPtr& channel);
  std::uint16_t find_schema(const SchemaPtr& schema);
  Buffer& bytes_for(const WrittenChannel& channel, std::size_t payload_bytes);
  void put_message(std::uint32_t place, const Message& head, std::span<const ByteView> pieces);
  void put_loose(WrittenChannel& channel, const Message& head, std::span<const ByteView> pieces);
  void drop_reserved();
  void describe(WrittenChannel& channel, Buffer& into);
  void write_chunk(ChunkBuilder& chunk);
  void append_indexes(const ChunkBuilder& chunk, std::uint64_t at, ChunkIndex& index);
  void write_extra(const Extra& extra);
  void write_attachment(const Attachment& attachment);
  void write_metadata(const Metadata& metadata);
  void write_private(const PrivateRecord& record);
  void write_header();
  void write_silent_channels();
  void write_loose();
  void put(std::span<const ByteView> pieces);
  void put(ByteView bytes) { put(std::span(&bytes, 1)); }

  std::unique_ptr<WriteFile> file_;
  std::string path_;
  Settings settings_;
  OnWarning on_warning_;
  bool has_header_ = false;
  std::uint32_t data_crc_ = 0;
  std::vector<std::byte> patch_;
  std::uint64_t patch_at_ = 0;

  TopicEncodings encodings_;
  LeftOutExtras left_out_;
  ChannelPlaces places_;                  ///< in channels_
  std::vector<WrittenChannel> channels_;  ///< in this order in the summary
  std::vector<WrittenSchema> schemas_;
  struct BeforeInContent {
    bool operator()(const SchemaPtr& a, const SchemaPtr& b) const {
      return std::tie(a->name, a->language, a->text) < std::tie(b->name, b->language, b->text);
    }
  };
  std::map<SchemaPtr, std::size_t, BeforeInContent> schemas_by_content_;  ///< in schemas_
  std::map<std::uint16_t, std::size_t> schemas_by_id_;                    ///< the same
  /// Channels of a file appended to that are not claimed yet, by content; the first of them last.
  std::unordered_map<ChannelPtr, std::vector<std::uint32_t>, ChannelContentHash,
                     ChannelContentEqual>
      reusable_;
  std::uint32_t next_channel_id_ = 0;
  std::uint32_t next_schema_id_ = 1;  ///< 0 means: none
  SummaryBuilder summary_;
  IndexBySlot by_channel_;
  Buffer records_;                ///< records on their way into the file
  std::vector<ByteView> pieces_;  ///< the same of a chunk
  std::optional<Reservation> reserved_;
  std::uint64_t stored_bytes_ = 0;  ///< of chunks written, compressed
  std::uint64_t packed_bytes_ = 0;  ///< the same, uncompressed
  WritePace pace_;
  Sticky sticky_;
  ChunkPipe pipe_;  ///< last: its threads end before the rest is gone
};

}  // namespace kitbag::mcap
