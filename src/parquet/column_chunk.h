#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "compress/compression.h"
#include "kitbag/parquet.h"
#include "parquet/run_encoder.h"
#include "parquet/schema.h"
#include "parquet/statistics.h"
#include "parquet/text_dictionary.h"
#include "parquet/thrift.h"

namespace kitbag::parquet {

/// The enumeration Encoding of parquet.thrift.
enum class Encoding : std::uint8_t {
  plain = 0,
  runs = 3,
  deltas = 5,
  dictionary = 8,
};

/// What compresses pages, for all columns of a file.
struct PageOptions {
  Compressor* compressor = nullptr;  ///< null: pages are not compressed
  std::uint64_t page_bytes = 0;      ///< a page ends behind this much
};

/// What the indexes say of a page.
struct PageEntry {
  std::int64_t offset = 0;  ///< in the file
  std::int32_t bytes = 0;   ///< with its header
  std::int64_t first_row = 0;
  std::int64_t values = 0;  ///< nulls included
  std::int64_t nulls = 0;
  Statistics statistics;
};

/// What the footer and the indexes say of a column chunk that was written.
struct ChunkEntry {
  std::set<Encoding> encodings = {};
  std::int64_t values = 0;  ///< nulls included
  std::int64_t nulls = 0;
  std::int64_t unpacked_bytes = 0;  ///< with all headers
  std::int64_t packed_bytes = 0;
  std::int64_t dictionary_offset = 0;  ///< in the file; 0: none
  Statistics statistics;
  std::vector<PageEntry> pages = {};
  // Where the indexes are, once they are written; of no bytes: there is none.
  std::int64_t column_index_offset = 0;
  std::int32_t column_index_bytes = 0;
  std::int64_t offset_index_offset = 0;
  std::int32_t offset_index_bytes = 0;
};

/// The values of one column while a row group is filled: encoded and compressed page by page.
class ColumnChunk {
 public:
  /// `leaf` and `options` must outlive this.
  ColumnChunk(const Leaf& leaf, const PageOptions& options);

  /// Take a level for each value and each null, if the column has such levels.
  RunEncoder& repetitions() { return repetitions_; }
  RunEncoder& definitions() { return definitions_; }
  /// Counts them.
  void count(std::int64_t values, std::int64_t nulls) {
    values_ += values;
    nulls_ += nulls;
  }

  /// Room for numbers of this many bytes, or for booleans with a byte each.
  std::byte* extend(std::size_t bytes) { return data_.extend(bytes); }
  void add_text(std::string_view text);
  void add_bytes(ByteView bytes);
  void add_fixed_bytes(ByteView bytes) { data_.append(bytes); }

  /// Ends a page if it is large enough; `rows` of the row group are complete.
  void end_rows(std::int64_t rows);
  /// Bytes of the row group so far, as a reader has them behind decompression.
  std::uint64_t unpacked_bytes() const;
  /// About how much memory they take here.
  std::uint64_t held_bytes() const;
  /// Passes everything to `out`, which writes it at `offset` of the file, and begins again.
  ChunkEntry end(std::int64_t rows, std::int64_t offset, const BytesOut& out);

 private:
  void begin_page();
  void end_page(std::int64_t rows);
  void add_runs(RunEncoder& runs);
  Encoding add_values();
  bool add_deltas();
  /// Appends a page with its header to `to`. Returns the bytes of header and page, not compressed.
  std::size_t put_page(Buffer& to, bool is_dictionary, std::int64_t values, Encoding encoding,
                       ByteView page);

  std::uint64_t open_bytes() const;

  const Leaf& leaf_;
  const PageOptions& options_;
  RunEncoder repetitions_;
  RunEncoder definitions_;
  RunEncoder indexes_;
  Buffer data_;  ///< values of this page
  TextDictionary dictionary_;
  bool has_dictionary_;  ///< values of this page are indexes
  std::vector<std::uint32_t> index_;
  std::int64_t values_ = 0;
  std::int64_t nulls_ = 0;
  std::int64_t first_row_ = 0;
  Statistics statistics_;
  Buffer page_;    ///< a page before it is compressed
  Buffer packed_;  ///< and behind
  Buffer pages_;   ///< all pages that are complete
  ChunkEntry entry_;
};

}  // namespace kitbag::parquet
