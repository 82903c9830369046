#include "storage/sqlite3/pages/record.h"

#include "storage/sqlite3/pages/big_endian.h"

// A record (fileformat2, section 2.1) has the types of all columns first and then their values:
//
//     head size | type, type, ... | value, value, ...
//
// All numbers in the head are varints. A type contains the size of its value, and 0, 1 and NULL
// have no bytes at all. So columns are found without reading values, and a record is sound only if
// the sizes add up to its length exactly. That sum is the only check there is, and it is what the
// search for lost pages relies on. Values may be in overflow pages; integers must be in the leaf,
// where bags have them.

namespace kitbag::sqlite3 {

Column column_of(std::uint64_t serial_type) {
  using Kind = Column::Kind;
  switch (serial_type) {
    case 0:
      return {Kind::null};
    case 1:
    case 2:
    case 3:
    case 4:
      return {Kind::integer, serial_type};
    case 5:
      return {Kind::integer, 6};
    case 6:
      return {Kind::integer, 8};
    case 7:
      return {Kind::real, 8};
    case 8:
    case 9:
      return {Kind::integer, 0, static_cast<std::int64_t>(serial_type - 8)};
    case 10:
    case 11:
      return {};
    default:
      return {serial_type % 2 == 0 ? Kind::blob : Kind::text, (serial_type - 12) / 2};
  }
}

std::int64_t load_signed(ByteView bytes) {
  if (bytes.empty()) return 0;
  std::uint64_t value = static_cast<std::int8_t>(bytes[0]) < 0 ? UINT64_MAX : 0;
  for (std::byte byte : bytes) value = (value << 8) | static_cast<std::uint64_t>(byte);
  return static_cast<std::int64_t>(value);
}

bool parse_record(ByteView local, std::uint64_t size, std::vector<Column>& columns) {
  columns.clear();
  std::size_t at = 0;
  auto head_bytes = take_varint(local, at);
  if (!head_bytes || *head_bytes < at || *head_bytes > local.size()) return false;
  ByteView head = local.first(static_cast<std::size_t>(*head_bytes));
  std::uint64_t offset = *head_bytes;
  while (at < head.size()) {
    auto type = take_varint(head, at);
    if (!type) return false;
    Column column = column_of(*type);
    column.offset = offset;
    if (column.size > size || offset > size - column.size) return false;
    bool is_local = offset + column.size <= local.size();
    if (column.kind == Column::Kind::integer && column.size > 0) {
      if (!is_local) return false;
      column.integer = load_signed(
          local.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(column.size)));
    }
    offset += column.size;
    columns.push_back(column);
  }
  return offset == size;
}

}  // namespace kitbag::sqlite3
