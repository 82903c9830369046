#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/arrow.h"
#include "kitbag/arrow_ipc.h"
#include "kitbag/bag.h"
#include "kitbag/parquet.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "kitbag/table.h"
#include "kitbag/transcode.h"

// Messages as tables. columns() decodes the fields that are asked for, and nothing else, into the
// columns of Arrow record batches, which NumPy, pandas, polars, DuckDB and many others take without
// copying (arrow.h):
//
//   auto bag = session.open("drive.bag");
//   auto table = columns(*bag, {.select = {.topics = {"/odom"}}},
//                        {.fields = {"pose.pose.position.x", "twist.twist.linear"}}, session);
//   ArrowArray batch;
//   while (table->next(&batch)) use(batch);
//
// A row is a message. Its columns are `time`, `topic` and the fields. What a type becomes:
//
//   boolean, numbers           the same type; octet and character are uint8, wide_char uint16
//   texts                      utf8; a byte that is not UTF-8 becomes U+FFFD
//   enumeration                its integer; the names are in the metadata "kitbag.enumerators"
//   time, duration             timestamp[ns] (UTC), duration[ns]
//   array, sequence            fixed-size list (up to 4096 elements), list; of bytes binary
//   structure, union           struct; of a union, all branches but the selected one are null
//   a value without a type, and a structure that contains itself    utf8, as JSON
//
// Messages of several types share columns by name. A field that a topic does not have is null. If
// the types of a field differ, the wider one is used; if there is none, the column is JSON.

namespace kitbag {

/// The time of a row.
enum class RowTime {
  log_time,
  publish_time,
  header_stamp,  ///< the field header.stamp; of topics that have none, the log time
};

/// What columns() is to read.
struct ColumnsRequest {
  /// Paths of fields, each a column with that name: "pose.position.x"; "poses[].x", a list with one
  /// value for each element, and the same without brackets; "ranges[3]", one element, null if there
  /// are fewer. Empty: the fields of each message, structures as structs. A field whose name is
  /// that of another column gets "_" behind its own.
  std::vector<std::string> fields = {};
  bool has_fields = true;            ///< false: no fields; nothing is decoded
  RowTime time = RowTime::log_time;  ///< what the column `time` has
  bool has_topic = true;             ///< there is a column `topic`
  /// A batch ends with this many rows, or with about this many bytes.
  std::uint64_t batch_rows = 1 << 16;
  std::uint64_t batch_bytes = 64 << 20;  ///< of Arrow buffers
  /// The first batch ends after this many rows, and each one after it has twice as many, up to
  /// `batch_rows`: for those who may need only a few. 0: all batches have `batch_rows`.
  std::uint64_t first_batch_rows = 0;
  /// Number of threads that decode while the caller's reads on; 1: none, the caller's decodes. 0:
  /// the number of processors if decoding takes long enough to pay for it, else 1. The batches are
  /// the same. With more than one thread, each can hold a batch, and 64 MiB of messages may wait.
  unsigned threads = 0;
  /// Messages that cannot be decoded: with OnError::raw, their fields are null.
  OnError on_error = OnError::stop;
  /// Updated as messages are read; may be null, otherwise it must outlive the Columns.
  TranscodeReport* report = nullptr;
  /// Called with what is worth knowing of the columns, by columns(): topics without the fields that
  /// are asked for, or without a header stamp; types that differ.
  OnWarning on_warning = {};
};

/// Returns the messages of `source` as columns. Its channels must be known: channels that it finds
/// later are part of the columns that there are. Throws Error: not_found if no channel has a field
/// of `request`, invalid for a path that is none and for batches of 0 rows, and as type_of() does
/// with OnError::stop.
KITBAG_API std::unique_ptr<Columns> columns(std::unique_ptr<Source> source,
                                            const ColumnsRequest& request, const Session& session);

/// The same for what `query` selects of a bag. Topics that have none of the fields are not read.
KITBAG_API std::unique_ptr<Columns> columns(const Bag& bag, const Query& query,
                                            const ColumnsRequest& request, const Session& session);

/// Makes `out` a stream of the batches, for those who read the Arrow C stream interface. Errors
/// become errno values with the sentence of the Error: EINTR if `stop` is requested, ENOMEM, EIO.
KITBAG_API void to_arrow_stream(std::unique_ptr<Columns> columns, const std::stop_token& stop,
                                ArrowArrayStream* out);

/// Writes all batches in the Arrow IPC format. Throws Error as Columns::next() and `out` do.
KITBAG_API void write_arrow_ipc(Columns& columns, BytesOut out,
                                ArrowIpcForm form = ArrowIpcForm::stream, const Wait& wait = {});

/// Writes all batches as a Parquet file. Throws Error as Columns::next(), parquet_writer() and
/// `out` do.
KITBAG_API void write_parquet(Columns& columns, BytesOut out, const ParquetOptions& options = {},
                              const Wait& wait = {});

}  // namespace kitbag
