#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kitbag/export.h"
#include "kitbag/file.h"
#include "kitbag/table.h"

// Reads tables in CSV (RFC 4180): a line with the names of the columns, then a line for each row.
// Values may be quoted, and have line breaks, delimiters and doubled quotes in them then. All
// columns are texts (utf8); messages_from() reads numbers, times and JSON in them as the fields of
// the type want it.

namespace kitbag {

/// How CSV is read.
struct CsvOptions {
  char delimiter = ',';  ///< between values: no quote, no line break
  /// A batch ends with this many rows, or with about this many bytes.
  std::uint64_t batch_rows = 1 << 13;
  std::uint64_t batch_bytes = 4 << 20;  ///< of texts
};

/// The rows of a CSV file, in order. One thread at a time. next() throws Error (corrupt, truncated,
/// limit), which names the line, and as the file does.
class CsvReader : public Columns {
 public:
  /// Returns the line of the file, from 1, on which row `row` of the table begins, from 0. It must
  /// be a row of the batch that next() gave last.
  virtual std::uint64_t line_of(std::uint64_t row) const = 0;
};

/// Returns a reader of `file`, which may be a pipe, and which it reads in order. `name` is the file
/// in errors. Throws Error: invalid for a delimiter that is none; corrupt for a file without a line
/// of names, or with a name twice; and as `file` does.
KITBAG_API std::unique_ptr<CsvReader> csv_reader(std::shared_ptr<const ReadFile> file,
                                                 std::string name, const CsvOptions& options = {});

}  // namespace kitbag
