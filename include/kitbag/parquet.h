#pragma once

#include <cstdint>
#include <memory>

#include "kitbag/arrow.h"
#include "kitbag/arrow_ipc.h"
#include "kitbag/export.h"

// Arrow tables as Parquet files, which DuckDB, pandas, polars, Spark and many others read. Source:
// https://parquet.apache.org/docs/file-format/
//
//   auto file = session.file_system(path)->create(path, {});
//   write_parquet(*columns(*bag, query, request, session),
//                 [&](ByteView bytes) { file->append(bytes); });
//   file->commit();
//
// What a column becomes:
//
//   boolean, float32, float64  the same type
//   integers                   INT32 or INT64, with their number of bits and sign
//   texts                      STRING; JSON for columns that are
//   timestamps                 TIMESTAMP in milliseconds to nanoseconds
//   durations                  INT64
//   bytes                      BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY
//   lists of any kind          LIST
//   structs                    groups; one without fields has a field `empty`
//   dictionaries of texts      STRING
//
// The Arrow schema is in the file too, under the name that Arrow uses, so that its readers give
// durations and lists of fixed length back as such, and the metadata of columns.

namespace kitbag {

/// How a Parquet file is written.
struct ParquetOptions {
  /// Level of zstd from -7 to 22; 0: pages are not compressed.
  int zstd_level = 1;
  /// A row group ends after about this many bytes of values, encoded and not compressed. A writer
  /// holds one, compressed, and a page of each column.
  std::uint64_t row_group_bytes = 64 << 20;
  /// A page of a column ends after about this many bytes of values.
  std::uint64_t page_bytes = 1 << 20;
};

/// Writes record batches of one type. One thread. After an exception, what was written is to be
/// thrown away.
class ParquetWriter {
 public:
  virtual ~ParquetWriter() = default;
  /// Takes a batch, which stays the caller's: a struct array of the schema, none of whose rows is
  /// null. Throws Error: invalid if the array is not as the schema says; limit if a value does not
  /// fit into a page, which holds 2 GiB.
  virtual void write(const ArrowArray& batch) = 0;
  /// Ends the row group, and passes it on. Does nothing if it has no rows.
  virtual void end_row_group() = 0;
  /// About how many bytes are held until the row group ends.
  virtual std::uint64_t held_bytes() const = 0;
  /// Writes the end, without which the file is none. No call may follow.
  virtual void finish() = 0;
};

/// Returns a writer for tables of `schema`: a struct, whose fields are the columns. It stays the
/// caller's. Throws Error: invalid if it is no struct, or has no fields; unsupported for types that
/// the list above does not have.
KITBAG_API std::unique_ptr<ParquetWriter> parquet_writer(const ArrowSchema& schema, BytesOut out,
                                                         const ParquetOptions& options = {});

}  // namespace kitbag
