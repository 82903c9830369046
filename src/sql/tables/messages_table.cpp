#include <algorithm>
#include <optional>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/print.h"
#include "kitbag/text.h"
#include "sql/row_numbers.h"
#include "sql/tables/bag_tables.h"
#include "sql/time_range.h"

// Rows are the messages as they lie in the batch; nothing is decoded, and only what the query names
// is copied. `json` and `payload` are hidden, so SELECT * does not decode a bag by accident. An
// equal condition on the topic selects channels, and times restrict the range, so the index of the
// bag does the work. The letters of both travel as text, see topic_table.cpp.

namespace kitbag::sql {

namespace {

enum Column : int { kTime, kTopic, kType, kSize, kPublishTime, kSequence, kBag, kPayload, kJson };

/// In Cursor::start()'s text, behind the conditions on times: the last value is a topic.
constexpr char kWithTopic = 't';
/// The same of a bag.
constexpr char kWithBag = 'b';

/// More than a bag has, since the catalog does not say how many publishers its topics have.
constexpr std::size_t kMostChannels = 1 << 16;

std::size_t most_channels(const BagSet& set) {
  std::size_t most = 1;
  if (set.is_catalog) return kMostChannels;
  for (const NamedBag& each : set.bags) {
    most = std::max(most, each.channels()->size());
  }
  return most;
}

/// Reads bag after bag. Nothing is decoded unless the query names `json`.
class MessagesCursor final : public Cursor {
 public:
  explicit MessagesCursor(const BagSet& set)
      : set_(set), numbers_(set.bags.size(), most_channels(set)) {}

  void start(int, const std::string& text, std::span<sqlite3_value*> values) override {
    query_ = {};
    query_.on_problem = set_.on_problem;
    std::string times = text;
    wanted_bag_.reset();
    // Letters of topic and bag are at the end of the text, as their values are of the values.
    for (std::size_t last = values.size(); !times.empty(); --last) {
      bool is_bag = times.back() == kWithBag;
      if (!is_bag && times.back() != kWithTopic) break;
      times.pop_back();
      const auto* given = reinterpret_cast<const char*>(sqlite3_value_text(values[last - 1]));
      std::string name = given ? given : "";
      if (is_bag) {
        wanted_bag_ = std::move(name);
      } else {
        query_.select.topics = {exact_pattern(name)};
      }
    }
    apply_time_conditions(times, values, query_);
    source_.reset();
    bag_ = 0;
    numbers_.start();
    next_ = 0;
    batch_.clear();
    is_end_ = false;
    find_row();
  }

  void next() override {
    ++next_;
    find_row();
  }
  bool is_end() const override { return is_end_; }
  std::int64_t row_number() const override { return numbers_.number(); }

  void value(sqlite3_context* context, int column) override {
    const Message& message = batch_.messages()[next_];
    auto give_text = [&](const std::string& text) {
      sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    };
    switch (column) {
      case kTime:
        return sqlite3_result_int64(context, to_ns(message.log_time));
      case kTopic:
        return give_text(message.channel->topic);
      case kType:
        return give_text(message.channel->type());
      case kSize:
        return sqlite3_result_int64(context, static_cast<std::int64_t>(message.data.size()));
      case kPublishTime:
        return sqlite3_result_int64(context, to_ns(message.publish_time));
      case kSequence:
        return sqlite3_result_int64(context, message.sequence);
      case kBag:
        return give_text(set_.bags[bag_].name);
      case kPayload:
        return sqlite3_result_blob64(context, message.data.data(), message.data.size(),
                                     SQLITE_TRANSIENT);
      default:
        give_text(to_json(message, set_.session));
    }
  }

 private:
  void find_row() {
    while (next_ >= batch_.messages().size()) {
      if (!source_) {
        is_end_ = !open_bag();
        if (is_end_) return;
      }
      batch_.clear();
      next_ = 0;
      bool has_more = source_->read(batch_, {set_.stop, kNever});
      // A read that was stopped gives nothing, like one at the end.
      throw_if_stopped({set_.stop, kNever});
      if (has_more) continue;
      source_.reset();
      ++bag_;
    }
    const Message& message = batch_.messages()[next_];
    numbers_.next(bag_, message.channel->slot, to_ns(message.log_time));
  }

  /// Goes to the next bag that may have messages. False: there is none.
  bool open_bag() {
    for (; bag_ < set_.bags.size(); ++bag_) {
      const NamedBag& each = set_.bags[bag_];
      bool is_wanted = !wanted_bag_ || *wanted_bag_ == each.name;
      if (!is_wanted || !may_have(each, query_)) continue;
      BagPtr bag = each.open();
      if (!bag) continue;
      source_ = bag->read(query_, {set_.stop, kNever});
      return true;
    }
    return false;
  }

  const BagSet& set_;
  Query query_;
  std::optional<std::string> wanted_bag_;  ///< nothing: all are
  std::size_t bag_ = 0;
  std::unique_ptr<Source> source_;  ///< of that bag; null: it is not open
  Batch batch_;
  std::size_t next_ = 0;  ///< of `batch_`
  RowNumbers numbers_;
  bool is_end_ = false;
};

class MessagesTable final : public Table {
 public:
  explicit MessagesTable(std::shared_ptr<const BagSet> set) : set_(std::move(set)) {}

  std::string declaration() const override {
    return "CREATE TABLE x(time INTEGER, topic TEXT, type TEXT, size_bytes INTEGER, "
           "publish_time INTEGER, sequence INTEGER, bag TEXT, payload BLOB HIDDEN, "
           "json TEXT HIDDEN)";
  }

  std::string plan(sqlite3_index_info& query) const override {
    int argument = 1;
    std::string text = take_time_conditions(query, kTime, argument);
    double rows = rows_in_time(text, 1e7);
    for (int i = 0; i < query.nConstraint; ++i) {
      const auto& condition = query.aConstraint[i];
      bool is_topic = condition.iColumn == kTopic;
      bool is_taken = condition.usable && (is_topic || condition.iColumn == kBag) &&
                      condition.op == SQLITE_INDEX_CONSTRAINT_EQ &&
                      sqlite3_stricmp(sqlite3_vtab_collation(&query, i), "BINARY") == 0;
      char letter = is_topic ? kWithTopic : kWithBag;
      if (!is_taken || text.find(letter) != std::string::npos) continue;
      query.aConstraintUsage[i].argvIndex = argument++;
      text += letter;
      rows /= 10;
    }
    query.estimatedRows = static_cast<sqlite3_int64>(rows);
    query.estimatedCost = rows;
    query.orderByConsumed = set_->bags.size() == 1 && is_by_time(query, kTime) ? 1 : 0;
    return text;
  }

  std::unique_ptr<Cursor> open() override { return std::make_unique<MessagesCursor>(*set_); }

 private:
  std::shared_ptr<const BagSet> set_;
};

}  // namespace

std::unique_ptr<Table> make_messages_table(std::shared_ptr<const BagSet> set) {
  return std::make_unique<MessagesTable>(std::move(set));
}

}  // namespace kitbag::sql
