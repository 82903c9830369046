#pragma once

#include <memory>

#include "arrow/target.h"
#include "kitbag/codec.h"
#include "kitbag/session.h"

namespace kitbag {

/// Adds the values of messages to columns, a row for each message. Converts numbers to the types of
/// the columns; its functions throw Error (limit) for a value that does not fit.
class RowVisitor : public Visitor {
 public:
  /// Before each message; the one before may have ended in the middle.
  virtual void begin() = 0;
};

/// `target` must outlive the visitor.
std::unique_ptr<RowVisitor> make_row_visitor(const arrow::Target& target, const Session& session);

}  // namespace kitbag
