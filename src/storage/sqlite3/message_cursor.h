#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kitbag/bag.h"
#include "storage/sqlite3/message_row.h"
#include "storage/sqlite3/reader.h"
#include "storage/sqlite3/row_order.h"
#include "storage/sqlite3/stamps.h"

namespace kitbag::sqlite3 {

/// Goes through the rows of all messages in the order that a query asks for; by log time, through
/// those of its time range only.
///
/// In the order of the file they come as the leaves of `messages` have them. In the order of log
/// time the index tells which row comes next, and in that of publish time, or where the index is
/// missing, they are sorted. Where the tree of pages does not lead on, all pages are looked at, and
/// the cursor goes on behind the last row that it gave. One thread at a time.
class MessageCursor {
 public:
  /// Throws Error: cancelled when `wait` is stopped; and as next() does where reading is strict.
  MessageCursor(std::shared_ptr<const Store> store, const Query& query, const Wait& wait);

  /// False: the end. Throws Error (corrupt, truncated).
  bool next(MessageRow& message);
  /// After `damage`: continues with what is found in all pages. Throws `damage` where that has been
  /// done already, where it is none, and where reading is strict.
  void go_on_after(const Error& damage, const Wait& wait);
  /// What is known of message `id` beside its row.
  Stamp stamp_of(std::int64_t id);

  /// Who gets the damage.
  const OnProblem& listener() const {
    return query_.on_problem ? query_.on_problem : store_->options().on_problem;
  }
  /// Rows that make no sense are passed over.
  bool is_salvaged() const { return is_salvaged_; }
  /// The pages that the last row is in.
  PageWindow& window() { return cursor_->window(); }

 private:
  void use(std::shared_ptr<const TableTree> tree);
  void begin_order(const Wait& wait);
  std::vector<TimedRow> sorted_rows(const Wait& wait);
  bool next_in_file(MessageRow& message);
  bool next_in_order(MessageRow& message);
  void compare_with_index() const;

  std::shared_ptr<const Store> store_;
  Query query_;
  TimeRange range_;
  bool sorts_by_publish_time_;
  std::unique_ptr<TableCursor> cursor_;  ///< null: there are no messages
  bool is_salvaged_ = false;
  std::uint64_t rows_ = 0;           ///< given in the order of the file
  std::unique_ptr<RowOrder> order_;  ///< null: as the file has them
  std::unique_ptr<StampReader> stamps_;
  std::optional<TimedRow> last_;  ///< given
};

}  // namespace kitbag::sqlite3
