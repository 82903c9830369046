#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "kitbag/arrow.h"
#include "sql/sqlite.h"

namespace kitbag::sql {

/// A struct of the Arrow C data interface that is released with its owner.
template <class Held>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { release(); }

  /// For a function that fills it. What it held is released.
  Held* fill() {
    release();
    return &held_;
  }
  void release() {
    if (held_.release) held_.release(&held_);
    held_.release = nullptr;
  }
  bool is_empty() const { return held_.release == nullptr; }
  const Held* operator->() const { return &held_; }
  const Held& operator*() const { return held_; }

 private:
  Held held_{};
};

/// Gives a value of a column to SQLite: numbers and times (in nanoseconds) as numbers, texts, bytes
/// as a BLOB, everything else as JSON.
void give_value(sqlite3_context* context, const ArrowSchema& schema, const ArrowArray& array,
                std::int64_t row);

/// Appends a value as JSON. Times are nanoseconds, bytes are base64, NaN is null.
void append_json(std::string& text, const ArrowSchema& schema, const ArrowArray& array,
                 std::int64_t row);

}  // namespace kitbag::sql
