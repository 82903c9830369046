#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "kitbag/bag.h"
#include "kitbag/error.h"
#include "kitbag/text.h"
#include "sql/arrow_value.h"
#include "sql/names.h"
#include "sql/row_numbers.h"
#include "sql/rows.h"
#include "sql/tables/aligned_tables.h"
#include "sql/time_range.h"
#include "sql/topic.h"
#include "sql/wanted.h"

// Both topics are read once, side by side. Of the other topic, the last message that is not later
// than the row and the one after it are held.
//
//     topic        r1         r2  r3
//     other    o1       o2            o3        r1 has o1, r2 and r3 have o2
//
// The message in front of the first row is found by the index of the bag (Rows).

namespace kitbag::sql {

namespace {

/// Its columns are `time`, the fields of `topic`, the time of `other` and its fields.
struct AsofJoin {
  Topic topic;
  Topic other;
  std::vector<std::string> names;  ///< of the columns of `other`
  Duration tolerance = Duration::max();

  std::size_t other_time() const { return topic.fields.size() + 1; }
  std::size_t last_column() const { return other_time() + other.fields.size(); }
};

class AsofCursor final : public Cursor {
 public:
  explicit AsofCursor(const AsofJoin& table) : table_(table) {}

  void start(int, const std::string& text, std::span<sqlite3_value*> values) override {
    std::size_t behind = text.find(';');
    Query query;
    apply_time_conditions(text.substr(0, behind), values, query);
    rows_.reset();
    others_.reset();
    row_ = previous_ = next_ = {};
    numbers_.start();
    // An end of Time::max() excludes nothing.
    if (query.begin >= query.end && query.end != Time::max()) return;
    places_.assign(table_.last_column() + 1, 0);
    std::vector<std::string> fields;
    std::vector<std::string> other_fields;
    for (std::size_t column : parse_wanted(text.substr(behind + 1))) {
      // Rows have their times without being asked for them.
      if (column == table_.other_time()) continue;
      bool is_other = column > table_.other_time();
      std::vector<std::string>& list = is_other ? other_fields : fields;
      places_[column] = list.size();
      list.push_back(is_other ? table_.other.fields[column - table_.other_time() - 1].path
                              : table_.topic.fields[column - 1].path);
    }
    const BagSet& set = *table_.topic.set;
    rows_.emplace(set, table_.topic.name, std::move(fields), query.begin, query.end, false);
    others_.emplace(set, table_.other.name, std::move(other_fields), query.begin, query.end, true);
    next_ = others_->next();
    next();
  }

  void next() override {
    row_ = rows_->next();
    if (row_) numbers_.next(0, 0, to_ns(row_.time));
    while (row_ && next_ && next_.time <= row_.time) {
      previous_ = std::move(next_);
      next_ = others_->next();
    }
  }

  bool is_end() const override { return !row_; }
  std::int64_t row_number() const override { return numbers_.number(); }

  void value(sqlite3_context* context, int number) override {
    auto column = static_cast<std::size_t>(number);
    if (column == 0) return sqlite3_result_int64(context, to_ns(row_.time));
    std::size_t field = places_.at(column);
    if (column < table_.other_time()) {
      return give_value(context, rows_->schema(field), Rows::values(row_, field), row_.row);
    }
    bool is_near =
        previous_ && saturating_difference(previous_.time, row_.time) <= table_.tolerance;
    if (!is_near) return sqlite3_result_null(context);
    if (column == table_.other_time()) {
      return sqlite3_result_int64(context, to_ns(previous_.time));
    }
    give_value(context, others_->schema(field), Rows::values(previous_, field), previous_.row);
  }

 private:
  const AsofJoin& table_;
  std::optional<Rows> rows_;
  std::optional<Rows> others_;
  std::vector<std::size_t> places_;  ///< by column: its place among the fields that are read
  HeldRow row_;
  HeldRow previous_;  ///< of the other topic: the last message that is not after the row
  HeldRow next_;      ///< the message after that
  RowNumbers numbers_{1, 1};
};

class AsofTable final : public Table {
 public:
  explicit AsofTable(AsofJoin table) : table_(std::move(table)) {}

  std::string declaration() const override {
    std::string text = "CREATE TABLE x(time INTEGER";
    for (const FieldColumn& field : table_.topic.fields) {
      text += fmt::format(", {} {}", quoted(field.name), field.type);
    }
    text += fmt::format(", {} INTEGER", quoted(table_.names[0]));
    for (std::size_t i = 0; i < table_.other.fields.size(); ++i) {
      text += fmt::format(", {} {}", quoted(table_.names[i + 1]), table_.other.fields[i].type);
    }
    return text + ')';
  }

  std::string plan(sqlite3_index_info& query) const override {
    int argument = 1;
    std::string text = take_time_conditions(query, 0, argument);
    double rows = rows_in_time(text, 1e6);
    query.estimatedRows = static_cast<sqlite3_int64>(rows);
    query.estimatedCost = rows;
    query.orderByConsumed = is_by_time(query, 0) ? 1 : 0;
    return text + ';' + print_wanted(query, table_.last_column());
  }

  std::unique_ptr<Cursor> open() override { return std::make_unique<AsofCursor>(table_); }

 private:
  AsofJoin table_;
};

}  // namespace

std::unique_ptr<Table> make_asof_table(std::shared_ptr<const BagSet> set,
                                       const std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || arguments.size() > 3) {
    throw Error(ErrorCode::invalid, "kitbag_asof takes two topics and, if wanted, a tolerance");
  }
  AsofJoin table;
  if (arguments.size() == 3) table.tolerance = parse_duration(arguments[2]);
  table.topic = topic_named(set, arguments[0]);
  table.other = topic_named(std::move(set), arguments[1]);
  std::set<std::string> taken = {"time", "rowid"};
  for (const FieldColumn& field : table.topic.fields) taken.insert(lower(field.name));
  auto add_name = [&](const std::string& field) {
    std::string name = plain_name(table.other.name) + '.' + field;
    while (!taken.insert(lower(name)).second) name += '_';
    table.names.push_back(std::move(name));
  };
  add_name("time");
  for (const FieldColumn& field : table.other.fields) add_name(field.name);
  return std::make_unique<AsofTable>(std::move(table));
}

}  // namespace kitbag::sql
