#include "storage/sqlite3/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "storage/rosbag2/declared_topics.h"
#include "storage/sqlite3/lost_rows.h"
#include "storage/sqlite3/pages/payload.h"
#include "storage/sqlite3/stamps.h"
#include "storage/writing/late_messages.h"

// SQLite has no checksums, so what is stored twice is compared: the time of each message is in the
// table and in the index, and the counts are in the metadata. Table and index have different orders
// and may be larger than memory. So neither is sorted: each is reduced to a sum that does not
// depend on the order, and equal sums mean equal sets. The time enters the sum multiplied by a
// number that comes from the id; otherwise two rows that have swapped their times would go
// unnoticed.
//
// Every payload is read, too, because a chain of overflow pages is broken only where somebody
// follows it.

namespace kitbag::sqlite3 {

namespace {

/// A sum over messages that does not depend on their order.
class RowSum {
 public:
  void add(const TimedRow& row) {
    sum_ += (static_cast<std::uint64_t>(row.time_ns) ^ 0x9E3779B97F4A7C15U) *
            ((static_cast<std::uint64_t>(row.id) << 1) | 1U);
    ++rows_;
  }
  std::uint64_t rows() const { return rows_; }
  bool operator==(const RowSum&) const = default;

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t rows_ = 0;
};

class Verifier {
 public:
  Verifier(const Store& store, const OnProblem& on_problem)
      : store_(store), tell_(on_problem), payloads_(store) {}

  void run(const std::function<void(std::uint64_t, Time)>& on_message) {
    if (store_.content().messages && !sum_messages(on_message)) return;
    check_index();
    check_counts();
    check_stamps();
  }

 private:
  void contradiction(const std::string& what, const std::optional<Loss>& loss = std::nullopt) {
    report(tell_, store_.file()->error(ErrorCode::corrupt, 0, what, loss));
  }

  /// False: its pages are damaged, so there is nothing to compare the rest with.
  bool sum_messages(const std::function<void(std::uint64_t, Time)>& on_message) {
    TableCursor cursor(store_.file(), store_.content().messages);
    Row row;
    try {
      while (cursor.next(row) && row.id <= store_.content().last_message) {
        auto message = parse_message(*store_.file(), row, store_.content().message_columns);
        auto slot = message ? store_.slot(message->topic_id) : std::nullopt;
        if (!message) {
          bad_rows_.add(row);
          ++unread_rows_;
          continue;
        }
        messages_.add({message->time_ns, row.id});
        if (!slot) {
          orphans_.add(*message);
          continue;
        }
        check_payload(*message, *slot);
        ++counts_[*slot];
        if (on_message) on_message(store_.file()->offset_of(row.page), from_ns(message->time_ns));
      }
    } catch (const Error& damage) {
      if (!is_damage(damage.code())) throw;
      store_.salvaged(damage, tell_);
      return false;
    }
    bad_rows_.report_to(tell_, *store_.file());
    orphans_.report_to(tell_, *store_.file());
    return true;
  }

  void check_payload(const MessageRow& message, std::uint32_t slot) {
    if (payloads_.is_ready(message, slot)) return;
    try {
      payloads_.read(message, slot, [this](std::size_t bytes) {
        record_.resize(bytes);
        return record_.span();
      });
    } catch (const Error& damage) {
      if (!is_damage(damage.code())) throw;
      report(tell_, lost_payload(damage, message));
    }
  }

  void check_index() {
    std::uint32_t root = store_.content().time_index;
    if (root == 0) return;
    RowSum indexed;
    TimeIndex index(*store_.file(), root, false);
    try {
      index.seek_start();
      for (TimedRow row; index.next(row);) indexed.add(row);
    } catch (const Error& damage) {
      if (!is_damage(damage.code())) throw;
      if (store_.file()->has_changed()) {
        report(tell_, Error(ErrorCode::busy,
                            "a writer is adding messages, so the time index was not compared with "
                            "them; check the bag when it is complete",
                            store_.file()->path()));
        return;
      }
      report(tell_, damage);
      return;
    }
    std::uint64_t rows = messages_.rows() + unread_rows_;
    if (unread_rows_ > 0 ? indexed.rows() == rows : indexed == messages_) return;
    report(tell_,
           store_.file()->error(
               ErrorCode::corrupt, root,
               fmt::format("the time index lists {} messages, the table has {}{}", indexed.rows(),
                           rows, indexed.rows() == rows ? ", but they differ" : ""),
               Loss{.messages = indexed.rows() - std::min(indexed.rows(), rows)}));
  }

  /// rosbag2's own numbers are wrong in files that it has split; such metadata is empty, or lists
  /// more than one file.
  void check_counts() {
    const auto& declared = store_.content().metadata;
    if (!declared || declared->messages == 0 || declared->files.size() > 1) return;
    if (declared->messages != messages_.rows()) {
      contradiction(fmt::format("the metadata gives {} messages, but there are {}",
                                declared->messages, messages_.rows()));
      return;
    }
    const Channels& channels = *store_.channels();
    std::vector<rosbag2::BagMetadata::Topic> found;
    for (const ChannelPtr& channel : channels) {
      found.push_back({channel->topic, channel->type(), {}, {}, {}, 0});
    }
    rosbag2::DeclaredTopics slots(found);
    for (const auto& topic : declared->topics) {
      auto slot = slots.take(topic.name, topic.type);
      if (!slot) {
        contradiction(
            fmt::format("the metadata lists {}, which is not a topic of the bag", topic.name));
        continue;
      }
      std::uint64_t messages = counts_[static_cast<std::uint32_t>(*slot)];
      if (topic.messages != messages) {
        contradiction(fmt::format("the metadata gives {} messages on {}, but there are {}",
                                  topic.messages, topic.name, messages));
      }
    }
  }

  void check_stamps() {
    if (!store_.content().stamps) return;
    TableCursor cursor(store_.file(), store_.content().stamps);
    std::vector<Column> columns;
    std::vector<Stamp> stamps;
    try {
      for (Row row; cursor.next(row);) {
        bool is_sound = parse_record(row.local, row.size, columns) && columns.size() == 2 &&
                        columns[1].size <= store_.file()->stored_bytes();
        if (is_sound) {
          record_.resize(static_cast<std::size_t>(columns[1].size));
          read_payload(*store_.file(), row, columns[1].offset, record_.span(), scratch_);
          is_sound = parse_stamps(record_.view(), stamps);
        }
        if (!is_sound) {
          throw store_.file()->error(ErrorCode::corrupt, row.page, "the publish times are damaged");
        }
      }
    } catch (const Error& damage) {
      if (!is_damage(damage.code())) throw;
      report(tell_, damage);
    }
  }

  const Store& store_;
  const OnProblem& tell_;
  PayloadReader payloads_;
  RowSum messages_;
  std::uint64_t unread_rows_ = 0;
  BadRows bad_rows_;
  Orphans orphans_;
  std::map<std::uint32_t, std::uint64_t> counts_;  ///< by slot
  Buffer record_;
  Buffer scratch_;
};

}  // namespace

void verify(const Store& store, const OnProblem& on_problem,
            const std::function<void(std::uint64_t offset, Time time)>& on_message) {
  Verifier(store, on_problem).run(on_message);
}

void check_bag(const Input& input, const ReadOptions& options) {
  Store store(open_pages(input, options.on_problem), options);
  report_unclosed(store, options.on_problem);
  LateMessages late;
  verify(store, options.on_problem,
         [&](std::uint64_t offset, Time time) { late.add(offset, time); });
  late.finish(input.path, options.on_problem);
}

}  // namespace kitbag::sqlite3
