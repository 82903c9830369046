#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/time.h"
#include "payload/condition_bounds.h"

namespace kitbag::catalog {

/// Equal parts of the time of a bag. The last one has its end in it.
struct Parts {
  Time start{};         ///< of the first part
  Duration duration{};  ///< of each, whole seconds, at least one
  std::size_t count = 0;

  std::size_t index_of(Time time) const;
  Time begin_of(std::size_t index) const;
};

/// Returns parts for a bag from `start` to `end`: one a second, or fewer than kMostParts.
Parts parts_of(Time start, Time end);
inline constexpr std::size_t kMostParts = 256;

/// The numbers of one field in one part.
struct NumberPart {
  std::uint64_t count = 0;  ///< of values that are numbers
  double least = 0;
  double most = 0;
  double mean = 0;
};

/// How the numbers in the messages of a channel go: of each numeric field that is in no list, in
/// each part of the bag.
struct Pyramid {
  std::vector<std::uint64_t> messages;                    ///< that were decoded, by part
  std::map<std::string, std::vector<NumberPart>> fields;  ///< by path; the parts as `messages`

  /// What is known of a field in some parts, from `first` to before `last`. Nothing: the field is
  /// not one of these.
  std::optional<ValueBounds> bounds(const std::string& path, std::size_t first,
                                    std::size_t last) const;
};

/// Returns a pyramid as bytes, compressed. The numbers are stored with 32 bits; least and most are
/// rounded away from the other, so that every value stays between them.
std::vector<std::byte> pack(const Pyramid& pyramid);
/// Throws Error (corrupt) for bytes that pack() has not returned.
Pyramid unpack_pyramid(ByteView bytes);

/// Returns counts as bytes, and the other way round. Throws Error (corrupt).
std::vector<std::byte> pack(const std::vector<std::uint64_t>& counts);
std::vector<std::uint64_t> unpack_counts(ByteView bytes);

}  // namespace kitbag::catalog
