#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kitbag/bag.h"
#include "storage/sqlite3/lost_rows.h"
#include "storage/sqlite3/message_row.h"
#include "storage/sqlite3/reader.h"
#include "storage/sqlite3/row_order.h"
#include "storage/sqlite3/stamps.h"

namespace kitbag::sqlite3 {

/// How many rows there are, and whether any can be missing between them.
class RowCount {
 public:
  void add(std::int64_t id) {
    first_ = count_ == 0 ? id : std::min(first_, id);
    last_ = count_ == 0 ? id : std::max(last_, id);
    ++count_;
  }
  std::uint64_t count() const { return count_; }
  /// No id is left out, up to `last`; INT64_MAX: it is not known which is the last.
  bool is_dense(std::int64_t last) const {
    bool is_whole = last == INT64_MAX || last == INT64_MIN || (count_ > 0 && last == last_);
    auto span = static_cast<std::uint64_t>(last_) - static_cast<std::uint64_t>(first_);
    return is_whole && (count_ == 0 || span == count_ - 1);
  }

 private:
  std::uint64_t count_ = 0;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
};

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

  /// False: the end. Throws Error: corrupt, truncated; cancelled if `wait` is stopped.
  bool next(MessageRow& message, const Wait& wait);
  /// After `damage`: continues without the index if that is damaged, or if its writer has changed
  /// it meanwhile; else with what is found in all pages. Throws `damage` if that has been done
  /// already, or if reading is strict.
  void go_on_after(const Error& damage, const Wait& wait);
  /// The stamp of message `id` in kitbag's own table; empty if it has none.
  Stamp stamp_of(std::int64_t id);

  /// Reports the rows that are not messages, after everything that was asked for has been read.
  void report_bad_rows() { bad_rows_.report_to(listener(), *store_->file()); }
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
  void pass_over(const Row& row);
  void leave_index(const Error& damage, const Wait& wait);
  void sort_rest(const Wait& wait);
  std::vector<TimedRow> sorted_rows(const Wait& wait);
  bool next_in_file(MessageRow& message, const Wait& wait);
  bool next_in_order(MessageRow& message, const Wait& wait);
  bool is_complete() const;
  void compare_with_index(const Wait& wait) const;
  void compare_with_table(const Wait& wait) const;

  std::shared_ptr<const Store> store_;
  Query query_;
  TimeRange range_;
  bool sorts_by_publish_time_;
  std::unique_ptr<TableCursor> cursor_;  ///< null: there are no messages
  bool is_salvaged_ = false;
  RowCount rows_;  ///< of the table that were met, or entries of the index
  BadRows bad_rows_;
  std::unique_ptr<RowOrder> order_;  ///< null: as the file has them
  bool uses_index_ = false;          ///< for order_
  bool blames_index_ = false;        ///< for what is thrown
  std::uint64_t given_in_order_ = 0;
  std::unique_ptr<StampReader> stamps_;
  std::optional<TimedRow> last_;  ///< given
};

}  // namespace kitbag::sqlite3
