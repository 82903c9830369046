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

/// What is known of a file when it is open.
struct BagIndex {
  std::string profile;
  std::string library;
  Definitions definitions;
  ChunkTable table;                ///< chunks and stretches
  std::vector<Stretch> stretches;  ///< by offset; the chunks that begin where one of these does
  std::vector<Extra> extras;
  std::optional<Statistics> statistics;
  bool has_chunks = false;
  bool is_found = false;    ///< there is a summary
  bool is_scanned = false;  ///< everything was read, and what is wrong with it is told

  ChannelsPtr channels() const { return definitions.channels(); }
  const Stretch* stretch_at(std::uint64_t offset) const;
};

/// The summary section, read and held against its CRC. Views point into `bytes`.
struct SummarySection {
  Buffer bytes;
  Definitions definitions;
  /// Contents of the records, by the place of their chunk; there may be millions.
  std::vector<ByteView> chunk_indexes;
  std::vector<AttachmentIndex> attachment_indexes;
  std::vector<MetadataIndex> metadata_indexes;
  std::optional<Statistics> statistics;
};

/// What the end of a file tells.
struct Tail {
  bool has_magic = false;
  std::optional<Footer> footer;
  std::optional<SummarySection> summary;  ///< nothing: there is none, or it is damaged
  /// What is wrong; nothing: nothing is.
  std::optional<Error> fault;
  /// Where records end: the file without the magic at its end.
  std::uint64_t records_end = 0;
};

/// Throws Error (truncated) for a file that ends inside its first bytes.
Tail read_tail(const ChunkFile& file);

/// What is wrong with the CRC of the data in front of the DataEnd record at `data_end`; nothing:
/// it is right, there is none, or CRCs are not to be verified. Reads the whole file.
std::optional<Error> verify_data(const ChunkFile& file, std::uint64_t data_end);

/// From channel ids to slots, in the counts of the table. Returns how many messages are of channels
/// that no record describes; their counts are left out.
std::uint64_t name_slots(BagIndex& index);

/// Opens by the summary, of which `tail` keeps what it says. Nothing where there is none, or it
/// does not fit. Where an append was not completed, `file` becomes what it was before.
std::optional<BagIndex> open_by_summary(std::shared_ptr<const ChunkFile>& file, Tail& tail,
                                        const ReadOptions& options);

/// Opens by the summary, or where there is none, or it does not fit, by reading everything. Where
/// an append was not completed, `file` becomes what it was before.
BagIndex open_index(std::shared_ptr<const ChunkFile>& file, const ReadOptions& options);

/// What the summary says, joined with what stands between the chunks. Nothing if they do not fit.
std::optional<BagIndex> join_summary(const ChunkFile& file, const Tail& tail,
                                     const ReadOptions& options);

/// Reads everything. Damage goes to `options.on_problem`.
BagIndex scan(const ChunkFile& file, const Tail& tail, const ReadOptions& options);

}  // namespace kitbag::mcap
