#pragma once

#include <cstdint>
#include <vector>

#include "arrow/column_type.h"
#include "parquet/file_metadata.h"
#include "parquet/leaf_reader.h"

namespace kitbag::parquet {

/// How the stored values of a leaf become those of an Arrow column.
enum class Conversion : std::uint8_t {
  none,             ///< the same bytes
  narrow,           ///< the lowest bytes of the integer
  text,             ///< bytes that are texts
  bytes,            ///< bytes of any length
  fixed_bytes,      ///< bytes of one length
  int96_time,       ///< a Julian day and nanoseconds
  half,             ///< a real of 16 bits
  integer_decimal,  ///< a decimal as an integer, which becomes a real
  bytes_decimal,    ///< a decimal as bytes, the highest first, which becomes a real
};

/// A column, or a part of one: what its levels mean. Its children are beside those of the
/// arrow::ColumnType that goes with it.
struct TableNode {
  enum class Kind : std::uint8_t { leaf, structure, list };
  Kind kind = Kind::leaf;
  bool is_optional = false;
  std::uint8_t definition = 0;  ///< the level from which on it is there
  // Of a list:
  std::uint8_t repeated_definition = 0;  ///< the level from which on it has an element
  std::uint8_t repetition = 0;           ///< the level of its further elements
  // Its leaves, and those of its children:
  std::size_t first_leaf = 0;
  std::size_t end_leaf = 0;
  // Of a leaf:
  Conversion conversion = Conversion::none;
  double scale = 1;              ///< of a decimal
  std::uint64_t null_bytes = 0;  ///< what a null takes in its column
  std::vector<TableNode> children = {};
};

/// What is in a file that is read.
struct TableSchema {
  arrow::ColumnType type;  ///< a structure, whose fields are the columns
  TableNode root;          ///< beside it
  std::vector<StoredLeaf> leaves;
};

/// Throws Error: corrupt for elements that make no tree, limit for more levels or columns than
/// tables have, unsupported for a file without columns.
TableSchema make_table_schema(const std::vector<StoredElement>& elements);

}  // namespace kitbag::parquet
