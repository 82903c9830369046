#pragma once

#include <kitbag/codec.h>

#include <cstdint>
#include <memory>
#include <optional>

/// CBOR (RFC 8949) as an encoding of payloads. A structure is a map by the names of its fields; a
/// list of numbers is a typed array (RFC 8746), a list of bytes a byte string; a missing value is
/// null. Payloads are self-describing: they can be decoded without a schema.
namespace cbor {

/// The high three bits of the first byte of an item.
enum class Major : std::uint8_t {
  unsigned_integer,
  negative_integer,
  bytes,
  text,
  array,
  map,
  tag,
  simple,  ///< and floating-point numbers
};

/// The low five bits of the first byte.
namespace additional {
constexpr std::uint8_t kOneByte = 24;  ///< the argument follows in one byte, then two, four, eight
constexpr std::uint8_t kIndefinite = 31;
constexpr std::uint8_t kFalse = 20;
constexpr std::uint8_t kTrue = 21;
constexpr std::uint8_t kNull = 22;
constexpr std::uint8_t kUndefined = 23;
constexpr std::uint8_t kHalf = 25;
constexpr std::uint8_t kSingle = 26;
constexpr std::uint8_t kDouble = 27;
}  // namespace additional

/// The tag of a typed array of such elements, little-endian.
std::optional<std::uint64_t> tag_of(const kitbag::Type& element);

/// The type of a sequence of what a typed array with that tag holds; null: it is another tag, or an
/// order of bytes or a kind of number that kitbag does not have.
const kitbag::Type* sequence_of_tag(std::uint64_t tag);

/// Of a byte string that nothing says more about.
const kitbag::Type& bytes_type();

std::unique_ptr<kitbag::Decoder> make_decoder(const kitbag::TypePtr& type);
std::unique_ptr<kitbag::Encoder> make_encoder(const kitbag::TypePtr& type,
                                              const kitbag::CodecOptions& options);

}  // namespace cbor
