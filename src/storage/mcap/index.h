#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "kitbag/bag.h"
#include "storage/chunked/chunk_store.h"
#include "storage/mcap/chunk_file.h"
#include "storage/mcap/definitions.h"
#include "storage/mcap/records.h"

namespace kitbag::mcap {

/// A run of records that stand outside of chunks, as a chunk of the engine.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< behind its last message
};

/// What the summary says of the size of a chunk, so that nobody has to look at the chunk.
struct ChunkSize {
  std::uint64_t offset = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t bytes = 0;        ///< uncompressed
  std::uint32_t compression = 0;  ///< in BagIndex::compressions
};

/// What is known of a file when it is open.
struct BagIndex {
  std::string profile;
  std::string library;
  Definitions definitions;
  ChunkTable table;                ///< chunks and stretches
  std::vector<Stretch> stretches;  ///< by offset; the chunks that begin where one of these does
  std::vector<ChunkSize> sizes;    ///< by offset; empty if there is no summary
  std::vector<std::string> compressions;
  std::vector<Extra> extras;
  std::optional<Statistics> statistics;
  bool has_chunks = false;
  bool is_found = false;    ///< there is a summary
  bool is_scanned = false;  ///< everything was read, and damage was reported

  ChannelsPtr channels() const { return definitions.channels(); }
  const Stretch* stretch_at(std::uint64_t offset) const;
  const ChunkSize* size_at(std::uint64_t offset) const;
  /// Adds to `sizes`.
  void add_size(const ChunkIndex& chunk);
};

/// The summary section, read and verified with its CRC. Views point into `bytes`.
struct SummarySection {
  Buffer bytes;
  Definitions definitions;
  /// Contents of the records, by the place of their chunk; there may be millions.
  std::vector<ByteView> chunk_indexes;
  std::vector<AttachmentIndex> attachment_indexes;
  std::vector<MetadataIndex> metadata_indexes;
  std::optional<Statistics> statistics;
};

/// What is known from the end of a file.
struct Tail {
  bool has_magic = false;
  std::optional<Footer> footer;
  std::optional<SummarySection> summary;  ///< nothing: there is none, or it is damaged
  /// The damage found; nothing: none.
  std::optional<Error> fault;
  /// Where records end: the file without the magic at its end.
  std::uint64_t records_end = 0;
};

/// Throws Error (truncated) for a file that ends inside its first bytes.
Tail read_tail(const ChunkFile& file);

/// The error if the CRC of the data before the DataEnd record at `data_end` is wrong; nothing if it
/// is right, if there is none, or if CRCs are not to be verified. Reads the whole file.
std::optional<Error> verify_data(const ChunkFile& file, std::uint64_t data_end);

/// Replaces channel ids with slots in the counts of the table. Returns the number of messages on
/// channels that no record describes; their counts are removed.
std::uint64_t name_slots(BagIndex& index);

/// Opens the file by the summary, whose contents are kept in `tail`. Nothing if there is none, or
/// it is inconsistent. If an append was not completed, `file` becomes what it was before.
std::optional<BagIndex> open_by_summary(std::shared_ptr<const ChunkFile>& file, Tail& tail,
                                        const ReadOptions& options);

/// Opens the file by the summary; if there is none, or it is inconsistent, by reading everything.
/// If an append was not completed, `file` becomes what it was before.
BagIndex open_index(std::shared_ptr<const ChunkFile>& file, const ReadOptions& options);

/// The contents of the summary, joined with what lies between the chunks. Nothing if they disagree.
std::optional<BagIndex> join_summary(const ChunkFile& file, const Tail& tail,
                                     const ReadOptions& options);

/// Reads everything. Damage goes to `options.on_problem`.
BagIndex scan(const ChunkFile& file, const Tail& tail, const ReadOptions& options);

}  // namespace kitbag::mcap
