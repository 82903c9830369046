#pragma once

#include <functional>
#include <memory>

#include "kitbag/arrow.h"
#include "kitbag/bytes.h"
#include "kitbag/export.h"

// Arrow tables as bytes, for programs that do not share memory: the Arrow IPC format, which pandas,
// polars, DuckDB, apache-arrow in a browser and many others read. Source:
// https://arrow.apache.org/docs/format/Columnar.html
//
//   to_arrow_stream(columns(*bag, query, request, session), {}, &stream);
//   write_arrow_ipc(stream, [&](ByteView bytes) { send(bytes); });
//
// Buffers begin at multiples of 64 bytes and are not compressed. Only the values that an array
// describes are written, whatever its offset is.

namespace kitbag {

/// Takes bytes in order. What it throws ends the writing.
using BytesOut = std::function<void(ByteView bytes)>;

/// The two forms of the Arrow IPC format.
enum class ArrowIpcForm {
  stream,  ///< read once, in order (.arrows); application/vnd.apache.arrow.stream
  file,    ///< with a footer that says where each batch is (.arrow);
           ///< application/vnd.apache.arrow.file
};

/// Writes record batches of one type. One thread. After an exception, what was written is to be
/// thrown away.
class ArrowIpcWriter {
 public:
  virtual ~ArrowIpcWriter() = default;
  /// Writes a batch, which stays the caller's: a struct array of the schema, none of whose rows is
  /// null. The values of a dictionary are written again whenever they have changed. Throws Error:
  /// invalid if the array is not as the schema says; unsupported if, in a file, a dictionary has
  /// changed other than by growing.
  virtual void write(const ArrowArray& batch) = 0;
  /// Writes the end, without which the table is not complete. No call may follow.
  virtual void finish() = 0;
};

/// Returns a writer that has written the schema: a struct, whose fields are the columns. It stays
/// the caller's. Throws Error: invalid if it is no struct; unsupported for unions, views and
/// run-end encoded columns.
KITBAG_API std::unique_ptr<ArrowIpcWriter> arrow_ipc_writer(
    const ArrowSchema& schema, BytesOut out, ArrowIpcForm form = ArrowIpcForm::stream);

/// Writes all batches of `stream`, which stays the caller's. Throws Error as arrow_ipc_writer() and
/// its writer do, and with the sentence of the stream if that fails: cancelled for EINTR, otherwise
/// io.
KITBAG_API void write_arrow_ipc(ArrowArrayStream& stream, BytesOut out,
                                ArrowIpcForm form = ArrowIpcForm::stream);

}  // namespace kitbag
