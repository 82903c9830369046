#include "server/bags/seconds.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

// A double has 53 bits: at today's seconds it is exact to some 200 ns, and two messages of 100 ns
// apart would be one. So decimals are moved as digits, into whole nanoseconds. Negative numbers
// round down, as positive ones do, hence the digit more when something is cut off.

namespace kitbag::server {
namespace {

constexpr std::int64_t kNsDigits = 9;
/// No Time has as many digits; more cannot be meant.
constexpr std::int64_t kMostExponent = 30;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::optional<Time> parse_seconds(std::string_view text) {
  bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  std::string digits;
  std::int64_t decimals = 0;
  std::size_t at = 0;
  bool has_point = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !has_point) {
      has_point = true;
    } else if (is_digit(text[at])) {
      if (digits.size() > 400) return std::nullopt;
      digits += text[at];
      decimals += has_point ? 1 : 0;
    } else {
      break;
    }
  }
  if (digits.empty()) return std::nullopt;
  std::int64_t exponent = 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::string_view rest = text.substr(at + 1);
    if (rest.starts_with('+')) rest.remove_prefix(1);
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
    if (error != std::errc() || end != rest.data() + rest.size()) return std::nullopt;
    if (exponent > kMostExponent || exponent < -kMostExponent) return std::nullopt;
  } else if (at < text.size()) {
    return std::nullopt;
  }
  // The digits stand for so many decimals; a Time has nine.
  // "1.5e3" has the digits 15, one decimal and the exponent 3: nine decimals lack eleven zeros.
  std::int64_t missing = kNsDigits - (decimals - exponent);
  bool is_rounded = false;
  if (missing >= 0) {
    digits.append(static_cast<std::size_t>(missing), '0');
  } else {
    std::size_t kept = digits.size() - std::min(digits.size(), static_cast<std::size_t>(-missing));
    is_rounded = digits.find_first_not_of('0', kept) != std::string::npos;
    digits.resize(kept);
  }
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) digits = "0";
  std::int64_t ns = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ns);
  if (error != std::errc()) return std::nullopt;
  if (is_negative) ns = -ns - (is_rounded ? 1 : 0);
  return from_ns(ns);
}

std::string seconds_text(Duration duration) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t seconds = duration.count() / kSecond;
  std::int64_t rest = duration.count() % kSecond;
  bool hides_sign = seconds == 0 && rest < 0;
  return fmt::format("{}{}.{:09}", hides_sign ? "-" : "", seconds, rest < 0 ? -rest : rest);
}

std::string seconds_text(Time time) {
  return seconds_text(time.time_since_epoch());
}

std::int64_t whole_seconds(Time time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

}  // namespace kitbag::server
