#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kitbag/arrow.h"
#include "sql/answer.h"
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

bool is_null(const ArrowArray& array, std::int64_t row);

/// Returns a value of a column of times or of 64-bit integers.
std::int64_t integer_value(const ArrowArray& array, std::int64_t row);

/// Returns a value of a column of texts or of bytes.
std::string_view text_at(const ArrowArray& array, std::int64_t row);

/// Returns a value of a column: numbers and times (in nanoseconds) as numbers, texts, bytes,
/// everything else as JSON, which `text` keeps. Of a dictionary, the value that it stands for.
Value value_at(const ArrowSchema& schema, const ArrowArray& array, std::int64_t row,
               std::string& text);

/// Gives the same to SQLite.
void give_value(sqlite3_context* context, const ArrowSchema& schema, const ArrowArray& array,
                std::int64_t row);

/// Returns a number as a real one. Nothing: it is null, or no number.
std::optional<double> real_at(const ArrowSchema& schema, const ArrowArray& array, std::int64_t row);

/// The elements of a list in a column.
struct Elements {
  const ArrowSchema* schema = nullptr;  ///< of the elements; null: they are bytes
  const ArrowArray* array = nullptr;    ///< what holds them
  std::string_view bytes = {};
  std::int64_t begin = 0;  ///< in `array`, or in `bytes`
  std::int64_t count = 0;
};

/// Returns the elements of a list, a list of fixed length or bytes. A list that is null, and a
/// value that is no list, have none.
Elements elements_of(const ArrowSchema& schema, const ArrowArray& array, std::int64_t row);

/// Gives one of the elements to SQLite, as give_value() does.
void give_element(sqlite3_context* context, const Elements& elements, std::int64_t index);

/// Appends a value as JSON. Times are nanoseconds, bytes are base64, NaN is null.
void append_json(std::string& text, const ArrowSchema& schema, const ArrowArray& array,
                 std::int64_t row);

}  // namespace kitbag::sql
