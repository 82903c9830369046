#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/buffer.h"
#include "compress/compression.h"
#include "kitbag/message.h"
#include "storage/sqlite3/database.h"
#include "storage/sqlite3/stamps.h"

namespace kitbag::sqlite3 {

/// About what a row takes in table and index, in addition to its text or payload.
inline constexpr std::uint64_t kRowBytes = 34;

/// Inserts messages into `messages`, and what does not fit there into `kitbag_stamps`.
///
/// A statement costs more than a row, so one statement inserts many rows. A row waits for others of
/// its batch, whose data it points at, and is inserted before the batch is gone.
class MessageRows {
 public:
  /// `is_compressed`: each message, by zstd.
  MessageRows(Database& database, bool is_compressed);

  /// Adds a message of the topic; its data must live until insert(). Returns about how much it
  /// takes in the file.
  std::uint64_t put(const Message& message, std::int64_t topic);
  /// Inserts the waiting rows.
  void insert();
  /// Completes the run of stamps, as at the end of a transaction; that of messages which could not
  /// be inserted is left out.
  void put_stamps();
  /// Ends its statements, before the database is closed. No other member may be called after that.
  void close();
  /// What the stamps take in the file.
  std::uint64_t stamps_bytes() const { return stamps_bytes_; }

 private:
  /// A message whose data is the batch's.
  struct Row {
    std::int64_t time_ns;
    std::int64_t topic;
    ByteView data;

    static constexpr std::size_t kParameters = 3;

    /// To the parameters behind the first `before`.
    void bind(Statement& insert, int before) const;
  };

  Database* database_;
  Statement insert_;
  Statement insert_many_;
  std::vector<Row> rows_;                   ///< not inserted yet
  std::unique_ptr<Compressor> compressor_;  ///< null: payloads stay as they are
  Buffer packed_;

  StampRun stamps_;
  std::uint64_t stamped_ = 0;             ///< messages in stamps_
  std::int64_t first_id_ = 0;             ///< of the messages in stamps_
  std::optional<std::size_t> first_row_;  ///< of rows_, where the first of them waits
  std::uint64_t stamps_bytes_ = 0;
};

}  // namespace kitbag::sqlite3
