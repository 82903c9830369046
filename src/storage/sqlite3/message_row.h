#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "storage/sqlite3/pages/table.h"
#include "storage/sqlite3/row_layout.h"

namespace kitbag::sqlite3 {

/// Where the records of `messages` have their columns: as rosbag2 creates the table, unless it is
/// said otherwise.
struct MessageColumns {
  std::size_t topic = 1;
  std::size_t time = 2;
  std::size_t data = 3;
  std::size_t count = 4;  ///< columns of the whole record
  // Of rows whose record ends before the column; nothing: they are none.
  std::optional<std::int64_t> default_topic;
  std::optional<std::int64_t> default_time;

  /// Whether they are those that rosbag2 creates.
  bool are_usual() const { return topic == 1 && time == 2 && data == 3 && count == 4; }
};

/// The row of a message, parsed.
struct MessageRow {
  Row row;
  std::int64_t topic_id = 0;
  std::int64_t time_ns = 0;
  std::uint64_t data_offset = 0;  ///< in the record
  std::uint64_t data_bytes = 0;
};

/// Nothing if the record is not a message. Throws Error (io).
std::optional<MessageRow> parse_message(const PageFile& file, const Row& row,
                                        const MessageColumns& columns);

}  // namespace kitbag::sqlite3
