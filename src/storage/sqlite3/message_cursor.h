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

/// Iterates over the rows of all messages in the order of a query; by log time, over those in its
/// time range only.
///
/// In file order, rows come as the leaves of `messages` have them. By log time, the index says
/// which row is next; by publish time, or without an index, the rows are sorted. If the tree of
/// pages is broken, all pages are searched, and the cursor continues after the last row that it
/// gave. One thread at a time.
class MessageCursor {
 public:
  /// Throws Error: cancelled if `wait` is stopped; and as next() does if reading is strict.
  MessageCursor(std::shared_ptr<const Store> store, const Query& query, const Wait& wait);

  /// False: the end. Throws Error (corrupt, truncated).
  bool next(MessageRow& message);
  /// After `damage`: continues without the index if its writer has changed it meanwhile, else with
  /// what is found in all pages. Throws `damage` if that has been done already, or if reading is
  /// strict.
  void go_on_after(const Error& damage, const Wait& wait);
  /// The stamp of message `id` in kitbag's own table; empty if it has none.
  Stamp stamp_of(std::int64_t id);

  /// The listener for damage.
  const OnProblem& listener() const {
    return query_.on_problem ? query_.on_problem : store_->options().on_problem;
  }
  /// Whether invalid rows are skipped.
  bool is_salvaged() const { return is_salvaged_; }
  /// The pages that the last row is in.
  PageWindow& window() { return cursor_->window(); }

 private:
  void use(std::shared_ptr<const TableTree> tree);
  void begin_order(const Wait& wait);
  bool next_row(Row& row);
  void sort_rest(const Wait& wait);
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
  bool uses_index_ = false;          ///< for order_
  std::unique_ptr<StampReader> stamps_;
  std::optional<TimedRow> last_;  ///< given
};

}  // namespace kitbag::sqlite3
