#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "import/cell.h"
#include "import/time_text.h"
#include "kitbag/type.h"

// What a cell of a table is as a number, a boolean or a time, whatever the table stores it as.

namespace kitbag {

inline constexpr std::int64_t kNsPerSecond = 1'000'000'000;

/// What integers a kind holds.
struct Bounds {
  std::int64_t least = 0;
  std::uint64_t most = 0;

  bool has(CellInteger number) const {
    if (number.is_large) return static_cast<std::uint64_t>(number.value) <= most;
    return number.value >= least &&
           (number.value < 0 || static_cast<std::uint64_t>(number.value) <= most);
  }
};
/// Of an integer or an enumeration.
Bounds bounds_of(const Type& type);

/// The real number that a text is, "nan" and "inf" included; nothing if it is none.
std::optional<double> parsed_real(std::string_view text);
/// Nothing if it is none, as "true", "False" or "1".
std::optional<bool> boolean_of(std::string_view text);
/// The integer in `cell`, for a field of `type`: the names of its enumeration are some, too, and
/// real numbers that are whole. Nothing if it has none. Its bounds are not checked.
std::optional<CellInteger> integer_in(const Type& type, const Cell& cell);

/// Returns the time in `cell` in nanoseconds; `unit_ns` as ImportRequest::time_unit_ns. Throws
/// Error (invalid) if it is none.
std::int64_t time_in(const Cell& cell, bool is_duration, std::int64_t unit_ns);

/// Where a row is, for people: "line 3".
using PlaceOfRow = std::function<std::string(std::uint64_t row)>;

/// Whether the numbers of a column of texts have one unit, where none is named: whole ones are
/// nanoseconds, the others seconds, and a program that writes 1, 1.5, 2 means one of both.
class UnitOfColumn {
 public:
  /// Throws Error (invalid) if `cell` has a number of the other form than a row before.
  void check(const Cell& cell, std::uint64_t row, const PlaceOfRow& place_of_row);

 private:
  NumberForm form_ = NumberForm::none;
  std::string text_;   ///< the first number
  std::string place_;  ///< where it is
};

}  // namespace kitbag
