#include "storage/sqlite3/message_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kitbag/error.h"

// By time, the index gives the next id and the table is asked for its row. This looks like a seek
// in a tree for every message, but ids and times nearly always ascend together: the row is usually
// the next one in the leaf, and seek() tries that first. Every row that is found must have the time
// of its index entry, so index and table are compared without another read. Order of the file does
// not need the index; it is read at the end, to count, if the metadata gives another number of
// messages.
//
// A writer may add messages meanwhile. The cursor gives those that were there when the bag was
// opened, and the table is only added to, but the index is rewritten: entries move to other pages.
// So once that has happened, the rows are sorted instead, 16 bytes each, from the last one that was
// given.
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
    order_ = index_order(*store_->file(), index, range_, store_->content().last_message,
                         query_.order == Order::reverse_time);
  } else {
    order_ = listed_order(sorted_rows(wait));
  }
}

std::vector<TimedRow> MessageCursor::sorted_rows(const Wait& wait) {
  std::vector<TimedRow> rows;
  cursor_->seek(INT64_MIN);
  for (Row row; next_row(row);) {
    throw_if_stopped(wait);
    auto message = parse_message(row);
    if (!message) {
      if (is_salvaged_) continue;
      throw store_->file()->error(ErrorCode::corrupt, row.page, "a row is not a message");
    }
    Time time = from_ns(message->time_ns);
    if (sorts_by_publish_time_) time = saturating_add(time, Duration(stamp_of(row.id).delay_ns));
    if (range_.holds(time)) rows.push_back({to_ns(time), row.id});
  }
  std::sort(rows.begin(), rows.end());
  if (query_.order == Order::reverse_time) std::reverse(rows.begin(), rows.end());
  return rows;
}

/// The next row of the table that was there when the bag was opened.
bool MessageCursor::next_row(Row& row) {
  return cursor_->next(row) && (is_salvaged_ || row.id <= store_->content().last_message);
}

void MessageCursor::go_on_after(const Error& damage, const Wait& wait) {
  bool is_broken = damage.code() == ErrorCode::corrupt || damage.code() == ErrorCode::truncated;
  if (!is_broken || is_salvaged_) throw damage;
  if (uses_index_ && store_->file()->has_changed()) {
    uses_index_ = false;
    try {
      return sort_rest(wait);
    } catch (const Error& other) {
      if (!is_damage(other.code())) throw;
      return go_on_after(other, wait);
    }
  }
  auto found = store_->salvaged(damage, listener());
  if (!found) {
    cursor_.reset();
    return;
  }
  use(std::move(found));
  order_.reset();
  if (query_.order == Order::file) {
    if (last_) cursor_->seek(last_->id + 1);
    return;
  }
  sort_rest(wait);
}

/// The order of the rows behind the last one that was given.
void MessageCursor::sort_rest(const Wait& wait) {
  auto rows = sorted_rows(wait);
  bool is_reversed = query_.order == Order::reverse_time;
  std::erase_if(rows, [&](const TimedRow& row) {
    return last_ && (is_reversed ? row >= *last_ : row <= *last_);
  });
  order_ = listed_order(std::move(rows));
}

bool MessageCursor::next(MessageRow& message) {
  if (!cursor_) return false;
  return order_ ? next_in_order(message) : next_in_file(message);
}

bool MessageCursor::next_in_file(MessageRow& message) {
  for (Row row; next_row(row);) {
    if (auto parsed = parse_message(row)) {
      message = *parsed;
      last_ = {message.time_ns, row.id};
      ++rows_;
      return true;
    }
    if (!is_salvaged_) {
      throw store_->file()->error(ErrorCode::corrupt, row.page, "a row is not a message");
    }
  }
  compare_with_index();
  return false;
}

/// The table has been read to its end without the index by time. If the bag says that it has
/// another number of messages, the index knows whether rows are gone or the number is wrong.
void MessageCursor::compare_with_index() const {
  const Content& content = store_->content();
  if (is_salvaged_ || content.time_index == 0 || !content.metadata) return;
  if (content.metadata->messages == rows_) return;
  std::uint64_t entries = 0;
  try {
    TimeIndex index(*store_->file(), content.time_index, false);
    index.seek_start();
    for (TimedRow entry; index.next(entry);) ++entries;
  } catch (const Error& damage) {
    if (is_damage(damage.code()) && store_->file()->has_changed()) return;
    throw;
  }
  if (entries <= rows_) return;
  report(listener(),
         store_->file()->error(
             ErrorCode::corrupt, content.time_index,
             fmt::format("the time index lists {} messages, but the table has {}", entries, rows_),
             Loss{.messages = entries - rows_}));
}

bool MessageCursor::next_in_order(MessageRow& message) {
  TimedRow place;
  if (!order_->next(place)) return false;
  Row row;
  cursor_->seek(place.id);
  auto parsed = cursor_->next(row) && row.id == place.id ? parse_message(row) : std::nullopt;
  bool agrees = parsed && (sorts_by_publish_time_ || parsed->time_ns == place.time_ns);
  if (!agrees) {
    throw store_->file()->error(ErrorCode::corrupt, store_->content().time_index,
                                "the time index contradicts the messages");
  }
  message = *parsed;
  last_ = place;
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
