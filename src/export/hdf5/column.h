#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "export/hdf5/dataset.h"
#include "export/hdf5/names.h"
#include "kitbag/arrow.h"

namespace kitbag::hdf5 {

/// Which of some values there are: a byte for each, 1 or 0. Empty: all.
using Validity = std::vector<std::byte>;

/// Where a column is to be.
struct ColumnPlace {
  hid_t group = -1;
  Names* names = nullptr;      ///< of the group
  Dimensions dimensions = {};  ///< of a row, by the fixed-size lists around the column
};

/// A column of an Arrow table as datasets. Every call is made under a Lock.
class Column {
 public:
  virtual ~Column() = default;
  /// Adds `count` values of `array` from `first` on. `valid`: which of them exist, as far as the
  /// structures around the column say.
  virtual void append(const ArrowArray& array, std::int64_t first, std::int64_t count,
                      const Validity& valid) = 0;
  virtual std::uint64_t held_bytes() const = 0;
  /// Writes what waits.
  virtual void flush() = 0;
  /// Texts in which something was replaced.
  virtual std::uint64_t replaced_texts() const { return 0; }
};

/// Creates the datasets of a column. Throws Error: unsupported for types that columns() does not
/// make, and for fixed-size lists in more levels than libhdf5 has.
std::unique_ptr<Column> make_column(const ArrowSchema& schema, const ColumnPlace& place);

/// The columns of a struct, in the group of `place`.
std::vector<std::unique_ptr<Column>> make_fields(const ArrowSchema& schema,
                                                 const ColumnPlace& place);

}  // namespace kitbag::hdf5
