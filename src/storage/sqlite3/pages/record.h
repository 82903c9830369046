#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kitbag/bytes.h"

namespace kitbag::sqlite3 {

/// A number of SQLite's own: seven bits a byte, the most significant first, nine bytes at most.
/// Nothing where `bytes` end inside it; `at` is moved behind it.
inline std::optional<std::uint64_t> take_varint(ByteView bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (int i = 0; i < 9; ++i) {
    if (at >= bytes.size()) return std::nullopt;
    auto byte = static_cast<std::uint64_t>(bytes[at++]);
    if (i == 8) return (value << 8) | byte;
    value = (value << 7) | (byte & 0x7F);
    if (byte < 0x80) return value;
  }
  return value;
}

/// What a column holds, by its serial type (fileformat2, section 2.1).
struct Column {
  enum class Kind { null, integer, real, blob, text, unknown };

  Kind kind = Kind::unknown;
  std::uint64_t size = 0;    ///< bytes in the record's body
  std::int64_t integer = 0;  ///< of Kind::integer
  std::uint64_t offset = 0;  ///< in the record
};

/// Kind and size of `serial_type`.
Column column_of(std::uint64_t serial_type);

/// A big-endian signed number of up to eight bytes.
std::int64_t load_signed(ByteView bytes);

/// The columns of a record; `local` is its beginning, of `size` bytes in all. Integers are read
/// where they are in `local`. Nothing for what is no record.
bool parse_record(ByteView local, std::uint64_t size, std::vector<Column>& columns);

}  // namespace kitbag::sqlite3
