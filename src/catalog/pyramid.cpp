#include "catalog/pyramid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/little_endian.h"
#include "catalog/packed_bytes.h"
#include "kitbag/error.h"

// The layout, before zstd (docs/catalog.md): a byte for the version, the number of parts, the
// messages of each; the number of fields, and for each its path and, column by column, the counts,
// the least, the greatest and the mean values of the parts. Columns, because they compress better
// than rows.

namespace kitbag::catalog {
namespace {

constexpr std::uint8_t kPackedVersion = 1;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr float kInfiniteFloat = std::numeric_limits<float>::infinity();

/// The nearest number with 32 bits that is not above, or not below.
float at_most(double value) {
  auto rounded = static_cast<float>(value);
  return double(rounded) > value ? std::nextafter(rounded, -kInfiniteFloat) : rounded;
}
float at_least(double value) {
  auto rounded = static_cast<float>(value);
  return double(rounded) < value ? std::nextafter(rounded, kInfiniteFloat) : rounded;
}

template <class Number>
void put(std::vector<std::byte>& into, Number value) {
  std::byte bytes[sizeof(Number)];
  store_le(bytes, value);
  into.insert(into.end(), bytes, bytes + sizeof(Number));
}

void put_real(std::vector<std::byte>& into, float value) {
  put(into, std::bit_cast<std::uint32_t>(value));
}

[[noreturn]] void throw_damaged() {
  throw Error(ErrorCode::corrupt,
              "what the catalog knows of a bag's numbers is damaged; remove "
              "the bag from the catalog and add it again");
}

class Reading {
 public:
  explicit Reading(ByteView bytes) : cursor_(bytes) {}

  template <class Number>
  Number number() {
    auto value = cursor_.number<Number>();
    if (!value) throw_damaged();
    return *value;
  }
  double real() { return std::bit_cast<float>(number<std::uint32_t>()); }
  std::string text() {
    auto bytes = cursor_.sized_bytes();
    if (!bytes) throw_damaged();
    return std::string(as_text(*bytes));
  }
  /// Elements that are still to come, of so many bytes each at least.
  std::size_t count(std::size_t bytes) {
    std::size_t count = number<std::uint32_t>();
    if (count > cursor_.left() / bytes) throw_damaged();
    return count;
  }
  /// How many parts a bag has, of which at least a number of 64 bits is to come each.
  std::size_t parts() {
    std::size_t parts = count(sizeof(std::uint64_t));
    if (parts > kMostParts) throw_damaged();
    return parts;
  }

 private:
  Cursor cursor_;
};

Buffer unpacked(ByteView bytes) {
  auto raw = decompressed(bytes);
  if (!raw) throw_damaged();
  return std::move(*raw);
}

}  // namespace

std::size_t Parts::index_of(Time time) const {
  if (count == 0 || time <= start) return 0;
  auto index = static_cast<std::uint64_t>(saturating_difference(start, time) / duration);
  return static_cast<std::size_t>(std::min<std::uint64_t>(index, count - 1));
}

Time Parts::begin_of(std::size_t index) const {
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(duration.count(), static_cast<std::int64_t>(index), &ns)) {
    return Time::max();
  }
  return saturating_add(start, Duration(ns));
}

/// Of 1, 2, 4 ... seconds, the least that need no more than kMostParts of them.
Parts parts_of(Time start, Time end) {
  Duration all = saturating_difference(start, end);
  Parts parts{start, std::chrono::seconds(1), 1};
  while (all / parts.duration >= static_cast<std::int64_t>(kMostParts)) parts.duration *= 2;
  parts.count = static_cast<std::size_t>(all / parts.duration) + 1;
  return parts;
}

std::optional<ValueBounds> Pyramid::bounds(const std::string& path, std::size_t first,
                                           std::size_t last) const {
  auto field = fields.find(path);
  if (field == fields.end()) return std::nullopt;
  ValueBounds bounds{kInfinite, -kInfinite, false};
  for (std::size_t i = first; i < std::min(last, field->second.size()); ++i) {
    const NumberPart& part = field->second[i];
    // In some messages the field is missing or NaN, of which the bounds say nothing.
    bounds.has_others = bounds.has_others || part.count != messages[i];
    if (part.count == 0) continue;
    bounds.least = std::min(bounds.least, part.least);
    bounds.most = std::max(bounds.most, part.most);
  }
  return bounds;
}

std::vector<std::byte> pack(const Pyramid& pyramid) {
  std::vector<std::byte> raw;
  put(raw, kPackedVersion);
  put(raw, static_cast<std::uint32_t>(pyramid.messages.size()));
  for (std::uint64_t messages : pyramid.messages) put(raw, messages);
  put(raw, static_cast<std::uint32_t>(pyramid.fields.size()));
  for (const auto& [path, parts] : pyramid.fields) {
    put(raw, static_cast<std::uint32_t>(path.size()));
    ByteView text = as_bytes(path);
    raw.insert(raw.end(), text.begin(), text.end());
    for (const NumberPart& part : parts) put(raw, part.count);
    for (const NumberPart& part : parts) put_real(raw, at_most(part.least));
    for (const NumberPart& part : parts) put_real(raw, at_least(part.most));
    for (const NumberPart& part : parts) put_real(raw, static_cast<float>(part.mean));
  }
  return compressed(raw);
}

Pyramid unpack_pyramid(ByteView bytes) {
  Buffer raw = unpacked(bytes);
  Reading reading(raw.view());
  if (reading.number<std::uint8_t>() != kPackedVersion) throw_damaged();
  Pyramid pyramid;
  pyramid.messages.resize(reading.parts());
  for (std::uint64_t& messages : pyramid.messages) messages = reading.number<std::uint64_t>();
  std::size_t fields = reading.count(sizeof(std::uint32_t));
  for (std::size_t i = 0; i < fields; ++i) {
    auto& parts = pyramid.fields[reading.text()];
    parts.resize(pyramid.messages.size());
    for (NumberPart& part : parts) part.count = reading.number<std::uint64_t>();
    for (NumberPart& part : parts) part.least = reading.real();
    for (NumberPart& part : parts) part.most = reading.real();
    for (NumberPart& part : parts) part.mean = reading.real();
    for (const NumberPart& part : parts) {
      // Not `least > most`, as NaN is damage, too.
      if (part.count > 0 && !(part.least <= part.most)) throw_damaged();
    }
  }
  return pyramid;
}

std::vector<std::byte> pack(const std::vector<std::uint64_t>& counts) {
  std::vector<std::byte> raw;
  put(raw, kPackedVersion);
  put(raw, static_cast<std::uint32_t>(counts.size()));
  for (std::uint64_t count : counts) put(raw, count);
  return compressed(raw);
}

std::vector<std::uint64_t> unpack_counts(ByteView bytes) {
  Buffer raw = unpacked(bytes);
  Reading reading(raw.view());
  if (reading.number<std::uint8_t>() != kPackedVersion) throw_damaged();
  std::vector<std::uint64_t> counts(reading.parts());
  for (std::uint64_t& count : counts) count = reading.number<std::uint64_t>();
  return counts;
}

}  // namespace kitbag::catalog
