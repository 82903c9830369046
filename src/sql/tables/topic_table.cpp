#include "sql/tables/topic_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/columns.h"
#include "kitbag/error.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "sql/arrow_value.h"
#include "sql/field_conditions.h"
#include "sql/names.h"
#include "sql/row_numbers.h"
#include "sql/time_range.h"
#include "sql/topic.h"
#include "sql/wanted.h"

// A cursor reads bag after bag, as columns(): only the fields that the query names, only the times
// that it allows. Rows that do not meet its conditions are skipped, by whole batches. The first
// batches are small, so that a query with LIMIT ends early.
//
// The plan is made once, rows are read later, and SQLite carries only a text and the values of the
// conditions from one to the other. The text has three parts, as in "gl;<4 =7 ;1,4,7": letters of
// the conditions on time, letters and columns of those on fields, and the columns that the query
// names.
//
// Bags of a catalog are closed. One is opened when it is its turn, unless the catalog says that it
// lacks the topic, has no messages in the time, or no numbers that the conditions allow.
//
// Rows of several bags come bag by bag and not sorted by time, so ORDER BY is taken over only with
// one bag; SQLite sorts otherwise.

namespace kitbag::sql {

namespace {

constexpr std::uint64_t kFirstRows = 128;
constexpr int kTimeColumn = 0;

class TopicCursor final : public Cursor {
 public:
  explicit TopicCursor(const Topic& topic) : topic_(topic), numbers_(topic.set->bags.size(), 1) {}

  void start(int number, const std::string& text, std::span<sqlite3_value*> values) override {
    query_ = {};
    query_.on_problem = topic_.set->on_problem;
    query_.select.topics = {exact_pattern(topic_.name)};
    is_descending_ = number == 1;
    if (is_descending_) query_.order = Order::reverse_time;
    std::size_t fields = text.find(';') + 1;
    std::size_t wanted = text.find(';', fields) + 1;
    std::string times = text.substr(0, fields - 1);
    apply_time_conditions(times, values, query_);
    conditions_ =
        field_conditions(text.substr(fields, wanted - 1 - fields), values.subspan(times.size()),
                         [this](int column) { return topic_.comparison(column); });
    wanted_ = parse_wanted(text.substr(wanted));
    bag_ = 0;
    numbers_.start();
    table_.reset();
    batch_.release();
    condition_.clear();
    for (const FieldCondition& each : conditions_) add_to_condition(each);
    is_end_ = query_.begin >= query_.end && query_.end != Time::max();
    row_ = 0;
    if (!is_end_) find_row();
  }

  void next() override {
    ++row_;
    find_row();
  }

  bool is_end() const override { return is_end_; }
  std::int64_t row_number() const override { return numbers_.number(); }

  void value(sqlite3_context* context, int column) override {
    if (column == topic_.bag_column()) {
      const std::string& name = topic_.set->bags[bag_].name;
      return sqlite3_result_text64(context, name.data(), name.size(), SQLITE_TRANSIENT,
                                   SQLITE_UTF8);
    }
    int place = places_.at(static_cast<std::size_t>(column));
    if (place < 0) return sqlite3_result_null(context);
    give_value(context, *schema_->children[place], *batch_->children[place], row_);
  }

 private:
  void find_row() {
    for (;; ++row_) {
      while (batch_.is_empty() || row_ >= batch_->length) {
        if (!read_batch()) return;
      }
      // Rows that are skipped count, too: a row has the same number in every scan.
      numbers_.next(bag_, 0, integer_value(*batch_->children[0], row_));
      if (matches_.empty() || matches_[static_cast<std::size_t>(row_)] != 0) return;
    }
  }

  /// Goes to the next batch, or at the end of a bag to the next one. False: there are no more.
  bool read_batch() {
    throw_if_stopped({topic_.set->stop, kNever});
    if (!table_ && !open_bag()) return false;
    row_ = 0;
    if (table_->next(batch_.fill(), {topic_.set->stop, kNever})) {
      apply_conditions();
    } else {
      table_.reset();
      ++bag_;
    }
    return true;
  }

  void apply_conditions() {
    matches_.clear();
    if (conditions_.empty()) return;
    matches_.resize(static_cast<std::size_t>(batch_->length), 1);
    for (const FieldCondition& condition : conditions_) {
      if (condition.column() == topic_.bag_column()) continue;
      int place = places_.at(static_cast<std::size_t>(condition.column()));
      condition.apply(*schema_->children[place], *batch_->children[place], matches_);
    }
  }

  /// Whether rows of that bag may meet the conditions.
  bool may_match(std::size_t bag) const {
    return std::all_of(conditions_.begin(), conditions_.end(), [&](const auto& condition) {
      if (condition.column() == topic_.bag_column()) {
        return condition.matches(topic_.set->bags[bag].name);
      }
      // A field that the bag lacks is null.
      auto field = static_cast<std::size_t>(condition.column()) - 1;
      return topic_.paths_of_bag[bag].contains(topic_.fields[field].path);
    });
  }

  /// What a catalog can judge: numbers between two others.
  void add_to_condition(const FieldCondition& condition) {
    if (condition.column() == topic_.bag_column()) return;
    auto field = static_cast<std::size_t>(condition.column()) - 1;
    std::string text = condition.as_condition(topic_.fields[field].path);
    if (text.empty()) return;
    condition_ += fmt::format("{}({})", condition_.empty() ? "" : " && ", text);
  }

  /// The times of a bag that have to be read; nothing: none.
  std::optional<Query> part_of(std::size_t bag) const {
    const NamedBag& each = topic_.set->bags[bag];
    if (!may_have(each, query_) || !may_match(bag)) return std::nullopt;
    Query part = query_;
    if (!each.closed || condition_.empty()) return part;
    FindQuery wanted{query_.select, query_.begin, query_.end, {}, condition_};
    auto times = each.closed->possible_times(wanted);
    if (!times) return std::nullopt;
    part.begin = times->begin;
    part.end = times->end;
    return part;
  }

  /// False: there are no more.
  bool open_bag() {
    for (; bag_ < topic_.set->bags.size(); ++bag_) {
      auto part = part_of(bag_);
      BagPtr opened = part ? topic_.set->bags[bag_].open() : nullptr;
      if (opened && open_table(*opened, *part)) return true;
    }
    is_end_ = true;
    return false;
  }

  /// A field that the bag lacks is null, and meets no condition.
  bool has_fields_of_conditions(const std::set<std::string>& paths) const {
    return std::all_of(conditions_.begin(), conditions_.end(), [&](const auto& condition) {
      if (condition.column() == topic_.bag_column()) return true;
      return paths.contains(topic_.fields[static_cast<std::size_t>(condition.column()) - 1].path);
    });
  }

  /// False: the bag has no such topic any more, or nothing in it meets the conditions.
  bool open_table(const Bag& bag, const Query& part) {
    std::set<std::string> of_closed;
    const std::set<std::string>* paths = &topic_.paths_of_bag[bag_];
    if (topic_.set->bags[bag_].closed) {
      // It may have changed since the catalog looked at it.
      bool has_topic = false;
      for (const ChannelPtr& channel : *bag.channels()) {
        if (!channel || channel->topic != topic_.name) continue;
        has_topic = true;
        TypePtr type = type_of(*channel, topic_.set->session);
        if (!type) continue;
        for (auto& [path, declared] : paths_of(*type)) of_closed.insert(std::move(path));
      }
      if (!has_topic || !has_fields_of_conditions(of_closed)) return false;
      paths = &of_closed;
    }
    ColumnsRequest request;
    request.has_topic = false;
    request.first_batch_rows = kFirstRows;
    request.on_error = topic_.set->on_error;
    request.report = topic_.set->report;
    request.on_warning = topic_.set->on_warning;
    places_.assign(topic_.fields.size() + 1, -1);
    places_[kTimeColumn] = 0;
    for (std::size_t column : wanted_) {
      const std::string& path = topic_.fields[column - 1].path;
      if (!paths->contains(path)) continue;
      request.fields.push_back(path);
      places_[column] = static_cast<int>(request.fields.size());
    }
    request.has_fields = !request.fields.empty();
    table_ = columns(bag, part, request, topic_.set->session);
    table_->schema(schema_.fill());
    return true;
  }

  const Topic& topic_;
  Query query_;
  bool is_descending_ = false;
  std::vector<std::size_t> wanted_;  ///< columns
  std::vector<FieldCondition> conditions_;
  std::string condition_;  ///< of these, what a catalog can judge, as for find_moments()
  std::size_t bag_ = 0;
  std::unique_ptr<Columns> table_;  ///< of that bag; null: it is not open
  std::vector<int> places_;         ///< by column: its place in `table_`; -1: the bag has none
  Owned<ArrowSchema> schema_;
  Owned<ArrowArray> batch_;
  std::vector<std::uint8_t> matches_;  ///< by row of `batch_`; empty: all do
  std::int64_t row_ = 0;               ///< in `batch_`
  RowNumbers numbers_;
  bool is_end_ = false;
};

class TopicTable final : public Table {
 public:
  explicit TopicTable(Topic topic) : topic_(std::move(topic)) {}

  std::string declaration() const override {
    std::string text = "CREATE TABLE x(time INTEGER";
    for (const FieldColumn& field : topic_.fields) {
      text += fmt::format(", {} {}", quoted(field.name), field.type);
    }
    return text + ", bag TEXT HIDDEN)";
  }

  std::string plan(sqlite3_index_info& query) const override {
    int argument = 1;
    std::string text = take_time_conditions(query, kTimeColumn, argument);
    double rows = rows_in_time(text, 1e6);
    // Before conditions on fields are counted: what they drop has to be read, too.
    query.estimatedCost = rows;
    std::string fields = take_field_conditions(
        query, [this](int column) { return topic_.comparison(column); }, argument);
    if (!fields.empty()) rows /= 4;
    query.estimatedRows = static_cast<sqlite3_int64>(rows);
    bool is_by_time = topic_.set->bags.size() == 1 && query.nOrderBy == 1 &&
                      query.aOrderBy[0].iColumn == kTimeColumn;
    if (is_by_time) {
      query.orderByConsumed = 1;
      query.idxNum = query.aOrderBy[0].desc ? 1 : 0;
    }
    return text + ';' + fields + ';' + print_wanted(query, topic_.fields.size());
  }

  std::unique_ptr<Cursor> open() override { return std::make_unique<TopicCursor>(topic_); }

 private:
  Topic topic_;
};

}  // namespace

std::unique_ptr<Table> make_topic_table(std::shared_ptr<const BagSet> set,
                                        const std::string& topic) {
  return std::make_unique<TopicTable>(topic_named(std::move(set), topic));
}

}  // namespace kitbag::sql
