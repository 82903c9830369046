#include "storage/sqlite3/message_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kitbag/error.h"

// By time, the index gives the next id and the table is asked for its row. This looks like a seek
// in a tree for every message, but ids and times nearly always ascend together: the row is usually
// the next one in the leaf, and seek() tries that first. Every row that is found must have the time
// of its index entry, so index and table are compared without another read. Where they contradict
// each other, or the index is damaged, the rows are sorted instead, 16 bytes each: the table has
// all messages.
//
// Whoever has gone through the whole table, or the whole index, compares the number of rows with
// what else tells it. That is the number in the metadata, or ids without gaps. If neither agrees,
// the other one of index and table is counted.
//
// A writer may add messages meanwhile. The cursor gives those that were there when the bag was
// opened, and the table is only added to, but the index is rewritten: entries move to other pages.
// So once that has happened, the rows are sorted, too, from the last one that was given.
//
// After damage the cursor changes to the leaves that a search of all pages has found. Their order
// is the same, so it continues behind the last row that it gave and repeats nothing. The index is
// not used any more, since the damage may be there; the rows are sorted instead, 16 bytes each.

namespace kitbag::sqlite3 {

MessageCursor::MessageCursor(std::shared_ptr<const Store> store, const Query& query,
                             const Wait& wait)
    : store_(std::move(store)),
      query_(query),
      range_{query.begin, query.end},
      sorts_by_publish_time_(query.by == TimeField::publish_time &&
                             store_->content().stamps != nullptr) {
  const Content& content = store_->content();
  if (content.stamps) stamps_ = std::make_unique<StampReader>(store_->file(), content.stamps);
  if (!content.messages) return;
  use(content.messages);
  try {
    begin_order(wait);
  } catch (const Error& damage) {
    if (!is_damage(damage.code())) throw;
    go_on_after(damage, wait);
  }
}

void MessageCursor::use(std::shared_ptr<const TableTree> tree) {
  is_salvaged_ = tree->is_salvaged();
  cursor_ = std::make_unique<TableCursor>(store_->file(), std::move(tree));
}

void MessageCursor::begin_order(const Wait& wait) {
  if (query_.order == Order::file) return;
  std::uint32_t index = is_salvaged_ ? 0 : store_->content().time_index;
  uses_index_ = index != 0 && !sorts_by_publish_time_;
  if (uses_index_) {
    blames_index_ = true;
    order_ = index_order(*store_->file(), index, range_, store_->content().last_message,
                         query_.order == Order::reverse_time);
    blames_index_ = false;
  } else {
    order_ = listed_order(sorted_rows(wait));
  }
}

std::vector<TimedRow> MessageCursor::sorted_rows(const Wait& wait) {
  std::vector<TimedRow> rows;
  rows_ = {};
  bad_rows_.clear();
  cursor_->seek(INT64_MIN);
  for (Row row; next_row(row);) {
    throw_if_stopped(wait);
    auto message = parse_message(*store_->file(), row, store_->content().message_columns);
    if (!message) {
      pass_over(row);
      continue;
    }
    Time time = from_ns(message->time_ns);
    if (sorts_by_publish_time_) time = saturating_add(time, Duration(stamp_of(row.id).delay_ns));
    if (range_.holds(time)) rows.push_back({to_ns(time), row.id});
  }
  compare_with_index(wait);
  std::sort(rows.begin(), rows.end());
  if (query_.order == Order::reverse_time) std::reverse(rows.begin(), rows.end());
  return rows;
}

/// The next row of the table that was there when the bag was opened.
bool MessageCursor::next_row(Row& row) {
  if (!cursor_->next(row)) return false;
  if (!is_salvaged_ && row.id > store_->content().last_message) return false;
  rows_.add(row.id);
  return true;
}

/// Where all pages were searched, those that are missing have been counted.
void MessageCursor::pass_over(const Row& row) {
  if (is_salvaged_) return;
  bad_rows_.add(row);
  if (!listener()) report_bad_rows();
}

void MessageCursor::go_on_after(const Error& damage, const Wait& wait) {
  bool is_broken = damage.code() == ErrorCode::corrupt || damage.code() == ErrorCode::truncated;
  if (!is_broken || is_salvaged_) throw damage;
  if (uses_index_ && (blames_index_ || store_->file()->has_changed())) {
    return leave_index(damage, wait);
  }
  auto found = store_->salvaged(damage, listener());
  bad_rows_.clear();
  if (!found) {
    cursor_.reset();
    return;
  }
  use(std::move(found));
  uses_index_ = false;
  order_.reset();
  if (query_.order == Order::file) {
    if (last_) cursor_->seek(last_->id + 1);
    return;
  }
  sort_rest(wait);
}

/// No message is lost by what is damaged in an index.
void MessageCursor::leave_index(const Error& damage, const Wait& wait) {
  uses_index_ = false;
  if (!store_->file()->has_changed()) {
    report(listener(), Error(damage.code(), damage.message(), damage.file(), damage.offset()));
  }
  try {
    sort_rest(wait);
  } catch (const Error& other) {
    if (!is_damage(other.code())) throw;
    go_on_after(other, wait);
  }
}

/// The order of the rows behind the last one that was given.
void MessageCursor::sort_rest(const Wait& wait) {
  auto rows = sorted_rows(wait);
  bool is_reversed = query_.order == Order::reverse_time;
  std::uint64_t passed = std::erase_if(rows, [&](const TimedRow& row) {
    return last_ && (is_reversed ? row >= *last_ : row <= *last_);
  });
  if (passed > given_in_order_) {
    std::uint64_t late = passed - given_in_order_;
    report(listener(),
           Error(ErrorCode::corrupt,
                 fmt::format("the time index left out {} messages before its damage was met; "
                             "repair the bag to have them",
                             late),
                 store_->file()->path(), Error::kNoOffset, Loss{.messages = late}));
    given_in_order_ = passed;
  }
  order_ = listed_order(std::move(rows));
}

bool MessageCursor::next(MessageRow& message, const Wait& wait) {
  if (!cursor_) return false;
  return order_ ? next_in_order(message, wait) : next_in_file(message, wait);
}

bool MessageCursor::next_in_file(MessageRow& message, const Wait& wait) {
  for (Row row; next_row(row);) {
    if (auto parsed = parse_message(*store_->file(), row, store_->content().message_columns)) {
      message = *parsed;
      last_ = {message.time_ns, row.id};
      return true;
    }
    pass_over(row);
  }
  compare_with_index(wait);
  return false;
}

/// Whether all rows have been met, as far as ids and metadata say.
bool MessageCursor::is_complete() const {
  const Content& content = store_->content();
  if (content.metadata && content.metadata->messages == rows_.count()) return true;
  return rows_.is_dense(content.last_message);
}

/// The whole table has been read. The index knows whether rows of it are gone.
void MessageCursor::compare_with_index(const Wait& wait) const {
  const Content& content = store_->content();
  if (is_salvaged_ || content.time_index == 0 || is_complete()) return;
  std::uint64_t entries = 0;
  try {
    entries = count_entries(*store_->file(), content.time_index, content.last_message, wait);
  } catch (const Error& damage) {
    if (!is_damage(damage.code())) throw;
    if (store_->file()->has_changed()) return;
    report(listener(), Error(damage.code(), damage.message() + "; messages may be missing",
                             damage.file(), damage.offset(), Loss{}));
    return;
  }
  if (entries <= rows_.count()) return;
  report(listener(), store_->file()->error(ErrorCode::corrupt, content.time_index,
                                           fmt::format("the time index lists {} messages, the "
                                                       "table has {}",
                                                       entries, rows_.count()),
                                           Loss{.messages = entries - rows_.count()}));
}

/// The index has been read. If it was the whole one, the table knows whether it leaves out rows.
void MessageCursor::compare_with_table(const Wait& wait) const {
  bool is_whole = range_.begin == Time::min() && range_.end == Time::max();
  if (!uses_index_ || !is_whole || is_complete()) return;
  const Content& content = store_->content();
  TableCursor cursor(store_->file(), content.messages);
  std::uint64_t rows = 0;
  for (Row row; cursor.next(row) && row.id <= content.last_message; ++rows) throw_if_stopped(wait);
  if (rows <= rows_.count()) return;
  report(listener(), store_->file()->error(
                         ErrorCode::corrupt, content.time_index,
                         fmt::format("the time index lists {} messages, the table has {}; repair "
                                     "the bag, or read it in the order of the file",
                                     rows_.count(), rows),
                         Loss{.messages = rows - rows_.count()}));
}

bool MessageCursor::next_in_order(MessageRow& message, const Wait& wait) {
  TimedRow place;
  blames_index_ = uses_index_;
  bool is_there = order_->next(place);
  blames_index_ = false;
  if (!is_there) {
    compare_with_table(wait);
    return false;
  }
  Row row;
  cursor_->seek(place.id);
  auto parsed = cursor_->next(row) && row.id == place.id
                    ? parse_message(*store_->file(), row, store_->content().message_columns)
                    : std::nullopt;
  bool agrees = parsed && (sorts_by_publish_time_ || parsed->time_ns == place.time_ns);
  if (!agrees) {
    blames_index_ = uses_index_;
    throw store_->file()->error(ErrorCode::corrupt, store_->content().time_index,
                                "the time index contradicts the messages");
  }
  message = *parsed;
  last_ = place;
  ++given_in_order_;
  if (uses_index_) rows_.add(place.id);
  return true;
}

Stamp MessageCursor::stamp_of(std::int64_t id) {
  if (!stamps_) return {};
  try {
    return stamps_->of(id);
  } catch (const Error& damage) {
    if (!is_damage(damage.code())) throw;
    report(listener(), damage);
    stamps_.reset();
    return {};
  }
}

}  // namespace kitbag::sqlite3
