#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/columns.h"
#include "sql/arrow_value.h"
#include "sql/bag_set.h"

namespace kitbag::sql {

/// A row of a batch, which it keeps alive. Empty: there is none.
struct HeldRow {
  std::shared_ptr<const Owned<ArrowArray>> batch = nullptr;
  std::int64_t row = 0;
  Time time{};  ///< log time

  explicit operator bool() const { return batch != nullptr; }
};

/// The messages of a topic in all bags, merged by log time, with some fields. One thread.
class Rows {
 public:
  /// With `is_state_before`, the last messages before `begin` come too. Throws Error.
  Rows(const BagSet& set, const std::string& topic, std::vector<std::string> fields, Time begin,
       Time end, bool is_state_before);

  /// Returns the next row, or an empty one at the end. Throws Error: cancelled if the query is
  /// stopped, and as columns() does.
  HeldRow next();

  /// The type of a field, by its place in `fields`.
  const ArrowSchema& schema(std::size_t field) const { return *schema_->children[field + 1]; }
  /// The values of a field.
  static const ArrowArray& values(const HeldRow& row, std::size_t field) {
    return *(*row.batch)->children[field + 1];
  }

 private:
  const BagSet& set_;
  std::unique_ptr<Columns> columns_;
  Owned<ArrowSchema> schema_;
  std::shared_ptr<Owned<ArrowArray>> batch_;
  std::int64_t row_ = 0;
};

}  // namespace kitbag::sql
