#include <memory>
#include <optional>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/selector.h"
#include "model/slice_count.h"
#include "storage/sqlite3/lost_rows.h"
#include "storage/sqlite3/message_cursor.h"
#include "storage/sqlite3/pages/payload.h"
#include "storage/sqlite3/pages/payload_arena.h"
#include "storage/sqlite3/reader.h"

// A payload that lies in its leaf as a whole is not copied: the message points into the window of
// pages, which the batch keeps alive. With the usual page of 4 KiB these are the payloads up to
// about 4,000 bytes. Longer ones are spread over overflow pages with four bytes between their
// parts, so they are put together in the memory of an arena, as compressed ones are.
//
// Damage of one payload costs that message. Damage of a page makes the cursor search for the rest
// (message_cursor.cpp), and the loop in read() continues with the next row.

namespace kitbag::sqlite3 {

namespace {

class RowSource final : public Source {
 public:
  RowSource(std::shared_ptr<const Store> store, const Query& query, std::vector<Extra> extras,
            const Wait& wait);

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait& wait) override;

 private:
  bool read_row(Batch& batch, const Wait& wait);
  bool is_in_range(const MessageRow& message, const Stamp& stamp) const;
  bool add(const MessageRow& message, std::uint32_t slot, const Stamp& stamp, Batch& batch);
  ByteView payload(const MessageRow& message, std::uint32_t slot, Batch& batch);

  std::shared_ptr<const Store> store_;
  TimeRange range_;
  TimeField by_;
  SliceCount slice_;
  std::vector<Extra> extras_;
  ChannelsPtr channels_;
  std::optional<MessageCursor> rows_;  ///< absent: none is asked for
  bool has_ended_ = false;

  std::uint64_t batch_number_ = 0;
  Orphans orphans_;
  PayloadArena arena_;
  PayloadReader payloads_;
};

RowSource::RowSource(std::shared_ptr<const Store> store, const Query& query,
                     std::vector<Extra> extras, const Wait& wait)
    : store_(std::move(store)),
      range_{query.begin, query.end},
      by_(query.by),
      slice_(query.nth, query.count),
      extras_(std::move(extras)),
      payloads_(*store_) {
  Selector selector(query.select);
  auto channels = std::make_shared<Channels>(*store_->channels());
  for (ChannelPtr& channel : *channels) {
    if (!selector.matches(*channel)) channel = nullptr;
  }
  channels_ = std::move(channels);
  has_ended_ = slice_.is_complete();
  if (!has_ended_) rows_.emplace(store_, query, wait);
}

bool RowSource::read(Batch& batch, const Wait& wait) {
  batch.channels = channels_;
  batch.extras = std::exchange(extras_, {});
  ++batch_number_;
  arena_.begin_batch();
  while (!has_ended_ && !batch.full()) {
    if (wait.stop.stop_requested()) return true;
    try {
      if (!read_row(batch, wait)) has_ended_ = true;
      if (!has_ended_) continue;
      rows_->report_bad_rows();
      orphans_.report_to(rows_->listener(), *store_->file());
    } catch (const Error& damage) {
      if (!is_damage(damage.code())) throw;
      // Where go_on_after() throws, the next read() must not begin again.
      has_ended_ = !rows_->listener();
      rows_->go_on_after(damage, wait);
      has_ended_ = false;
    }
  }
  return !batch.empty() || !batch.extras.empty();
}

/// Adds one message, or nothing if it is not selected. False: the end.
bool RowSource::read_row(Batch& batch, const Wait& wait) {
  MessageRow message;
  if (!rows_->next(message, wait)) return false;
  auto slot = store_->slot(message.topic_id);
  if (slot && !(*channels_)[*slot]) return true;
  Stamp stamp = rows_->stamp_of(message.row.id);
  if (!is_in_range(message, stamp)) return true;
  if (!slot) {
    orphans_.add(message);
    return true;
  }
  if (slice_.skip_next()) return true;
  if (add(message, *slot, stamp, batch)) slice_.give();
  return !slice_.is_complete();
}

bool RowSource::is_in_range(const MessageRow& message, const Stamp& stamp) const {
  Duration delay(by_ == TimeField::publish_time ? stamp.delay_ns : 0);
  return range_.holds(saturating_add(from_ns(message.time_ns), delay));
}

/// False: its payload is damaged; this is reported, and no other message is lost.
bool RowSource::add(const MessageRow& message, std::uint32_t slot, const Stamp& stamp,
                    Batch& batch) {
  ByteView data;
  try {
    data = payload(message, slot, batch);
  } catch (const Error& damage) {
    if (!is_damage(damage.code())) throw;
    report(rows_->listener(), lost_payload(damage, message));
    return false;
  }
  batch.add({(*channels_)[slot].get(), stamp.sequence, 0, from_ns(message.time_ns),
             saturating_add(from_ns(message.time_ns), Duration(stamp.delay_ns)), data});
  return true;
}

ByteView RowSource::payload(const MessageRow& message, std::uint32_t slot, Batch& batch) {
  if (!payloads_.is_ready(message, slot)) {
    return payloads_.read(message, slot,
                          [&](std::size_t bytes) { return arena_.take(bytes, batch); });
  }
  PageWindow& window = rows_->window();
  if (window.kept_for != batch_number_) batch.keep(window.pages, window.pages->size());
  window.kept_for = batch_number_;
  return message.row.local.subspan(static_cast<std::size_t>(message.data_offset),
                                   static_cast<std::size_t>(message.data_bytes));
}

}  // namespace

std::unique_ptr<Source> read_rows(std::shared_ptr<const Store> store, const Query& query,
                                  std::vector<Extra> extras, const Wait& wait) {
  return std::make_unique<RowSource>(std::move(store), query, std::move(extras), wait);
}

}  // namespace kitbag::sqlite3
