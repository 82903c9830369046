#include "storage/sqlite3/message_row.h"

#include <array>

#include "kitbag/error.h"
#include "storage/sqlite3/pages/big_endian.h"
#include "storage/sqlite3/pages/record.h"

// A record of SQLite (file format, 2.1), of a table whose columns may stand in any order:
//
//   size of head  type 0  type 1  type 2 ...  content 0  content 1  content 2 ...
//
// Types are varints that give kind and size, so the place of a content is the sum of the sizes in
// front of it. A row from before a column was added ends early; the column has its default then.
//
// Only the front of a long row lies in the leaf of the table. The payload is not read here; but a
// topic or a time behind it may be in another page.

namespace kitbag::sqlite3 {

namespace {

/// The number that `column` is, where it is not in the leaf: behind a long payload.
[[gnu::cold]] std::optional<std::int64_t> overflowing_integer(const PageFile& file, const Row& row,
                                                              const Column& column) {
  std::array<std::byte, 8> bytes;
  auto number = std::span(bytes).first(static_cast<std::size_t>(column.size));
  try {
    Buffer scratch;
    read_payload(file, row, column.offset, number, scratch);
  } catch (const Error& damage) {
    if (!is_damage(damage.code())) throw;
    return std::nullopt;
  }
  return load_signed(number);
}

/// The number that `column` is; false: it is none.
inline bool take_integer(const PageFile& file, const Row& row, const Column& column,
                         std::optional<std::int64_t>& number) {
  if (column.kind != Column::Kind::integer) return false;
  if (column.size == 0) {
    number = column.integer;
  } else if (column.offset + column.size <= row.local.size()) {
    number = load_signed(row.local.subspan(static_cast<std::size_t>(column.offset),
                                           static_cast<std::size_t>(column.size)));
  } else {
    number = overflowing_integer(file, row, column);
  }
  return number.has_value();
}

}  // namespace

std::optional<MessageRow> parse_message(const PageFile& file, const Row& row,
                                        const MessageColumns& columns) {
  // By hand, because this is done for each message.
  std::size_t at = 0;
  auto head = take_varint(row.local, at);
  if (!head || *head > row.local.size()) return std::nullopt;
  ByteView types = row.local.first(static_cast<std::size_t>(*head));
  std::uint64_t offset = *head;
  MessageRow message;
  message.row = row;
  std::optional<std::int64_t> topic;
  std::optional<std::int64_t> time;
  bool has_data = false;
  std::size_t column = 0;
  for (; at < types.size(); ++column) {
    auto type = take_varint(types, at);
    if (!type) return std::nullopt;
    Column found = column_of(*type);
    if (found.size > row.size || offset > row.size - found.size) return std::nullopt;
    found.offset = offset;
    if (column == columns.topic) {
      if (!take_integer(file, row, found, topic)) return std::nullopt;
    } else if (column == columns.time) {
      if (!take_integer(file, row, found, time)) return std::nullopt;
    } else if (column == columns.data) {
      has_data = found.kind == Column::Kind::blob || found.kind == Column::Kind::text;
      message.data_offset = offset;
      message.data_bytes = found.size;
    }
    offset += found.size;
  }
  if (columns.topic >= column) topic = columns.default_topic;
  if (columns.time >= column) time = columns.default_time;
  if (!topic || !time || !has_data) return std::nullopt;
  if (offset != row.size) return std::nullopt;
  message.topic_id = *topic;
  message.time_ns = *time;
  return message;
}

}  // namespace kitbag::sqlite3
