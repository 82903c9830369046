#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/bytes.h"

// What the footer of a Parquet file says, as it is read. metadata.h has what is written.

namespace kitbag::parquet {

/// The values of the enumeration Type of parquet.thrift; Physical has those that are written.
enum class StoredType : std::uint8_t {
  boolean = 0,
  int32 = 1,
  int64 = 2,
  int96 = 3,
  float32 = 4,
  float64 = 5,
  bytes = 6,
  fixed_bytes = 7,
};

/// What values mean: a LogicalType, or a ConvertedType that says the same.
enum class Logical : std::uint8_t {
  none,
  text,  ///< also the names of enumerations
  json,
  list,
  map,
  integer,
  decimal,
  date,
  time_of_day,
  timestamp,
  float16,
};

/// A node of the schema: SchemaElement of parquet.thrift.
struct StoredElement {
  std::string name;
  std::optional<StoredType> type = {};  ///< nothing: it has children, which follow
  std::int32_t width = 0;               ///< of fixed_bytes
  std::int32_t repetition = 0;          ///< 0 required, 1 optional, 2 repeated
  std::int32_t children = 0;
  Logical logical = Logical::none;
  std::int32_t bits = 0;   ///< of an integer
  bool is_signed = true;   ///< an integer
  std::int32_t scale = 0;  ///< of a decimal: digits behind the point
  std::int32_t unit = 0;   ///< of times: 1 milliseconds, 2 microseconds, 3 nanoseconds
  bool is_in_utc = false;  ///< a timestamp
};

/// Where the values of a column in a row group are: ColumnMetaData.
struct StoredChunk {
  StoredType type = StoredType::boolean;
  std::int32_t codec = 0;
  std::int64_t values = 0;  ///< nulls included
  std::int64_t packed_bytes = 0;
  std::int64_t offset = 0;  ///< of the first page, in the file
};

struct StoredGroup {
  std::vector<StoredChunk> chunks;  ///< by leaf
  std::int64_t rows = 0;
  std::int64_t unpacked_bytes = 0;
};

/// FileMetaData.
struct StoredFooter {
  std::vector<StoredElement> elements;  ///< the root first, each in front of its children
  std::int64_t rows = 0;
  std::vector<StoredGroup> groups;
  std::vector<std::pair<std::string, std::string>> metadata;
};

/// A page of a column: PageHeader.
struct PageHeader {
  enum class Kind : std::uint8_t { data = 0, index = 1, dictionary = 2, data_v2 = 3 };
  static constexpr std::int32_t kRuns = 3;

  Kind kind = Kind::data;
  std::int32_t unpacked_bytes = 0;
  std::int32_t packed_bytes = 0;
  std::int32_t values = 0;  ///< nulls included
  std::int32_t encoding = 0;
  // Of data, encodings of the levels; those of data_v2 are runs:
  std::int32_t definition_encoding = kRuns;
  std::int32_t repetition_encoding = kRuns;
  // Of data_v2:
  std::int32_t definition_bytes = 0;
  std::int32_t repetition_bytes = 0;
  bool is_compressed = true;
};

/// Throws Error (truncated, corrupt) with the offset in `bytes`.
StoredFooter read_footer(ByteView bytes);

/// Reads the header at the beginning of `bytes`, which may go on behind it. Returns it and its
/// size. Throws Error likewise.
std::pair<PageHeader, std::size_t> read_page_header(ByteView bytes);

}  // namespace kitbag::parquet
