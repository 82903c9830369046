#include "storage/sqlite3/message_row.h"

#include "storage/sqlite3/big_endian.h"
#include "storage/sqlite3/record.h"
#include "storage/sqlite3/tables.h"

namespace kitbag::sqlite3 {

std::optional<MessageRow> parse_message(const Row& row) {
  // The usual record by hand: a head of single-byte types but for the last.
  std::size_t at = 0;
  auto head = take_varint(row.local, at);
  if (!head || *head > row.local.size()) return std::nullopt;
  ByteView types = row.local.first(static_cast<std::size_t>(*head));
  std::uint64_t offset = *head;
  MessageRow message;
  message.row = row;
  for (std::size_t column = 0; column <= kDataColumn; ++column) {
    auto type = take_varint(types, at);
    if (!type) return std::nullopt;
    Column found = column_of(*type);
    if (found.size > row.size || offset > row.size - found.size) return std::nullopt;
    if (column == kTopicColumn || column == kTimeColumn) {
      if (found.kind != Column::Kind::integer || offset + found.size > row.local.size()) {
        return std::nullopt;
      }
      std::int64_t value =
          found.size == 0 ? found.integer
                          : load_signed(row.local.subspan(static_cast<std::size_t>(offset),
                                                          static_cast<std::size_t>(found.size)));
      (column == kTopicColumn ? message.topic_id : message.time_ns) = value;
    } else if (column == kDataColumn) {
      if (found.kind != Column::Kind::blob && found.kind != Column::Kind::text) return std::nullopt;
      message.data_offset = offset;
      message.data_bytes = found.size;
    }
    offset += found.size;
  }
  while (at < types.size()) {  // columns that somebody has added
    auto type = take_varint(types, at);
    if (!type) return std::nullopt;
    std::uint64_t bytes = column_of(*type).size;
    if (bytes > row.size || offset > row.size - bytes) return std::nullopt;
    offset += bytes;
  }
  if (offset != row.size) return std::nullopt;
  return message;
}

}  // namespace kitbag::sqlite3
