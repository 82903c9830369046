#pragma once

#include "kitbag/bytes.h"

namespace kitbag::arrow {

/// Reads what is wanted of payloads of one type, and passes over the rest. One thread.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Adds a row to the columns of its Target. Returns false if the payload is not as this reader
  /// expects: it is damaged, or unusual. Some columns may have got a value by then; the caller
  /// removes these and decodes the payload. Throws Error (limit) as Column does.
  virtual bool read(ByteView payload) = 0;
};

}  // namespace kitbag::arrow
