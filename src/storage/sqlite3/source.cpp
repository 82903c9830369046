#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/selector.h"
#include "storage/sqlite3/big_endian.h"
#include "storage/sqlite3/payload.h"
#include "storage/sqlite3/reader.h"
#include "storage/sqlite3/stamps.h"

namespace kitbag::sqlite3 {

namespace {

/// Payloads that go over pages are put together here; larger ones have memory of their own.
constexpr std::size_t kArenaBytes = 1 << 20;

/// Times can lie anywhere in 64 bits: `end` is not reached where there is none.
struct TimeRange {
  Time begin;
  Time end;

  bool holds(Time time) const { return is_within(time, begin, end); }
};

/// In what order messages come: their ids, one after the other.
class RowOrder {
 public:
  virtual ~RowOrder() = default;
  /// False: the end.
  virtual bool next(TimedRow& row) = 0;
};

/// As the index by time has them.
class IndexOrder final : public RowOrder {
 public:
  IndexOrder(const Store& store, const TimeRange& range, bool is_reversed)
      : index_(*store.file(), store.content().time_index, is_reversed),
        range_(range),
        is_reversed_(is_reversed) {
    if (is_reversed && range.end != Time::max()) {
      index_.seek({to_ns(range.end), INT64_MIN});
    } else if (!is_reversed && range.begin != Time::min()) {
      index_.seek({to_ns(range.begin), INT64_MIN});
    } else {
      index_.seek_start();
    }
  }

  bool next(TimedRow& row) override {
    if (!index_.next(row)) return false;
    Time time = from_ns(row.time_ns);
    return is_reversed_ ? time >= range_.begin : time < range_.end || range_.end == Time::max();
  }

 private:
  TimeIndex index_;
  TimeRange range_;
  bool is_reversed_;
};

/// Sorted, because the bag has no order by this time.
class SortedOrder final : public RowOrder {
 public:
  explicit SortedOrder(std::vector<TimedRow> rows) : rows_(std::move(rows)) {}

  bool next(TimedRow& row) override {
    if (next_ == rows_.size()) return false;
    row = rows_[next_++];
    return true;
  }

 private:
  std::vector<TimedRow> rows_;  ///< 16 bytes a message
  std::size_t next_ = 0;
};

/// Memory for payloads that do not lie together in the file.
class Arena {
 public:
  /// Kept by `batch`.
  std::span<std::byte> take(std::size_t bytes, Batch& batch) {
    if (bytes > kArenaBytes / 4) {
      auto own = pool_.take();
      own->resize(bytes);
      batch.keep(own, own->capacity());
      return own->span();
    }
    if (!block_ || kArenaBytes - used_ < bytes) {
      block_ = pool_.take();
      block_->resize(kArenaBytes);
      used_ = 0;
      is_kept_ = false;
    }
    if (!is_kept_) batch.keep(block_, kArenaBytes);
    is_kept_ = true;
    std::span<std::byte> place = block_->span().subspan(used_, bytes);
    used_ += bytes;
    return place;
  }
  /// The next batch is another.
  void begin_batch() { is_kept_ = false; }

 private:
  static constexpr std::size_t kIdleBytes = 8 << 20;
  BufferPool pool_{kIdleBytes};
  std::shared_ptr<Buffer> block_;
  std::size_t used_ = 0;
  bool is_kept_ = false;
};

class RowSource final : public Source {
 public:
  RowSource(std::shared_ptr<const Store> store, const Query& query, std::vector<Extra> extras,
            const Wait& wait);

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait& wait) override;

 private:
  bool fill(Batch& batch);
  bool next(MessageRow& message);
  bool next_in_file(MessageRow& message);
  bool next_in_time(MessageRow& message);
  void compare_with_index() const;
  void use(std::shared_ptr<const TableTree> tree);
  void begin_order(const Wait& wait);
  std::vector<TimedRow> sorted_rows(const Wait& wait);
  void go_on_after(const Error& damage, const Wait& wait);
  const OnProblem& listener() const {
    return query_.on_problem ? query_.on_problem : store_->options().on_problem;
  }
  std::optional<std::uint32_t> slot_of(const MessageRow& message);
  Stamp stamp_of(std::int64_t id);
  bool is_in_range(const MessageRow& message, const Stamp& stamp) const;
  bool add(const MessageRow& message, std::uint32_t slot, const Stamp& stamp, Batch& batch);
  ByteView payload(const MessageRow& message, std::uint32_t slot, Batch& batch);

  std::shared_ptr<const Store> store_;
  Query query_;
  TimeRange range_;
  bool sorts_by_publish_time_;
  std::vector<Extra> extras_;
  ChannelsPtr channels_;
  std::uint64_t skip_;
  std::uint64_t left_;

  std::unique_ptr<TableCursor> cursor_;
  bool is_salvaged_ = false;
  std::uint64_t rows_ = 0;           ///< read in the order of the file
  std::unique_ptr<RowOrder> order_;  ///< null: as the file has them
  std::unique_ptr<StampReader> stamps_;
  std::optional<TimedRow> last_;  ///< given, or passed over
  bool has_ended_ = false;

  std::uint64_t batch_number_ = 0;
  Arena arena_;
  PayloadReader payloads_;
};

RowSource::RowSource(std::shared_ptr<const Store> store, const Query& query,
                     std::vector<Extra> extras, const Wait& wait)
    : store_(std::move(store)),
      query_(query),
      range_{query.begin, query.end},
      sorts_by_publish_time_(query.by == TimeField::publish_time &&
                             store_->content().stamps != nullptr),
      extras_(std::move(extras)),
      skip_(query.nth),
      left_(query.count),
      payloads_(*store_) {
  Selector selector(query.select);
  auto channels = std::make_shared<Channels>(*store_->channels());
  for (ChannelPtr& channel : *channels) {
    if (!selector.matches(*channel)) channel = nullptr;
  }
  channels_ = std::move(channels);
  if (store_->content().stamps) {
    stamps_ = std::make_unique<StampReader>(store_->file(), store_->content().stamps);
  }
  if (!store_->content().messages || left_ == 0) {
    has_ended_ = true;
    return;
  }
  use(store_->content().messages);
  try {
    begin_order(wait);
  } catch (const Error& damage) {
    go_on_after(damage, wait);
  }
}

void RowSource::use(std::shared_ptr<const TableTree> tree) {
  is_salvaged_ = tree->is_salvaged();
  cursor_ = std::make_unique<TableCursor>(store_->file(), std::move(tree));
}

void RowSource::begin_order(const Wait& wait) {
  if (query_.order == Order::file) return;
  bool has_index = store_->content().time_index != 0 && !is_salvaged_;
  if (has_index && !sorts_by_publish_time_) {
    order_ = std::make_unique<IndexOrder>(*store_, range_, query_.order == Order::reverse_time);
  } else {
    order_ = std::make_unique<SortedOrder>(sorted_rows(wait));
  }
}

std::vector<TimedRow> RowSource::sorted_rows(const Wait& wait) {
  std::vector<TimedRow> rows;
  cursor_->seek(INT64_MIN);
  for (Row row; cursor_->next(row);) {
    throw_if_stopped(wait);
    auto message = parse_message(row);
    if (!message) {
      if (is_salvaged_) continue;
      throw store_->file()->error(ErrorCode::corrupt, row.page, "a row is not a message");
    }
    std::int64_t time = message->time_ns;
    if (sorts_by_publish_time_) time += stamp_of(row.id).delay_ns;
    if (range_.holds(from_ns(time))) rows.push_back({time, row.id});
  }
  std::sort(rows.begin(), rows.end());
  if (query_.order == Order::reverse_time) std::reverse(rows.begin(), rows.end());
  return rows;
}

/// What the tree of pages does not lead to is looked for in all pages.
void RowSource::go_on_after(const Error& damage, const Wait& wait) {
  bool is_damage = damage.code() == ErrorCode::corrupt || damage.code() == ErrorCode::truncated;
  if (!is_damage || is_salvaged_) throw damage;
  auto found = store_->salvaged(damage, listener());
  if (!found) {
    has_ended_ = true;
    return;
  }
  use(std::move(found));
  order_.reset();
  if (query_.order == Order::file) {
    if (last_) cursor_->seek(last_->id + 1);
    return;
  }
  auto rows = sorted_rows(wait);
  bool is_reversed = query_.order == Order::reverse_time;
  std::erase_if(rows, [&](const TimedRow& row) {
    return last_ && (is_reversed ? row >= *last_ : row <= *last_);
  });
  order_ = std::make_unique<SortedOrder>(std::move(rows));
}

bool RowSource::read(Batch& batch, const Wait& wait) {
  batch.channels = channels_;
  batch.extras = std::exchange(extras_, {});
  ++batch_number_;
  arena_.begin_batch();
  while (!has_ended_ && !batch.full()) {
    if (wait.stop.stop_requested()) return true;
    try {
      if (!fill(batch)) has_ended_ = true;
    } catch (const Error& damage) {
      bool is_strict = !listener();
      if (is_strict) has_ended_ = true;
      go_on_after(damage, wait);
    }
  }
  return !batch.empty() || !batch.extras.empty();
}

/// One message more, or nothing where it was not wanted. False: the end.
bool RowSource::fill(Batch& batch) {
  MessageRow message;
  if (!next(message)) return false;
  auto slot = slot_of(message);
  if (!slot) {
    last_ = {message.time_ns, message.row.id};
    return true;
  }
  Stamp stamp = stamp_of(message.row.id);
  TimedRow place{message.time_ns + (sorts_by_publish_time_ ? stamp.delay_ns : 0), message.row.id};
  if (is_in_range(message, stamp)) {
    if (skip_ > 0) {
      --skip_;
    } else if (add(message, *slot, stamp, batch)) {
      if (--left_ == 0) has_ended_ = true;
    }
  }
  last_ = place;
  return true;
}

bool RowSource::next(MessageRow& message) {
  return order_ ? next_in_time(message) : next_in_file(message);
}

bool RowSource::next_in_file(MessageRow& message) {
  for (Row row; cursor_->next(row);) {
    if (auto parsed = parse_message(row)) {
      message = *parsed;
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
void RowSource::compare_with_index() const {
  const Content& content = store_->content();
  if (is_salvaged_ || content.time_index == 0 || !content.metadata) return;
  if (content.metadata->messages == rows_) return;
  TimeIndex index(*store_->file(), content.time_index, false);
  index.seek_start();
  std::uint64_t entries = 0;
  for (TimedRow entry; index.next(entry);) ++entries;
  if (entries <= rows_) return;
  report(listener(),
         store_->file()->error(
             ErrorCode::corrupt, content.time_index,
             fmt::format("the time index lists {} messages, but the table has {}", entries, rows_),
             Loss{.messages = entries - rows_}));
}

bool RowSource::next_in_time(MessageRow& message) {
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
  return true;
}

std::optional<std::uint32_t> RowSource::slot_of(const MessageRow& message) {
  auto slot = store_->slot(message.topic_id);
  if (!slot) {
    if (is_salvaged_) return std::nullopt;
    throw store_->file()->error(ErrorCode::corrupt, message.row.page,
                                "a message belongs to a missing topic");
  }
  return (*channels_)[*slot] ? slot : std::nullopt;
}

Stamp RowSource::stamp_of(std::int64_t id) {
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

bool RowSource::is_in_range(const MessageRow& message, const Stamp& stamp) const {
  std::int64_t delay = query_.by == TimeField::publish_time ? stamp.delay_ns : 0;
  return range_.holds(from_ns(message.time_ns + delay));
}

/// False: its payload is damaged; it is told, and is the only one lost.
bool RowSource::add(const MessageRow& message, std::uint32_t slot, const Stamp& stamp,
                    Batch& batch) {
  ByteView data;
  try {
    data = payload(message, slot, batch);
  } catch (const Error& damage) {
    if (!is_damage(damage.code())) throw;
    report(listener(), Error(damage.code(), damage.message(), damage.file(), damage.offset(),
                             Loss{.messages = 1}));
    return false;
  }
  batch.add({(*channels_)[slot].get(), stamp.sequence, 0, from_ns(message.time_ns),
             from_ns(message.time_ns + stamp.delay_ns), data});
  return true;
}

ByteView RowSource::payload(const MessageRow& message, std::uint32_t slot, Batch& batch) {
  if (!payloads_.is_ready(message, slot)) {
    return payloads_.read(message, slot,
                          [&](std::size_t bytes) { return arena_.take(bytes, batch); });
  }
  PageWindow& window = cursor_->window();
  if (window.kept_for != batch_number_) batch.keep(window.pages, window.pages->size());
  window.kept_for = batch_number_;
  return message.row.local.subspan(static_cast<std::size_t>(message.data_offset),
                                   static_cast<std::size_t>(message.data_bytes));
}

}  // namespace

std::optional<MessageRow> parse_message(const Row& row) {
  // The usual record by hand: a head of single-byte types but for the last.
  std::size_t at = 0;
  auto head = take_varint(row.local, at);
  if (!head || *head > row.local.size()) return std::nullopt;
  ByteView types = row.local.first(static_cast<std::size_t>(*head));
  std::uint64_t offset = *head;
  MessageRow message;
  message.row = row;
  for (std::size_t column = 0; column <= kDataColumn; ++column) {
    auto type = take_varint(types, at);
    if (!type) return std::nullopt;
    Column found = column_of(*type);
    if (found.size > row.size || offset > row.size - found.size) return std::nullopt;
    if (column == kTopicColumn || column == kTimeColumn) {
      if (found.kind != Column::Kind::integer || offset + found.size > row.local.size()) {
        return std::nullopt;
      }
      std::int64_t value =
          found.size == 0 ? found.integer
                          : load_signed(row.local.subspan(static_cast<std::size_t>(offset),
                                                          static_cast<std::size_t>(found.size)));
      (column == kTopicColumn ? message.topic_id : message.time_ns) = value;
    } else if (column == kDataColumn) {
      if (found.kind != Column::Kind::blob && found.kind != Column::Kind::text) return std::nullopt;
      message.data_offset = offset;
      message.data_bytes = found.size;
    }
    offset += found.size;
  }
  return message;
}

std::unique_ptr<Source> read_rows(std::shared_ptr<const Store> store, const Query& query,
                                  std::vector<Extra> extras, const Wait& wait) {
  return std::make_unique<RowSource>(std::move(store), query, std::move(extras), wait);
}

}  // namespace kitbag::sqlite3
