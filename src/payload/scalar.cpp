#include "payload/scalar.h"

#include <cmath>
#include <compare>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

// Conditions calculate as Python does: `//` and `%` round down, 1 / 2 is 0.5, and integers are
// exact. Integers of Python grow; here, a result that does not fit into 64 bits is a double. What
// has no result (x / 0, the sum of two times) is nothing, of which no comparison holds. No function
// throws.
//
// PathValues keeps numbers that come packed as the bytes that they are, and makes a Scalar of one
// when it is asked for. A Scalar takes 24 bytes, and a condition on the bytes of a point cloud
// would need millions of them for each message.

namespace kitbag {

namespace {

constexpr double kNsPerSecond = 1e9;

/// Holds every result of two integers of 64 bits, signed or not, but most products.
__extension__ using Wide = __int128;

/// An integer as its sign and its bits, so that all integers compare exactly. Two's complement has
/// negative numbers in the right order among themselves.
std::pair<bool, std::uint64_t> integer_of(const Scalar& value) {
  if (const auto* natural = std::get_if<std::uint64_t>(&value)) return {true, *natural};
  if (const auto* truth = std::get_if<bool>(&value)) return {true, *truth ? 1 : 0};
  auto integer = std::get<std::int64_t>(value);
  return {integer >= 0, static_cast<std::uint64_t>(integer)};
}

/// Nothing for naturals beyond the range.
std::optional<std::int64_t> int64_of(const Scalar& value) {
  if (std::holds_alternative<double>(value)) return std::nullopt;
  auto [is_positive, magnitude] = integer_of(value);
  if (is_positive && magnitude > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(magnitude);
}

/// Unordered: as with a NaN, or unlike kinds.
std::partial_ordering order_of(const Scalar& a, const Scalar& b) {
  if (is_number(a) && is_number(b)) {
    bool is_real = std::holds_alternative<double>(a) || std::holds_alternative<double>(b);
    if (is_real) return real_of(a) <=> real_of(b);
    return integer_of(a) <=> integer_of(b);
  }
  const auto* text = std::get_if<std::string_view>(&a);
  const auto* other_text = std::get_if<std::string_view>(&b);
  if (text && other_text) return *text <=> *other_text;
  const auto* time = std::get_if<Time>(&a);
  const auto* other_time = std::get_if<Time>(&b);
  if (time && other_time) return to_ns(*time) <=> to_ns(*other_time);
  const auto* duration = std::get_if<Duration>(&a);
  const auto* other_duration = std::get_if<Duration>(&b);
  if (duration && other_duration) return duration->count() <=> other_duration->count();
  if ((duration && is_number(b)) || (other_duration && is_number(a))) {
    return real_of(a) <=> real_of(b);
  }
  return std::partial_ordering::unordered;
}

/// Towards minus infinity, as Python rounds.
template <class T>
T floor_quotient(T a, T b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// Nothing for what does not fit into T, and for what has no result.
template <class T>
std::optional<T> calculated_exactly(char sign, T a, T b) {
  T result = 0;
  switch (sign) {
    case '+':
      if (!__builtin_add_overflow(a, b, &result)) return result;
      break;
    case '-':
      if (!__builtin_sub_overflow(a, b, &result)) return result;
      break;
    case '*':
      if (!__builtin_mul_overflow(a, b, &result)) return result;
      break;
    case 'd':
      // The negative of the least number does not fit.
      if (b == -1) return calculated_exactly('-', T{0}, a);
      if (b != 0) return floor_quotient(a, b);
      break;
    case '%':
      // The processor divides here, too, and INT64_MIN / -1 is a trap.
      if (b == -1) return T{0};
      if (b != 0) {
        result = a % b;
        return result != 0 && (result < 0) != (b < 0) ? result + b : result;
      }
      break;
    default:
      break;
  }
  return std::nullopt;
}

Wide wide_of(const Scalar& integer) {
  auto [is_positive, bits] = integer_of(integer);
  return is_positive ? Wide{bits} : Wide{static_cast<std::int64_t>(bits)};
}

/// Of two integers. Nothing for what does not fit into 64 bits, and for what has no result.
Scalar calculated_exactly(char sign, const Scalar& a, const Scalar& b) {
  auto left = int64_of(a);
  auto right = int64_of(b);
  if (left && right) {
    if (auto result = calculated_exactly(sign, *left, *right)) return *result;
  }
  auto result = calculated_exactly(sign, wide_of(a), wide_of(b));
  if (!result || *result < INT64_MIN || *result > Wide{UINT64_MAX}) return {};
  if (*result > INT64_MAX) return static_cast<std::uint64_t>(*result);
  return static_cast<std::int64_t>(*result);
}

Scalar calculated_real(char sign, double a, double b) {
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      break;
  }
  if (b == 0) return {};
  if (sign == '/') return a / b;
  if (sign == 'd') return std::floor(a / b);
  return a - std::floor(a / b) * b;
}

/// Nothing beyond what a duration can hold.
Scalar duration_of(double seconds) {
  double ns = seconds * kNsPerSecond;
  // Below 2^63 by more than a double is rounded.
  constexpr double kMost = 9.2e18;
  if (!(std::abs(ns) < kMost)) return {};
  return Duration(static_cast<std::int64_t>(ns));
}

Scalar calculated_of_times(char sign, const Scalar& a, const Scalar& b) {
  const auto* time = std::get_if<Time>(&a);
  const auto* other_time = std::get_if<Time>(&b);
  if (sign == '-' && time && other_time) return saturating_difference(*other_time, *time);
  // A number beside a time or a duration is seconds.
  auto seconds = [](const Scalar& value) -> Scalar {
    if (is_number(value)) return duration_of(real_of(value));
    return value;
  };
  if (sign == '+' || sign == '-') {
    Scalar left = time ? a : seconds(a);
    Scalar right = other_time ? b : seconds(b);
    if (sign == '+' && other_time) std::swap(left, right);
    const auto* begin = std::get_if<Time>(&left);
    const auto* by = std::get_if<Duration>(&right);
    const auto* duration = std::get_if<Duration>(&left);
    // The negative of the smallest duration is none.
    if (!by || *by == Duration::min()) return {};
    Duration signed_by = sign == '-' ? -*by : *by;
    if (begin) return saturating_add(*begin, signed_by);
    if (duration) return saturating_add(Time(*duration), signed_by).time_since_epoch();
    return {};
  }
  if (time || other_time) return {};
  bool is_quotient = sign == '/' && std::holds_alternative<Duration>(b);
  Scalar result = calculated_real(sign, real_of(a), real_of(b));
  if (is_quotient || sign == 'd' || !std::holds_alternative<double>(result)) return result;
  return duration_of(std::get<double>(result));
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

Scalar load(Kind kind, Kind base, const std::byte* from) {
  switch (kind) {
    case Kind::boolean:
      return load<std::uint8_t>(from) != 0;
    case Kind::int8:
      return std::int64_t{load<std::int8_t>(from)};
    case Kind::int16:
      return std::int64_t{load<std::int16_t>(from)};
    case Kind::int32:
      return std::int64_t{load<std::int32_t>(from)};
    case Kind::int64:
      return load<std::int64_t>(from);
    case Kind::uint8:
    case Kind::octet:
    case Kind::character:
      return std::uint64_t{load<std::uint8_t>(from)};
    case Kind::uint16:
    case Kind::wide_char:
      return std::uint64_t{load<std::uint16_t>(from)};
    case Kind::uint32:
      return std::uint64_t{load<std::uint32_t>(from)};
    case Kind::uint64:
      return load<std::uint64_t>(from);
    case Kind::float32:
      return double{load<float>(from)};
    case Kind::float64:
      return load<double>(from);
    case Kind::enumeration:
      return base == Kind::enumeration ? Scalar() : load(base, base, from);
    default:
      return {};
  }
}

}  // namespace

bool is_number(const Scalar& value) {
  return std::holds_alternative<std::int64_t>(value) ||
         std::holds_alternative<std::uint64_t>(value) || std::holds_alternative<double>(value) ||
         std::holds_alternative<bool>(value);
}

double real_of(const Scalar& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* natural = std::get_if<std::uint64_t>(&value)) {
    return static_cast<double>(*natural);
  }
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  if (const auto* duration = std::get_if<Duration>(&value)) {
    return static_cast<double>(duration->count()) / kNsPerSecond;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

bool holds(Relation relation, const Scalar& a, const Scalar& b) {
  std::partial_ordering order = order_of(a, b);
  switch (relation) {
    case Relation::equal:
      return order == 0;
    case Relation::different:
      return order != 0 && a.index() != 0 && b.index() != 0;
    case Relation::less:
      return order < 0;
    case Relation::at_most:
      return order <= 0;
    case Relation::more:
      return order > 0;
    case Relation::at_least:
      return order >= 0;
  }
  return false;
}

Scalar calculated(char sign, const Scalar& a, const Scalar& b) {
  if (is_number(a) && is_number(b)) {
    bool is_real = std::holds_alternative<double>(a) || std::holds_alternative<double>(b);
    if (sign != '/' && !is_real) {
      Scalar result = calculated_exactly(sign, a, b);
      if (result.index() != 0) return result;
    }
    return calculated_real(sign, real_of(a), real_of(b));
  }
  auto fits = [](const Scalar& value) {
    return is_number(value) || std::holds_alternative<Time>(value) ||
           std::holds_alternative<Duration>(value);
  };
  return fits(a) && fits(b) ? calculated_of_times(sign, a, b) : Scalar();
}

void PathValues::clear() {
  is_list = false;
  values_.clear();
  text_count_ = 0;
  packed_count_ = 0;
  packed_.clear();
}

void PathValues::add(const Scalar& value) {
  if (packed_count_ > 0) unpack();
  values_.push_back(value);
}

void PathValues::add_text(std::string_view text) {
  if (text_count_ == texts_.size()) texts_.emplace_back();
  std::string& kept = texts_[text_count_++];
  kept.assign(text);
  add(std::string_view(kept));
}

void PathValues::add_packed(const Type& type, ByteView bytes) {
  std::size_t size = type.flat_bytes;
  if (size == 0) return;
  bool is_alike = values_.empty() && (packed_count_ == 0 || packed_type_ == &type);
  if (!is_alike) {
    for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
      add(load(type.kind, type.base, bytes.data() + at));
    }
    return;
  }
  packed_type_ = &type;
  packed_count_ += bytes.size() / size;
  packed_.insert(packed_.end(), bytes.begin(), bytes.end());
}

Scalar PathValues::at(std::size_t index) const {
  if (packed_count_ == 0) return values_[index];
  return load(packed_type_->kind, packed_type_->base,
              packed_.data() + index * packed_type_->flat_bytes);
}

void PathValues::unpack() {
  for (std::size_t i = 0; i < packed_count_; ++i) values_.push_back(at(i));
  packed_count_ = 0;
  packed_.clear();
}

}  // namespace kitbag
