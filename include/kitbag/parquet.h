#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/arrow.h"
#include "kitbag/arrow_ipc.h"
#include "kitbag/export.h"
#include "kitbag/file.h"
#include "kitbag/table.h"

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
//
// parquet_reader() reads files of any writer:
//
//   auto table = parquet_reader(session.file_system(path)->open(path), path);
//   ArrowArray batch;
//   while (table->next(&batch)) use(batch);
//
// What a column becomes:
//
//   BOOLEAN, FLOAT, DOUBLE, integers   the same type; FLOAT16 is float32
//   STRING, ENUM, JSON                 utf8
//   TIMESTAMP, INT96                   timestamp, of UTC if it is adjusted to it
//   DATE, TIME                         date32, time32 or time64
//   DECIMAL                            float64
//   other bytes                        binary, fixed-size binary
//   LIST, MAP, what repeats            list; a map is a list of structs `key`, `value`
//   groups                             struct

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
  /// What the file says of itself, by keys of the caller's. UTF-8.
  std::vector<std::pair<std::string, std::string>> key_values = {};
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

/// The rows of a Parquet file, in order. One thread at a time. next() throws Error: corrupt,
/// truncated with the offset in the file; unsupported for a compression or an encoding that it does
/// not read; limit if a page, or a few rows, take much more memory than such a file should need;
/// and as the file does.
class ParquetReader : public Columns {
 public:
  /// Returns how many rows the file says that it has.
  virtual std::uint64_t rows() const = 0;
  /// Returns what the file says of itself, by keys of its writer's, in its order.
  virtual const std::vector<std::pair<std::string, std::string>>& key_values() const = 0;
};

/// How a Parquet file is read.
struct ParquetReadOptions {
  /// A batch ends with this many rows, at the end of a row group, or with about this many bytes.
  std::uint64_t batch_rows = 1 << 16;
  std::uint64_t batch_bytes = 16 << 20;  ///< of Arrow buffers
};

/// Returns a reader of `file`, whose pages it reads one by one: it holds one of each column, and a
/// batch. `name` is the file in errors. Throws Error: corrupt, truncated, limit if its end is not
/// that of a Parquet file; unsupported if it is encrypted, or a pipe; and as `file` does.
KITBAG_API std::unique_ptr<ParquetReader> parquet_reader(std::shared_ptr<const ReadFile> file,
                                                         std::string name,
                                                         const ParquetReadOptions& options = {});

}  // namespace kitbag
