#pragma once

#include "kitbag/arrow.h"
#include "kitbag/export.h"
#include "kitbag/time.h"

// A table as record batches, whatever it comes from: messages (columns.h, align.h), a file
// (parquet.h, csv.h), another library (import_table.h).

namespace kitbag {

/// Record batches. One thread at a time.
class Columns {
 public:
  virtual ~Columns() = default;
  /// Describes the columns, as the fields of a struct. The caller releases `out`.
  virtual void schema(ArrowSchema* out) const = 0;
  /// Gives the next batch: a struct array. The caller releases `out`, on any thread; it stays valid
  /// after this object and the session. Returns false at the end, and leaves `out` released then.
  /// Throws Error: cancelled if `wait.stop` is requested, and as the source does; with
  /// OnError::stop as located() describes; limit if the values of one column take more than 2 GiB.
  virtual bool next(ArrowArray* out, const Wait& wait = {}) = 0;
};

}  // namespace kitbag
