#include "parquet/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

// A text may be long, and its bounds are in the file twice. So of a long one, a beginning is the
// lower bound, and a beginning whose last letter is replaced by the next one the upper bound. Both
// are cut between characters, as readers take them for texts.

namespace kitbag::parquet {

namespace {

constexpr std::size_t kMostBoundBytes = 64;

std::string_view beginning(std::string_view text) {
  auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  std::size_t size = kMostBoundBytes;
  while (size > 0 && is_inside(text[size])) --size;
  return text.substr(0, size);
}

/// Something that is after all texts which begin like `text`, or the text itself if that is not
/// short to say.
std::string upper_bound(std::string_view text) {
  constexpr char kLastAscii = 0x7E;
  std::string_view front = beginning(text);
  for (std::size_t i = front.size(); i > 0; --i) {
    char last = front[i - 1];
    if (last < 0 || last >= kLastAscii) continue;
    std::string bound(front.substr(0, i));
    ++bound.back();
    return bound;
  }
  return std::string(text);
}

template <class T>
T load(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

template <class T>
void Statistics::add_numbers(ByteView values) {
  if (values.empty()) return;
  T least = load<T>(as_text(values));
  T most = least;
  bool has_nan = false;
  for (std::size_t at = 0; at < values.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, values.data() + at, sizeof value);
    least = value < least ? value : least;
    most = value > most ? value : most;
    if constexpr (std::is_floating_point_v<T>) has_nan |= value != value;
  }
  has_nan_ |= has_nan;
  if constexpr (std::is_floating_point_v<T>) {  // the two zeros are equal: both are within
    if (least == 0) least = -T{0};
    if (most == 0) most = T{0};
  }
  take(as_text(std::as_bytes(std::span(&least, 1))), as_text(std::as_bytes(std::span(&most, 1))));
}

void Statistics::add_values(ByteView values) {
  bool is_unsigned = order_ == Order::is_unsigned;
  switch (type_) {
    case Physical::boolean:
      return add_numbers<std::uint8_t>(values);
    case Physical::int32:
      return is_unsigned ? add_numbers<std::uint32_t>(values) : add_numbers<std::int32_t>(values);
    case Physical::int64:
      return is_unsigned ? add_numbers<std::uint64_t>(values) : add_numbers<std::int64_t>(values);
    case Physical::float32:
      return add_numbers<float>(values);
    case Physical::float64:
      return add_numbers<double>(values);
    default:
      return;
  }
}

void Statistics::add_text(std::string_view text) {
  if (order_ != Order::bytes) return;
  bool is_long = text.size() > kMostBoundBytes;
  // What is within the bounds, even if those are cut, changes nothing.
  bool is_within = has_value_ && text >= least_ && text <= most_;
  if (is_within) return;
  if (!has_value_ || text < least_) {
    least_ = is_long ? beginning(text) : text;
    is_least_cut_ = is_long;
  }
  if (!has_value_ || text > most_) {
    most_ = is_long ? upper_bound(text) : std::string(text);
    is_most_cut_ = most_ != text;
  }
  has_value_ = true;
}

void Statistics::add(const Statistics& other) {
  has_nan_ |= other.has_nan_;
  if (!other.has_value_) return;
  bool is_lower = !has_value_ || is_less(other.least_, least_);
  bool is_higher = !has_value_ || is_less(most_, other.most_);
  if (is_lower) is_least_cut_ = other.is_least_cut_;
  if (is_higher) is_most_cut_ = other.is_most_cut_;
  take(other.least_, other.most_);
}

void Statistics::take(std::string_view least, std::string_view most) {
  if (!has_value_ || is_less(least, least_)) least_ = least;
  if (!has_value_ || is_less(most_, most)) most_ = most;
  has_value_ = true;
}

bool Statistics::is_less(std::string_view a, std::string_view b) const {
  bool is_unsigned = order_ == Order::is_unsigned;
  switch (type_) {
    case Physical::int32:
      return is_unsigned ? load<std::uint32_t>(a) < load<std::uint32_t>(b)
                         : load<std::int32_t>(a) < load<std::int32_t>(b);
    case Physical::int64:
      return is_unsigned ? load<std::uint64_t>(a) < load<std::uint64_t>(b)
                         : load<std::int64_t>(a) < load<std::int64_t>(b);
    case Physical::float32:
      return load<float>(a) < load<float>(b);
    case Physical::float64:
      return load<double>(a) < load<double>(b);
    default:
      return a < b;  // char_traits compares as unsigned bytes
  }
}

}  // namespace kitbag::parquet
