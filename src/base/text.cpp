#include "kitbag/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/lines.h"
#include "kitbag/error.h"

// Numbers are read and scaled as integers: a double holds a time of our days only to some hundred
// nanoseconds, and a message at the border of a range would fall on the wrong side.
//
// A number is kept as its digits, and multiplied by its unit in 128 bits. What is finer than a
// nanosecond is refused, not rounded, except in sizes. Dates are taken apart by hand: functions of
// the C library depend on the locale and on the zone of the machine, and a bag has neither.

namespace kitbag {
namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86400 * kSecond;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "12.5": a number with a decimal point, as its digits; whole + part / scale.
struct Decimal {
  std::uint64_t whole = 0;
  std::uint64_t part = 0;
  std::uint64_t scale = 1;

  // The number times `unit`; `exact` is set to whether nothing was dropped.
  Wide times(std::uint64_t unit, bool& exact) const {
    Wide small = Wide{part} * unit;
    exact = small % scale == 0;
    return Wide{whole} * unit + small / scale;
  }
};

// Takes digits from the front of `text` and appends them to `number`; how many, or none when they
// are too many for it.
std::optional<std::size_t> take_digits(std::string_view& text, std::uint64_t& number) {
  std::size_t count = 0;
  for (; !text.empty() && is_digit(text.front()); ++count) {
    auto digit = static_cast<std::uint64_t>(text.front() - '0');
    if (__builtin_mul_overflow(number, 10U, &number)) return std::nullopt;
    if (__builtin_add_overflow(number, digit, &number)) return std::nullopt;
    text.remove_prefix(1);
  }
  return count;
}

// Takes a number from the front of `text`: "12", "12.5" or ".5".
std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal number;
  auto whole = take_digits(text, number.whole);
  if (!whole) return std::nullopt;
  if (!text.starts_with('.')) return *whole > 0 ? std::optional(number) : std::nullopt;
  text.remove_prefix(1);
  std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(digits.size());
  if (digits.empty()) return std::nullopt;
  while (digits.ends_with('0')) digits.remove_suffix(1);  // or long tails of zeros overflow
  std::size_t count = digits.size();
  if (!take_digits(digits, number.part)) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    if (__builtin_mul_overflow(number.scale, 10U, &number.scale)) return std::nullopt;
  }
  return number;
}

Error invalid(std::string_view what, std::string_view text, std::string_view forms) {
  return {ErrorCode::invalid, fmt::format("'{}' is not {}; expected {}", text, what, forms)};
}

// --- sizes
// ----------------------------------------------------------------------------------------

constexpr std::string_view kSizeForms =
    "bytes, or a number with k, M, G, T (of 1000) or KiB, MiB, "
    "GiB, TiB (of 1024), as in 768KiB or 1.5GB";

// The bytes in "", "b", "k", "kb", "ki", "kib", ...; 0 for what is none.
std::uint64_t size_unit(std::string_view text) {
  std::string unit(text);
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (unit.ends_with('b')) unit.pop_back();
  bool binary = unit.size() == 2 && unit[1] == 'i';
  if (binary) unit.pop_back();
  if (unit.empty()) return 1;
  std::size_t power = std::string_view("kmgt").find(unit) + 1;
  if (unit.size() != 1 || power == 0) return 0;
  std::uint64_t bytes = 1;
  for (std::size_t i = 0; i < power; ++i) bytes *= binary ? 1024 : 1000;
  return bytes;
}

// --- durations
// ------------------------------------------------------------------------------------

constexpr std::string_view kDurationForms =
    "seconds, or a number with ns, us, ms, s, m, min, h or d, as in 500ms, 2m, 1.5h or 1h30m";

struct DurationUnit {
  std::string_view name;
  std::int64_t ns;
};

constexpr std::array kDurationUnits{
    DurationUnit{"d", kDay},
    DurationUnit{"h", 3600 * kSecond},
    DurationUnit{"min", 60 * kSecond},
    DurationUnit{"m", 60 * kSecond},
    DurationUnit{"s", kSecond},
    DurationUnit{"ms", 1'000'000},
    DurationUnit{"us", 1000},
    DurationUnit{"\u00b5s", 1000},
    DurationUnit{"ns", 1},
};

const DurationUnit* find_duration_unit(std::string_view name) {
  auto named = [name](const DurationUnit& unit) { return unit.name == name; };
  auto found = std::find_if(kDurationUnits.begin(), kDurationUnits.end(), named);
  return found == kDurationUnits.end() ? nullptr : &*found;
}

// Adds `number` units to `total`, both in nanoseconds; `text` is shown in errors.
void add_units(std::int64_t& total, const Decimal& number, std::int64_t unit,
               std::string_view text) {
  bool exact = false;
  Wide ns = number.times(static_cast<std::uint64_t>(unit), exact);
  if (!exact) throw invalid("a supported time", text, "nothing finer than a nanosecond");
  if (ns > static_cast<Wide>(INT64_MAX - total)) {
    throw invalid("a supported time", text, "less than 292 years");
  }
  total += static_cast<std::int64_t>(ns);
}

// Takes letters from the front of `text`; those of a micro sign are no ASCII.
std::string_view take_unit(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && !is_digit(text[count]) && text[count] != ' ' &&
         text[count] != '.') {
    ++count;
  }
  std::string_view unit = text.substr(0, count);
  text.remove_prefix(count);
  return unit;
}

// --- points in time
// -------------------------------------------------------------------------------

constexpr std::string_view kTimeForms =
    "seconds since 1970 (1700000000.25), a date and time (2026-11-20T14:30:00.5Z or +01:00), "
    "+5s from the start or -5s from the end";

// Takes exactly `count` digits from the front of `text`, or gives nothing.
std::optional<int> take_field(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (char c : text.substr(0, count)) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take_char(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Takes "2026-11-20": days since 1970.
std::optional<std::int64_t> take_date(std::string_view& text) {
  auto year = take_field(text, 4);
  if (!year || !take_char(text, "-")) return std::nullopt;
  auto month = take_field(text, 2);
  if (!month || !take_char(text, "-")) return std::nullopt;
  auto day = take_field(text, 2);
  if (!day) return std::nullopt;
  std::chrono::year_month_day date{std::chrono::year(*year),
                                   std::chrono::month(static_cast<unsigned>(*month)),
                                   std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// Takes "14:30": minutes.
std::optional<int> take_hour_minute(std::string_view& text) {
  auto hour = take_field(text, 2);
  if (!hour || *hour > 23 || !take_char(text, ":")) return std::nullopt;
  auto minute = take_field(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  return *hour * 60 + *minute;
}

// Takes ":07.25" or nothing: nanoseconds.
std::optional<std::int64_t> take_seconds(std::string_view& text) {
  if (!take_char(text, ":")) return 0;
  auto second = take_field(text, 2);
  if (!second || *second > 59) return std::nullopt;
  if (!take_char(text, ".")) return *second * kSecond;
  std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  if (count < 1 || count > 9) return std::nullopt;
  auto part = take_field(text, count);
  if (!part) return std::nullopt;
  std::int64_t ns = *part;
  for (; count < 9; ++count) ns *= 10;
  return *second * kSecond + ns;
}

// Takes "Z", "+01:00", "-01:00" or nothing: minutes ahead of UTC.
std::optional<int> take_zone(std::string_view& text) {
  if (text.empty() || take_char(text, "Zz")) return 0;
  bool ahead = text.front() == '+';
  if (!take_char(text, "+-")) return std::nullopt;
  auto minutes = take_hour_minute(text);
  if (!minutes) return std::nullopt;
  return ahead ? *minutes : -*minutes;
}

// A date, alone or with a time of the day: nanoseconds since 1970.
std::optional<std::int64_t> iso_time(std::string_view text) {
  auto days = take_date(text);
  if (!days) return std::nullopt;
  std::int64_t minutes = 0;
  std::int64_t ns = 0;
  if (take_char(text, "Tt ")) {
    auto of_day = take_hour_minute(text);
    if (!of_day) return std::nullopt;
    auto seconds = take_seconds(text);
    if (!seconds) return std::nullopt;
    auto zone = take_zone(text);
    if (!zone) return std::nullopt;
    minutes = *of_day - *zone;
    ns = *seconds;
  }
  if (!text.empty()) return std::nullopt;
  SignedWide total = (static_cast<SignedWide>(*days) * 1440 + minutes) * 60 * kSecond + ns;
  if (total < INT64_MIN || total > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(total);
}

bool looks_like_date(std::string_view text) {
  return text.size() > 4 && text.find('-') != std::string_view::npos;
}

// Through unsigned numbers: the lowest one has no positive counterpart.
std::uint64_t magnitude(std::int64_t number) {
  auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? ~bits + 1 : bits;
}

std::string without_zeros(std::string number) {
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return number;
}

// "03.5", "3", ...: seconds with `width` digits at least before the point.
std::string seconds_text(std::uint64_t ns, std::size_t width) {
  return without_zeros(fmt::format("{:0{}}.{:09}", ns / kSecond, width, ns % kSecond));
}

}  // namespace

std::uint64_t parse_size(std::string_view text) {
  std::string_view rest = trimmed(text);
  auto number = take_decimal(rest);
  std::uint64_t unit = number ? size_unit(trimmed(rest)) : 0;
  if (unit == 0) throw invalid("a size", text, kSizeForms);
  bool exact = false;
  Wide bytes = number->times(unit, exact);
  if (bytes > UINT64_MAX) throw invalid("a supported size", text, "less than 2^64 bytes");
  return static_cast<std::uint64_t>(bytes);
}

Duration parse_duration(std::string_view text) {
  std::string_view rest = trimmed(text);
  std::int64_t total = 0;
  std::int64_t last_unit = INT64_MAX;
  while (last_unit == INT64_MAX || !rest.empty()) {
    bool first = last_unit == INT64_MAX;
    auto number = take_decimal(rest);
    if (!number) throw invalid("a duration", text, kDurationForms);
    rest = trimmed(rest);
    auto* unit = find_duration_unit(rest.empty() && first ? "s" : take_unit(rest));
    if (!unit || unit->ns >= last_unit) throw invalid("a duration", text, kDurationForms);
    add_units(total, *number, unit->ns, text);
    last_unit = unit->ns;
    rest = trimmed(rest);
  }
  return Duration(total);
}

TimePoint parse_time(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (take_char(rest, "+")) return {TimePoint::From::start, parse_duration(rest)};
  if (take_char(rest, "-")) return {TimePoint::From::end, -parse_duration(rest)};
  if (looks_like_date(rest)) {
    auto ns = iso_time(rest);
    if (!ns) throw invalid("a date and time between 1677 and 2262", text, kTimeForms);
    return {TimePoint::From::epoch, Duration(*ns)};
  }
  auto number = take_decimal(rest);
  if (!number || !rest.empty()) throw invalid("a point in time", text, kTimeForms);
  std::int64_t ns = 0;
  add_units(ns, *number, kSecond, text);
  return {TimePoint::From::epoch, Duration(ns)};
}

Time TimePoint::resolve(Time start, Time end) const {
  if (from == From::epoch) return Time(offset);
  std::int64_t ns = 0;
  if (!__builtin_add_overflow(to_ns(from == From::start ? start : end), offset.count(), &ns)) {
    return from_ns(ns);
  }
  return offset.count() < 0 ? Time::min() : Time::max();
}

std::string format_time(Time time) {
  // By hand: the midnight before the earliest time is no Time.
  std::int64_t days = to_ns(time) / kDay;
  std::int64_t of_day = to_ns(time) % kDay;
  if (of_day < 0) {
    --days;
    of_day += kDay;
  }
  std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  std::chrono::hh_mm_ss clock{Duration(of_day)};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::string format_seconds(Time time) {
  std::uint64_t ns = magnitude(to_ns(time));
  return fmt::format("{}{}.{:09}", to_ns(time) < 0 ? "-" : "", ns / kSecond, ns % kSecond);
}

std::string format_duration(Duration duration) {
  constexpr std::uint64_t kMinute = 60 * kSecond;
  std::string text = duration.count() < 0 ? "-" : "";
  std::uint64_t ns = magnitude(duration.count());
  std::uint64_t step = ns >= kSecond ? 1'000'000 : ns >= 1'000'000 ? 1000 : 1;
  ns = (ns + step / 2) / step * step;
  std::uint64_t minutes = ns / kMinute;
  if (minutes == 0) return text + seconds_text(ns, 1) + "s";
  std::uint64_t hours = minutes / 60;
  std::string seconds = seconds_text(ns % kMinute, 2);
  if (hours == 0) return text + fmt::format("{}m {}s", minutes, seconds);
  if (hours < 24) return text + fmt::format("{}h {:02}m {}s", hours, minutes % 60, seconds);
  return text + fmt::format("{}d {:02}h {:02}m {}s", hours / 24, hours % 24, minutes % 60, seconds);
}

std::string format_size(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  std::string_view prefixes = "KMGTPE";
  unsigned shift = 10;
  auto tenths = [&] {
    return static_cast<std::uint64_t>(((Wide{bytes} * 10 << 1U >> shift) + 1) >> 1U);
  };
  while (tenths() >= 10240 && shift < 60) shift += 10;
  return fmt::format("{}.{} {}iB", tenths() / 10, tenths() % 10, prefixes[shift / 10 - 1]);
}

std::string exact_pattern(std::string_view topic) {
  std::string pattern;
  for (char letter : topic) {
    if (std::string_view("*?[\\").find(letter) != std::string_view::npos) pattern += '\\';
    pattern += letter;
  }
  return pattern;
}

}  // namespace kitbag
