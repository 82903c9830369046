#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/column.h"
#include "kitbag/exporter.h"

namespace kitbag::lerobot {

/// The type of a column of numbers with that dtype, "float32"; of `count` numbers, if that is not
/// 1, a list of fixed size.
arrow::ColumnType number_column(const std::string& name, const std::string& dtype,
                                std::uint64_t count = 1);
/// PNG files, and no path.
arrow::ColumnType picture_column(const std::string& name);

/// Adds a number to a column of number_column() or its element. Throws Error (invalid) if it does
/// not fit.
void add_number(arrow::Column& column, double value);

/// A Parquet file that is written row by row.
class ParquetRows {
 public:
  /// `columns` is a struct.
  ParquetRows(const std::string& name, arrow::ColumnType columns, ExportFolder& folder,
              const ParquetOptions& options);

  /// The columns to add a row to, and then end_row().
  std::vector<arrow::Column>& columns() { return rows_.children(); }
  void end_row();
  void end_row_group();
  /// Bytes that are in the file by now.
  std::uint64_t size_bytes() const { return file_->size(); }
  /// Completes the file, and returns its size.
  std::uint64_t finish();

 private:
  void pass_on();

  std::unique_ptr<arrow::ColumnType> type_;
  std::uint64_t replaced_bytes_ = 0;
  std::shared_ptr<arrow::MemoryPool> pool_;
  arrow::Column rows_;
  std::unique_ptr<WriteFile> file_;
  std::unique_ptr<ParquetWriter> writer_;
};

}  // namespace kitbag::lerobot
