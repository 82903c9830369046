#include "plot/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "kitbag/text.h"

// Numbers of an axis are doubles of any size, from a bag that may hold anything, and so each step
// here has a guard: a range that is padded cannot overflow, one that is narrower than the digits of
// a double is widened, and ticks end where the next one is no greater number.
//
// Steps are 1, 2 or 5 times a power of ten. 1e-9 of a step is the tolerance for what is equal,
// since neither log10() nor a multiple of 0.1 is exact. Labels have as many decimals as the step,
// so that no two are the same and none has a digit that says nothing.
//
// Times are counted in nanoseconds, in integers: seconds since 1970 in a double are exact to 240 ns
// only.

namespace kitbag {
namespace {

constexpr double kRoom = 0.04;         // of the range, on each side
constexpr double kGreatest = 1e308;    // of what is drawn; a range must not overflow
constexpr double kLeastRange = 1e-12;  // of the greatest value; below, digits do not tell
constexpr int kMostDecimals = 6;
constexpr double kLongNumber = 1e7;

constexpr std::int64_t kNs = 1'000'000'000;
constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
/// Steps of times from a second up, in seconds.
constexpr std::int64_t kSteps[] = {1,
                                   2,
                                   5,
                                   10,
                                   15,
                                   30,
                                   kMinute,
                                   2 * kMinute,
                                   5 * kMinute,
                                   10 * kMinute,
                                   15 * kMinute,
                                   30 * kMinute,
                                   kHour,
                                   2 * kHour,
                                   3 * kHour,
                                   6 * kHour,
                                   12 * kHour,
                                   kDay,
                                   2 * kDay,
                                   5 * kDay,
                                   10 * kDay,
                                   20 * kDay,
                                   50 * kDay,
                                   100 * kDay,
                                   200 * kDay,
                                   500 * kDay,
                                   1000 * kDay,
                                   2000 * kDay,
                                   5000 * kDay,
                                   10'000 * kDay,
                                   20'000 * kDay,
                                   50'000 * kDay};

/// The least of 1, 2 and 5 times a power of ten that is not below `step`.
double round_step(double step) {
  double power = std::pow(10, std::floor(std::log10(step)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

/// A label for multiples of `step` up to `greatest`.
std::string label_of(double value, double step, double greatest) {
  int place = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  int decimals = std::max(-place, 0);
  if (value == 0) return "0";
  if (greatest < kLongNumber && decimals <= kMostDecimals) {
    return fmt::format("{:.{}f}", value, decimals);
  }
  int digits = static_cast<int>(std::floor(std::log10(greatest))) - place;
  std::string text = fmt::format("{:.{}e}", value, std::clamp(digits, 0, 15));
  std::size_t e = text.find('e');
  if (text.find('.') < e) {  // 1.50e+20 is 1.5e20
    std::size_t end = text.find_last_not_of('0', e - 1);
    if (text[end] == '.') --end;
    text.erase(end + 1, e - end - 1);
    e = end + 1;
  }
  bool is_negative = text[e + 1] == '-';
  std::size_t first = text.find_first_not_of('0', e + 2);
  return text.substr(0, e + 1) + (is_negative ? "-" : "") +
         (first == std::string::npos ? "0" : text.substr(first));
}

/// The least step in nanoseconds with which a range has at most `most` of them.
std::int64_t time_step_ns(double range_s, std::size_t most) {
  double wanted = range_s / static_cast<double>(std::max<std::size_t>(most, 1));
  if (wanted <= 0.5) return static_cast<std::int64_t>(std::max(round_step(wanted * kNs), 1.0));
  for (std::int64_t each : kSteps) {
    if (static_cast<double>(each) >= wanted) return each * kNs;
  }
  return *std::rbegin(kSteps) * kNs;
}

/// `start` and some seconds, as far as a Time goes.
Time after(Time start, double seconds) {
  constexpr double kMost = 9e9;
  double limited = std::clamp(seconds, -2 * kMost, 2 * kMost);
  double whole = std::floor(limited);
  auto ns = static_cast<std::int64_t>(std::llround((limited - whole) * 1e9));
  Duration half(static_cast<std::int64_t>(whole / 2) * kNs);  // as a Duration could overflow
  Duration rest((static_cast<std::int64_t>(whole) - static_cast<std::int64_t>(whole / 2)) * kNs);
  return saturating_add(saturating_add(saturating_add(start, half), rest), Duration(ns));
}

/// What distinguishes times that are multiples of `step_ns`: a day, a time of day, with decimals.
std::string time_label(Time time, std::int64_t step_ns) {
  std::string whole = format_time(time);  // 2026-11-20T14:30:00.500000000Z
  std::size_t t = whole.find('T');
  if (step_ns >= kDay * kNs) return whole.substr(0, t);
  std::string of_day = whole.substr(t + 1);
  if (step_ns >= kMinute * kNs) return of_day.substr(0, 5);
  if (step_ns >= kNs) return of_day.substr(0, 8);
  std::size_t decimals = 0;
  for (std::int64_t unit = kNs; unit > step_ns; unit /= 10) ++decimals;
  return of_day.substr(0, 9 + decimals);
}

}  // namespace

Range padded(double least, double greatest) {
  least = std::clamp(least, -kGreatest / 4, kGreatest / 4);
  greatest = std::clamp(greatest, -kGreatest / 4, kGreatest / 4);
  double size = std::max(std::abs(least), std::abs(greatest));
  double span = greatest - least;
  if (span <= size * kLeastRange || span < 1e-300) {
    double room = size < 1e-290 ? 1 : size * 0.1;
    return {least - room, greatest + room};
  }
  return {least - span * kRoom, greatest + span * kRoom};
}

std::vector<Tick> number_ticks(const Range& range, std::size_t most, bool are_whole) {
  std::vector<Tick> ticks;
  double wanted =
      (range.greatest - range.least) / static_cast<double>(std::max<std::size_t>(most, 1));
  double step = round_step(wanted);
  if (are_whole) step = std::max(step, 1.0);
  double first = std::ceil(range.least / step - 1e-9);
  double greatest = std::max(std::abs(range.least), std::abs(range.greatest));
  for (std::size_t i = 0; i <= most; ++i) {
    double at = (first + static_cast<double>(i)) * step;
    if (at > range.greatest + step * 1e-9) break;
    if (!ticks.empty() && at <= ticks.back().at) break;  // numbers are no finer
    ticks.push_back({at, label_of(at, step, greatest)});
  }
  return ticks;
}

std::vector<Tick> time_ticks(const Range& range, Time start, std::size_t most) {
  std::vector<Tick> ticks;
  std::int64_t step = time_step_ns(range.greatest - range.least, most);
  std::int64_t first = to_ns(after(start, range.least));
  // The first multiple of the step that is not before the range; before 1970 the rest is negative.
  std::int64_t rest = first % step;
  std::int64_t at =
      rest > 0 ? saturating_add(from_ns(first), Duration(step - rest)).time_since_epoch().count()
               : first - rest;
  for (std::size_t i = 0; i <= most; ++i) {
    double seconds = static_cast<double>(at) / 1e9 - static_cast<double>(to_ns(start)) / 1e9;
    // Exact where it can be: the difference in nanoseconds.
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(at, to_ns(start), &difference)) {
      seconds = static_cast<double>(difference) / 1e9;
    }
    if (seconds > range.greatest) break;
    ticks.push_back({seconds, time_label(from_ns(at), step)});
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return ticks;
}

std::string days_of(const Range& range, Time start) {
  auto day = [&](double at) { return format_time(after(start, at)).substr(0, 10); };
  std::string first = day(range.least);
  std::string last = day(range.greatest);
  return first == last ? first : fmt::format("{} to {}", first, last);
}

std::vector<Tick> name_ticks(const Range& range,
                             const std::vector<std::pair<std::int64_t, std::string>>& names,
                             std::size_t most) {
  std::vector<Tick> ticks;
  for (const auto& [value, name] : names) {
    auto at = static_cast<double>(value);
    if (at >= range.least && at <= range.greatest) ticks.push_back({at, name});
  }
  std::sort(ticks.begin(), ticks.end(), [](const Tick& a, const Tick& b) { return a.at < b.at; });
  // Some of the names would be worse than none: the reader could not know that there are others
  // between them. The axis has numbers then.
  if (ticks.size() > most) ticks.clear();
  return ticks;
}

}  // namespace kitbag
