#pragma once

#include <memory>
#include <string>

#include "export/hdf5/column.h"

namespace kitbag::hdf5 {

/// The values of a buffer of an array.
template <class T>
const T* buffer_of(const ArrowArray& array, std::size_t buffer) {
  return static_cast<const T*>(array.buffers[buffer]);
}

/// What `valid` says, and the array itself.
Validity combined(const ArrowArray& array, std::int64_t first, std::int64_t count,
                  const Validity& valid);

/// The dataset that says which values of another one there are: from the first null on.
class Mask {
 public:
  /// `of`: the name of the other one, which is in `place`.
  Mask(const ColumnPlace& place, const std::string& of);

  /// Of as many values as were added to the column, in whole rows.
  void append(const Validity& valid, std::int64_t count);
  std::uint64_t held_bytes() const { return dataset_ ? dataset_->held_bytes() : 0; }
  void flush() {
    if (dataset_) dataset_->flush();
  }

 private:
  ColumnPlace place_;
  std::string name_;
  std::unique_ptr<Dataset> dataset_;
  std::uint64_t values_ = 0;
};

/// Creates a column of numbers, booleans or texts; null for other types. Nulls are zero, NaN where
/// there is one, false, or empty.
std::unique_ptr<Column> make_leaf(const ArrowSchema& schema, const ColumnPlace& place);

/// The size in the format of an Arrow type, such as 36 of "+w:36".
std::size_t width_of(const ArrowSchema& schema);

}  // namespace kitbag::hdf5
