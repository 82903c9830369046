#pragma once

#include <cstdint>
#include <optional>

#include "storage/sqlite3/table.h"

namespace kitbag::sqlite3 {

/// The row of a message, parsed.
struct MessageRow {
  Row row;
  std::int64_t topic_id = 0;
  std::int64_t time_ns = 0;
  std::uint64_t data_offset = 0;  ///< in the record
  std::uint64_t data_bytes = 0;
};

/// Nothing if the record is not a message.
std::optional<MessageRow> parse_message(const Row& row);

}  // namespace kitbag::sqlite3
