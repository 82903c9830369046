#pragma once

#include <functional>
#include <map>

#include "storage/mcap/records.h"

namespace kitbag::mcap {

/// The groups of records in a summary.
struct SummaryParts {
  bool schemas = true;
  bool channels = true;
  bool statistics = true;
  bool metadata_indexes = true;
  bool attachment_indexes = true;
  bool chunk_indexes = true;
  bool offsets = true;
  bool crc = true;
};

/// Gathers what a summary says while a file is written, as the records that it will be: some 200
/// bytes a chunk.
class SummaryBuilder {
 public:
  void add(const SchemaRecord& schema);
  void add(const ChannelRecord& channel);
  void add(const ChunkIndex& index);
  void add(const AttachmentIndex& index);
  void add(const MetadataIndex& index);
  /// Messages of a channel, from `start` to `end`.
  void add_messages(std::uint16_t channel_id, std::uint64_t messages, std::uint64_t start,
                    std::uint64_t end);
  /// Goes on from the statistics of a file that is appended to; its other records are added one by
  /// one, before this.
  void set(const Statistics& statistics);

  /// Gives `put` everything that stands behind the DataEnd record: summary, footer and magic.
  /// `start`: the place of the summary in the file.
  void write(std::uint64_t start, const SummaryParts& parts,
             const std::function<void(ByteView)>& put);

 private:
  Statistics statistics_;
  std::map<std::uint16_t, std::uint64_t> counts_;
  Buffer schemas_;
  Buffer channels_;
  Buffer chunk_indexes_;
  Buffer attachment_indexes_;
  Buffer metadata_indexes_;
};

}  // namespace kitbag::mcap
