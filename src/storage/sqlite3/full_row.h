#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/sqlite3/pages/stored_text.h"
#include "storage/sqlite3/row_layout.h"
#include "storage/sqlite3/tables.h"

namespace kitbag::sqlite3 {

/// A row with all of its columns at hand, which are called by their numbers in rosbag2's order.
class FullRow {
 public:
  /// `record` and `scratch` are memory that it uses while it lives. Throws Error (corrupt).
  FullRow(const PageFile& file, const Row& row, const RowLayout& layout, TextEncoding encoding,
          Buffer& record, Buffer& scratch);

  std::int64_t row_id() const { return row_id_; }
  /// The number in the first column, which mostly is the row's id.
  std::int64_t id() const;
  std::int64_t integer(std::size_t column) const;
  std::string text(std::size_t column) const;
  /// The bytes of a text, as they are stored.
  ByteView stored_text(std::size_t column) const;
  bool is_null(std::size_t column) const;
  Table table() const { return table_of(columns_, record_); }

 private:
  const Column* find(std::size_t column) const;

  std::int64_t row_id_;
  ByteView record_;
  const RowLayout* layout_;
  TextEncoding encoding_;
  std::vector<Column> columns_;
};

}  // namespace kitbag::sqlite3
