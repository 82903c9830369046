#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "parquet/column_chunk.h"
#include "parquet/schema.h"

// What parquet.thrift says of the structs at the end of a file.

namespace kitbag::parquet {

/// A row group that was written.
struct RowGroupEntry {
  std::int64_t rows = 0;
  std::int64_t offset = 0;         ///< in the file
  std::vector<ChunkEntry> chunks;  ///< by leaf
};

/// What the footer says.
struct Footer {
  const FileSchema* schema = nullptr;
  bool is_compressed = false;  ///< with zstd
  std::int64_t rows = 0;
  std::vector<RowGroupEntry> groups;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string created_by;
};

void put_footer(Buffer& to, const Footer& footer);
/// The ranges of the pages. Returns whether there is one: every page needs a range.
bool put_column_index(Buffer& to, const ChunkEntry& chunk);
/// Where the pages are.
void put_offset_index(Buffer& to, const ChunkEntry& chunk);

}  // namespace kitbag::parquet
