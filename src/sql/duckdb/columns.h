#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/columns.h"
#include "kitbag/error.h"
#include "sql/arrow_value.h"

namespace kitbag::sql {

/// Columns for DuckDB. It refuses structures without fields, so they are left out, and so are
/// structures and lists that hold nothing else. Of an Error it keeps the sentence alone; this keeps
/// the Error. One thread at a time.
class DuckDbColumns final : public Columns {
 public:
  /// `failure` is set to what next() throws.
  DuckDbColumns(std::unique_ptr<Columns> columns, std::shared_ptr<std::optional<Error>> failure);

  void schema(ArrowSchema* out) const override;
  bool next(ArrowArray* out, const Wait& wait) override;

  /// Returns the paths of what is left out: "header.empty".
  std::vector<std::string> left_out() const;

 private:
  std::unique_ptr<Columns> columns_;
  std::shared_ptr<std::optional<Error>> failure_;
  Owned<ArrowSchema> whole_;
};

}  // namespace kitbag::sql
