#include "storage/sqlite3/write/message_rows.h"

#include <string>

// One statement inserts 64 rows, because SQLite takes longer to start a statement than to insert a
// small row. Compressed messages are inserted one by one, since the compressor has room for one.
//
// Stamps are stored by the id of the first message. SQLite tells only the id of the last row; the
// ids before it are consecutive, so the first one is counted back from there. A run never spans two
// transactions: if one is rolled back, its stamps must go with its messages.

namespace kitbag::sqlite3 {

namespace {

/// Rows that one statement inserts.
constexpr std::size_t kRowsAtOnce = 64;
/// Messages of one run of stamps.
constexpr std::uint64_t kStampedMessages = 4096;

}  // namespace

MessageRows::MessageRows(Database& database, bool is_compressed) : database_(&database) {
  if (is_compressed) compressor_ = make_compressor("zstd");
  std::string sql = "INSERT INTO messages (timestamp, topic_id, data) VALUES (?, ?, ?)";
  insert_ = database.prepare(sql.c_str());
  for (std::size_t i = 1; i < kRowsAtOnce; ++i) sql += ", (?, ?, ?)";
  insert_many_ = database.prepare(sql.c_str());
}

std::uint64_t MessageRows::put(const Message& message, std::int64_t topic) {
  ByteView data = message.data;
  if (compressor_) {
    compressor_->compress(data, packed_);
    data = packed_.view();
  }
  rows_.push_back({to_ns(message.log_time), topic, data});
  std::uint64_t bytes = data.size() + kRowBytes;
  if (stamped_ == 0) first_row_ = rows_.size() - 1;
  // Without a sign, because two times may lie further apart than a signed number can say.
  auto delay = static_cast<std::int64_t>(static_cast<std::uint64_t>(to_ns(message.publish_time)) -
                                         static_cast<std::uint64_t>(to_ns(message.log_time)));
  stamps_.add({delay, message.sequence});
  bool completes_stamps = ++stamped_ == kStampedMessages;
  bool holds_packed = compressor_ != nullptr;  // which is for one message
  if (rows_.size() == kRowsAtOnce || completes_stamps || holds_packed) insert();
  if (completes_stamps) put_stamps();
  return bytes;
}

void MessageRows::insert() {
  if (rows_.empty()) return;
  if (rows_.size() == kRowsAtOnce) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].bind(insert_many_, static_cast<int>(i * Row::kParameters));
    }
    insert_many_.run();
  } else {
    for (const Row& row : rows_) {
      row.bind(insert_, 0);
      insert_.run();
    }
  }
  if (first_row_) {
    auto behind = static_cast<std::int64_t>(rows_.size() - 1 - *first_row_);
    first_id_ = database_->last_id() - behind;
    first_row_.reset();
  }
  rows_.clear();
}

void MessageRows::Row::bind(Statement& insert, int before) const {
  insert.bind(before + 1, time_ns).bind(before + 2, topic).bind(before + 3, data);
}

void MessageRows::put_stamps() {
  // If the first of them is still waiting, it could not be inserted, nor could any after it.
  bool has_messages = !first_row_;
  if (stamps_.is_needed() && has_messages) {
    database_->run(
        "CREATE TABLE IF NOT EXISTS kitbag_stamps(first_id INTEGER PRIMARY KEY,"
        "stamps BLOB NOT NULL);");
    database_->prepare("INSERT INTO kitbag_stamps (first_id, stamps) VALUES (?, ?);")
        .bind(1, first_id_)
        .bind(2, stamps_.bytes())
        .run();
    stamps_bytes_ += stamps_.bytes().size();
  }
  stamps_.clear();
  stamped_ = 0;
}

void MessageRows::close() {
  insert_ = Statement();
  insert_many_ = Statement();
}

}  // namespace kitbag::sqlite3
