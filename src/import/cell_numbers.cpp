#include "import/cell_numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/lines.h"
#include "import/time_text.h"
#include "kitbag/codec.h"
#include "kitbag/error.h"

// What is written as a number in some way is taken if nothing is lost by it: a real number that is
// whole, a boolean, a text. Nothing is rounded. A CellInteger has the 64 bits and whether they are
// above INT64_MAX, so both kinds of integers of 64 bits go through one type.

namespace kitbag {

namespace {

template <class T>
std::optional<T> parsed(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The integer that a real is; nothing if it is not whole, or too large.
std::optional<CellInteger> whole(double value) {
  constexpr double kEnd = 18446744073709551616.0;  // 2^64
  // Not `!=`, so that NaN is none.
  if (!(std::trunc(value) == value) || value >= kEnd || value < -kEnd / 2) return std::nullopt;
  if (value < 0) return CellInteger{static_cast<std::int64_t>(value)};
  auto number = static_cast<std::uint64_t>(value);
  return CellInteger{static_cast<std::int64_t>(number), number > INT64_MAX};
}

}  // namespace

Bounds bounds_of(const Type& type) {
  Kind kind = type.kind == Kind::enumeration ? type.base : type.kind;
  bool is_signed =
      kind == Kind::int8 || kind == Kind::int16 || kind == Kind::int32 || kind == Kind::int64;
  auto bits = static_cast<unsigned>(8 * scalar_bytes(kind));
  if (!is_signed) return {0, UINT64_MAX >> (64 - bits)};
  std::int64_t most = INT64_MAX >> (64 - bits);
  return {-most - 1, static_cast<std::uint64_t>(most)};
}

std::optional<double> parsed_real(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc()) return value;  // nan, inf and infinity are among them
  return std::nullopt;
}

std::optional<bool> boolean_of(std::string_view text) {
  text = trimmed(text);
  for (const char* yes : {"true", "True", "TRUE", "1"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"false", "False", "FALSE", "0"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

namespace {

std::optional<CellInteger> integer_of_text(const Type& type, std::string_view text) {
  if (type.kind == Kind::enumeration) {
    for (const Enumerator& each : type.enumerators) {
      if (each.name == text) return CellInteger{each.value};
    }
  }
  text = trimmed(text);
  if (auto number = parsed<std::int64_t>(text)) return CellInteger{*number};
  if (auto number = parsed<std::uint64_t>(text)) {
    return CellInteger{static_cast<std::int64_t>(*number), true};
  }
  // pandas writes integers of a column in which one is missing as "3.0".
  if (auto number = parsed_real(text)) return whole(*number);
  if (auto yes = boolean_of(text)) return CellInteger{*yes ? 1 : 0};
  return std::nullopt;
}

}  // namespace

std::optional<CellInteger> integer_in(const Type& type, const Cell& cell) {
  if (cell.is_integer()) return cell.integer();
  if (cell.is_boolean()) return CellInteger{cell.boolean() ? 1 : 0};
  if (cell.is_real()) return whole(cell.real());
  if (cell.is_text()) return integer_of_text(type, cell.text());
  return std::nullopt;
}

std::int64_t time_in(const Cell& cell, bool is_duration, std::int64_t unit_ns) {
  std::optional<std::int64_t> ns;
  if (cell.is_temporal()) {
    ns = cell.nanoseconds();
  } else if (cell.is_integer()) {
    CellInteger number = cell.integer();
    std::int64_t product = 0;
    bool is_out = number.is_large ||
                  __builtin_mul_overflow(number.value, unit_ns > 0 ? unit_ns : 1, &product);
    if (!is_out) ns = product;
  } else if (cell.is_real()) {
    ns = scaled_number(cell.real(), unit_ns > 0 ? unit_ns : kNsPerSecond);
  } else if (cell.is_text()) {
    ns = is_duration ? duration_of_text(cell.text(), unit_ns) : time_of_text(cell.text(), unit_ns);
  }
  if (ns) return *ns;
  throw Error(ErrorCode::invalid, fmt::format("expected a {}, got {}",
                                              is_duration ? "duration" : "time", cell.describe()));
}

void UnitOfColumn::check(const Cell& cell, std::uint64_t row, const PlaceOfRow& place_of_row) {
  if (!cell.is_text()) return;
  std::string_view text = trimmed(cell.text());
  NumberForm form = number_form(text);
  if (form == NumberForm::none || form == form_) return;
  if (form_ == NumberForm::none) {
    form_ = form;
    text_ = text;
    place_ = place_of_row(row);  // readers do not know it for ever
    return;
  }
  bool is_whole = form == NumberForm::whole;
  throw Error(ErrorCode::invalid,
              fmt::format("{} is {}, but {} in {} is {}, so their unit is not clear; name the unit "
                          "of the times",
                          text, is_whole ? "a whole number" : "not a whole number", text_, place_,
                          is_whole ? "not" : "one"));
}

}  // namespace kitbag
