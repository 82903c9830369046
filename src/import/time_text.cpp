#include "import/time_text.h"

#include <charconv>
#include <cmath>
#include <string>

#include "base/lines.h"
#include "kitbag/error.h"
#include "kitbag/text.h"

// Texts of times in tables: ISO 8601, with a space for the T as well, or a number in a unit that
// was named. Without a name, a whole number is nanoseconds, and one with a point or an exponent is
// seconds. Digits are added up as integers, since nanoseconds since 1970 need more bits than the 53
// of a double.
//
// Durations are also read as pandas prints them. In "-1 days +23:00:00" each part has a sign of its
// own, and the sum is minus one hour.

namespace kitbag {

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::size_t kDateSize = 10;  // 2026-01-01

bool is_digit_of_number(char c) {
  return c >= '0' && c <= '9';
}

/// A number as people and programs write one: digits, with a point and an exponent at most.
bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789+-.eE") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

bool is_fraction(std::string_view number) {
  return number.find_first_of(".eE") != std::string_view::npos;
}

std::optional<std::int64_t> number_in(std::string_view text, std::int64_t unit_ns) {
  return scaled_number(text, unit_ns > 0 ? unit_ns : is_fraction(text) ? kSecondNs : 1);
}

bool is_date(std::string_view text) {
  return text.size() >= kDateSize && text[4] == '-' && text[7] == '-';
}

}  // namespace

NumberForm number_form(std::string_view text) {
  text = trimmed(text);
  if (!is_number(text) || is_date(text)) return NumberForm::none;
  return is_fraction(text) ? NumberForm::fraction : NumberForm::whole;
}

std::optional<std::int64_t> scaled_number(double value, std::int64_t unit_ns) {
  // Whole units and the rest apart: a double has no room for both.
  double whole = std::trunc(value);
  if (!std::isfinite(value) || std::abs(whole) > 9.2e18) return std::nullopt;
  std::int64_t ns = 0;
  double rest = std::round((value - whole) * static_cast<double>(unit_ns));
  bool is_out = __builtin_mul_overflow(static_cast<std::int64_t>(whole), unit_ns, &ns) ||
                __builtin_add_overflow(ns, static_cast<std::int64_t>(rest), &ns);
  if (is_out) return std::nullopt;
  return ns;
}

std::optional<std::int64_t> scaled_number(std::string_view text, std::int64_t unit_ns) {
  if (!is_number(text)) return std::nullopt;
  if (text.find_first_of("eE") != std::string_view::npos) {
    if (text.front() == '+') text.remove_prefix(1);
    double value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return scaled_number(value, unit_ns);
  }
  bool is_negative = text.front() == '-';
  if (is_negative || text.front() == '+') text.remove_prefix(1);
  std::int64_t ns = 0;
  std::size_t at = 0;
  // Downwards, as there is one negative number more than positive ones.
  for (; at < text.size() && is_digit_of_number(text[at]); ++at) {
    bool is_out = __builtin_mul_overflow(ns, 10, &ns) ||
                  __builtin_sub_overflow(ns, std::int64_t{text[at] - '0'}, &ns);
    if (is_out) return std::nullopt;
  }
  if (__builtin_mul_overflow(ns, unit_ns, &ns)) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != '.') return std::nullopt;
    std::int64_t rest = 0;  // in tenths of a nanosecond, to round by the last one
    std::int64_t place = unit_ns;
    for (++at; at < text.size(); ++at) {
      if (!is_digit_of_number(text[at])) return std::nullopt;
      rest += (text[at] - '0') * place;
      place /= 10;
    }
    if (__builtin_sub_overflow(ns, (rest + 5) / 10, &ns)) return std::nullopt;
  }
  if (is_negative) return ns;
  if (ns == INT64_MIN) return std::nullopt;
  return -ns;
}

std::optional<std::int64_t> time_of_text(std::string_view text, std::int64_t unit_ns) {
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  if (!is_date(text)) return number_in(text, unit_ns);
  std::string iso(text);
  if (iso.size() > kDateSize && iso[kDateSize] == ' ') iso[kDateSize] = 'T';
  try {
    TimePoint point = parse_time(iso);
    if (point.from != TimePoint::From::epoch) return std::nullopt;
    return point.offset.count();
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<std::int64_t> duration_of_text(std::string_view text, std::int64_t unit_ns) {
  text = trimmed(text);
  std::size_t days_end = text.find(" day");
  std::size_t clock = text.find_first_of(':');
  if (days_end == std::string_view::npos && clock == std::string_view::npos) {
    return text.empty() ? std::nullopt : number_in(text, unit_ns);
  }
  constexpr std::int64_t kHourNs = 3600 * kSecondNs;
  std::int64_t ns = 0;
  if (days_end != std::string_view::npos) {
    auto days = scaled_number(text.substr(0, days_end), 24 * kHourNs);
    if (!days) return std::nullopt;
    ns = *days;
    text.remove_prefix(days_end + 4);
    if (text.starts_with('s')) text.remove_prefix(1);
    text = trimmed(text);
    if (text.empty()) return ns;
  }
  bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t of_day = 0;
  for (std::int64_t unit : {kHourNs, 60 * kSecondNs, kSecondNs}) {
    std::size_t end = unit == kSecondNs ? text.size() : text.find(':');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view part = text.substr(0, end);
    if (part.empty() || !is_digit_of_number(part.front())) return std::nullopt;
    auto value = scaled_number(part, unit);
    if (!value || __builtin_add_overflow(of_day, *value, &of_day)) return std::nullopt;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (__builtin_add_overflow(ns, is_negative ? -of_day : of_day, &ns)) return std::nullopt;
  return ns;
}

}  // namespace kitbag
