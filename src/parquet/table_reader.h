#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "arrow/column.h"
#include "kitbag/arrow.h"
#include "kitbag/file.h"
#include "parquet/leaf_reader.h"
#include "parquet/table_schema.h"

namespace kitbag::parquet {

/// The rows of one row group, in batches. One thread.
class TableReader {
 public:
  /// All of them must outlive this. Throws Error (corrupt) if the group is not as the schema says.
  TableReader(const ReadFile& file, const TableSchema& schema, const StoredGroup& group);

  std::uint64_t rows_left() const { return rows_left_; }
  /// Adds the next rows to `table`, a column of TableSchema::type: at most `most_rows`, and about
  /// `most_bytes`. Throws Error as LeafReader does, and limit if a few rows take very much.
  void read(arrow::Column& table, std::uint64_t most_rows, std::uint64_t most_bytes,
            const std::stop_token& stop);

 private:
  void read_rows(const TableNode& node, arrow::Column& column, std::uint64_t rows);
  void read_flat_rows(const TableNode& node, arrow::Column& column, std::uint64_t rows);
  void read_value(const TableNode& node, arrow::Column& column);
  void read_list(const TableNode& node, arrow::Column& column);
  void read_leaf_elements(const TableNode& list, arrow::Column& column);
  void add_values(const TableNode& node, arrow::Column& column, std::size_t count);
  void add_texts(const TableNode& node, arrow::Column& column, std::size_t count);
  void add_fixed(const TableNode& node, arrow::Column& column, std::size_t count,
                 std::size_t width);
  void add_levels(const TableNode& node, arrow::Column& column, std::size_t count);
  void skip_missing(const TableNode& node, std::uint8_t definition);
  void charge(std::uint64_t bytes);
  LeafReader& leaf_with_more(std::size_t index);

  const TableSchema& schema_;
  std::vector<std::unique_ptr<LeafReader>> leaves_;
  std::uint64_t rows_left_;
  std::uint64_t budget_ = 0;  ///< bytes that may still be added
  std::uint64_t known_rows_ = 0;
  std::uint64_t known_bytes_ = 0;  ///< that these took
  std::vector<std::byte> raw_;
  std::stop_token stop_;
};

}  // namespace kitbag::parquet
