#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "kitbag/bag.h"
#include "kitbag/error.h"
#include "sql/arrow_value.h"
#include "sql/names.h"
#include "sql/rows.h"
#include "sql/tables/aligned_tables.h"
#include "sql/time_range.h"
#include "sql/topic.h"
#include "sql/wanted.h"

// Two messages are held at a time: the last one that is not later than the row, and the one after
// it. What the query names of the times restricts what is read; before that, only the last message
// before the first row is needed.

namespace kitbag::sql {

namespace {

enum class Method { previous, nearest, linear };

struct Resampling {
  Topic topic;
  std::int64_t period_ns = 0;
  Method method = Method::previous;
};

constexpr std::int64_t floor_of(std::int64_t ns, std::int64_t period) {
  std::int64_t rest = ns % period;
  return ns - (rest < 0 ? rest + period : rest);
}

class ResampleCursor final : public Cursor {
 public:
  explicit ResampleCursor(const Resampling& table) : table_(table) {}

  void start(int, const std::string& text, std::span<sqlite3_value*> values) override {
    std::size_t behind = text.find(';');
    Query query;
    apply_time_conditions(text.substr(0, behind), values, query);
    rows_.reset();
    previous_ = next_ = {};
    find_range(query);
    if (is_end()) return;
    places_.assign(table_.topic.fields.size() + 1, 0);
    std::vector<std::string> fields;
    for (std::size_t column : parse_wanted(text.substr(behind + 1))) {
      places_[column] = fields.size();
      fields.push_back(table_.topic.fields[column - 1].path);
    }
    // The message behind the last row may come at any time after it.
    bool needs_later = table_.method != Method::previous;
    Time end = needs_later ? Time::max() : from_ns(last_ns_ + 1);
    rows_.emplace(*table_.topic.set, table_.topic.name, std::move(fields), from_ns(time_ns_ + 1),
                  end, true);
    next_ = rows_->next();
    advance();
  }

  void next() override {
    // Not a sum, which could overflow.
    if (time_ns_ > last_ns_ - table_.period_ns) {
      time_ns_ = last_ns_ + 1;
      return;
    }
    time_ns_ += table_.period_ns;
    advance();
  }

  bool is_end() const override { return time_ns_ > last_ns_; }
  /// No two rows have one time.
  std::int64_t row_number() const override { return time_ns_; }

  void value(sqlite3_context* context, int column) override {
    if (column == 0) return sqlite3_result_int64(context, time_ns_);
    if (!previous_) return sqlite3_result_null(context);
    std::size_t field = places_.at(static_cast<std::size_t>(column));
    if (table_.method == Method::linear && previous_.time != from_ns(time_ns_) &&
        is_number(rows_->schema(field))) {
      return give_between(context, field);
    }
    const HeldRow& row = is_next_nearer() ? next_ : previous_;
    give_value(context, rows_->schema(field), Rows::values(row, field), row.row);
  }

 private:
  /// The times of the rows that the query asks for.
  void find_range(const Query& query) {
    time_ns_ = 0;
    last_ns_ = -1;
    std::optional<Time> start;
    Time end{};
    for (const NamedBag& each : table_.topic.set->bags) {
      const Summary& summary = each.summary();
      if (summary.messages == 0) continue;
      start = std::min(start.value_or(summary.start), summary.start);
      end = std::max(end, summary.end);
    }
    if (!start) return;
    // Sums stay in range: times and periods are a small part of what an integer holds.
    constexpr std::int64_t kMostNs = 9'000'000'000'000'000'000;
    constexpr Time kMost = from_ns(kMostNs);
    Time first = std::max({*start, query.begin, from_ns(-kMostNs)});
    Time last = std::min({end, kMost, query.end == Time::max() ? kMost : query.end - Duration(1)});
    if (first > last) return;
    // Rows are at multiples of the period since 1970, so that tables of one rate have rows at the
    // same times.
    std::int64_t begin_ns = floor_of(to_ns(first) - 1, table_.period_ns);
    if (begin_ns > to_ns(last) - table_.period_ns) return;
    time_ns_ = begin_ns + table_.period_ns;
    last_ns_ = to_ns(last);
  }

  void advance() {
    while (next_ && next_.time <= from_ns(time_ns_)) {
      previous_ = std::move(next_);
      next_ = rows_->next();
    }
  }

  bool is_next_nearer() const {
    if (table_.method != Method::nearest || !next_) return false;
    Time time = from_ns(time_ns_);
    return next_.time - time < time - previous_.time;
  }

  /// Enumerations, which have metadata, and booleans are no numbers.
  static bool is_number(const ArrowSchema& schema) {
    return schema.format[1] == 0 && !schema.metadata &&
           std::string_view("cCsSiIlLfg").find(schema.format[0]) != std::string_view::npos;
  }

  void give_between(sqlite3_context* context, std::size_t field) const {
    if (!next_) return sqlite3_result_null(context);
    const ArrowSchema& schema = rows_->schema(field);
    auto from = real_at(schema, Rows::values(previous_, field), previous_.row);
    auto to = real_at(schema, Rows::values(next_, field), next_.row);
    if (!from || !to) return sqlite3_result_null(context);
    auto behind = static_cast<double>((from_ns(time_ns_) - previous_.time).count());
    auto gap = static_cast<double>((next_.time - previous_.time).count());
    sqlite3_result_double(context, *from + (*to - *from) * (behind / gap));
  }

  const Resampling& table_;
  std::optional<Rows> rows_;
  std::vector<std::size_t> places_;  ///< by column: its place among the fields of `rows_`
  HeldRow previous_;                 ///< the last message that is not after the row
  HeldRow next_;                     ///< the message after it
  std::int64_t time_ns_ = 0;         ///< of the row
  std::int64_t last_ns_ = -1;        ///< no row is later
};

class ResampleTable final : public Table {
 public:
  explicit ResampleTable(Resampling table) : table_(std::move(table)) {}

  std::string declaration() const override {
    std::string text = "CREATE TABLE x(time INTEGER";
    for (const FieldColumn& field : table_.topic.fields) {
      text += fmt::format(", {} {}", quoted(field.name), field.type);
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
    return text + ';' + print_wanted(query, table_.topic.fields.size());
  }

  std::unique_ptr<Cursor> open() override { return std::make_unique<ResampleCursor>(table_); }

 private:
  Resampling table_;
};

std::int64_t period_of(const std::string& rate) {
  double hertz = 0;
  auto [end, error] = std::from_chars(rate.data(), rate.data() + rate.size(), hertz);
  bool is_valid =
      error == std::errc() && end == rate.data() + rate.size() && hertz >= 1e-6 && hertz <= 1e9;
  if (!is_valid) {
    throw Error(
        ErrorCode::invalid,
        fmt::format("invalid rate {}: it is a number of rows in a second, from 1e-6 to 1e9", rate));
  }
  return std::llround(1e9 / hertz);
}

Method method_of(const std::string& name) {
  if (name == "previous") return Method::previous;
  if (name == "nearest") return Method::nearest;
  if (name == "linear") return Method::linear;
  throw Error(ErrorCode::invalid,
              fmt::format("unknown method {}; supported: previous, nearest, linear", name));
}

}  // namespace

std::unique_ptr<Table> make_resample_table(std::shared_ptr<const BagSet> set,
                                           const std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || arguments.size() > 3) {
    throw Error(ErrorCode::invalid,
                "kitbag_resample takes a topic, a rate in Hz and, if wanted, a method");
  }
  Resampling table;
  table.period_ns = period_of(arguments[1]);
  if (arguments.size() == 3) table.method = method_of(arguments[2]);
  table.topic = topic_named(std::move(set), arguments[0]);
  return std::make_unique<ResampleTable>(std::move(table));
}

}  // namespace kitbag::sql
