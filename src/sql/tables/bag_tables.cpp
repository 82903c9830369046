#include "sql/tables/bag_tables.h"

#include <map>
#include <tuple>
#include <utility>
#include <variant>

// Small tables whose rows are made when the tables are created, of what is known without opening a
// bag. A catalog does not say of which version of its format a bag is and what was latched, so
// these are NULL for its bags.

namespace kitbag::sql {

namespace {

using Cell = std::variant<std::monostate, std::int64_t, std::string>;
using Row = std::vector<Cell>;

/// Rows that are in memory.
class ListCursor final : public Cursor {
 public:
  explicit ListCursor(const std::vector<Row>& rows) : rows_(rows) {}

  void start(int, const std::string&, std::span<sqlite3_value*>) override { row_ = 0; }
  void next() override { ++row_; }
  bool is_end() const override { return row_ >= rows_.size(); }
  std::int64_t row_number() const override { return static_cast<std::int64_t>(row_); }
  void value(sqlite3_context* context, int column) override {
    const Cell& cell = rows_[row_].at(static_cast<std::size_t>(column));
    if (const auto* number = std::get_if<std::int64_t>(&cell)) {
      return sqlite3_result_int64(context, *number);
    }
    if (const auto* text = std::get_if<std::string>(&cell)) {
      return sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT,
                                   SQLITE_UTF8);
    }
    sqlite3_result_null(context);
  }

 private:
  const std::vector<Row>& rows_;
  std::size_t row_ = 0;
};

class ListTable final : public Table {
 public:
  ListTable(std::string columns, std::vector<Row> rows)
      : columns_(std::move(columns)), rows_(std::move(rows)) {}

  std::string declaration() const override { return "CREATE TABLE x(" + columns_ + ')'; }
  std::string plan(sqlite3_index_info& query) const override {
    query.estimatedRows = static_cast<sqlite3_int64>(rows_.size());
    query.estimatedCost = static_cast<double>(rows_.size());
    return {};
  }
  std::unique_ptr<Cursor> open() override { return std::make_unique<ListCursor>(rows_); }

 private:
  std::string columns_;
  std::vector<Row> rows_;
};

Cell number(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

/// Null for a bag without messages.
Cell time_of(const Summary& summary, Time time) {
  if (summary.messages == 0) return {};
  return to_ns(time);
}

/// Null where nobody knows.
Cell latched(const NamedBag& bag, bool is_latched_topic) {
  if (bag.closed) return {};
  return std::int64_t{is_latched_topic ? 1 : 0};
}

}  // namespace

std::unique_ptr<Table> make_topics_table(std::shared_ptr<const BagSet> set) {
  std::vector<Row> rows;
  for (const NamedBag& each : set->bags) {
    const Summary& summary = each.summary();
    std::map<std::tuple<std::string, std::string, std::string>, std::pair<std::uint64_t, bool>>
        topics;
    for (std::size_t slot = 0; slot < summary.channels->size(); ++slot) {
      const ChannelPtr& channel = (*summary.channels)[slot];
      if (!channel) continue;
      auto& [messages, is_latched_topic] =
          topics[{channel->topic, channel->type(), channel->encoding}];
      messages += summary.message_counts.at(slot);
      is_latched_topic |= is_latched(*channel);
    }
    for (const auto& [names, counts] : topics) {
      const auto& [topic, type, encoding] = names;
      rows.push_back(
          {topic, type, encoding, number(counts.first), latched(each, counts.second), each.name});
    }
  }
  return std::make_unique<ListTable>(
      "topic TEXT, type TEXT, encoding TEXT, messages INTEGER, latched INTEGER, bag TEXT",
      std::move(rows));
}

std::unique_ptr<Table> make_bags_table(std::shared_ptr<const BagSet> set) {
  std::vector<Row> rows;
  for (const NamedBag& each : set->bags) {
    const Summary& summary = each.summary();
    Cell version = each.closed ? Cell() : Cell(summary.version);
    Row& row = rows.emplace_back(Row{each.name, summary.format, version, number(summary.size_bytes),
                                     time_of(summary, summary.start), time_of(summary, summary.end),
                                     number(summary.messages)});
    if (!each.closed) continue;
    const CatalogBag& known = each.closed->known();
    row.insert(row.end(), {known.damage, known.note, to_ns(known.added), known.fingerprint});
  }
  std::string columns =
      "bag TEXT, format TEXT, version TEXT, size_bytes INTEGER, start_time INTEGER, "
      "end_time INTEGER, messages INTEGER";
  if (set->is_catalog) columns += ", damage TEXT, note TEXT, added_time INTEGER, fingerprint TEXT";
  return std::make_unique<ListTable>(columns, std::move(rows));
}

std::unique_ptr<Table> make_tags_table(std::shared_ptr<const BagSet> set) {
  std::vector<Row> rows;
  for (const NamedBag& each : set->bags) {
    if (!each.closed) continue;
    for (const auto& [name, value] : each.closed->known().tags) {
      rows.push_back({each.name, name, value});
    }
  }
  return std::make_unique<ListTable>("bag TEXT, name TEXT, value TEXT", std::move(rows));
}

std::unique_ptr<Table> make_events_table(std::shared_ptr<const BagSet> set) {
  std::vector<Row> rows;
  for (const NamedBag& each : set->bags) {
    if (!each.closed) continue;
    for (const CatalogEvent& event : each.closed->known().events) {
      rows.push_back({each.name, to_ns(event.start), to_ns(event.end), event.name});
    }
  }
  return std::make_unique<ListTable>("bag TEXT, start_time INTEGER, end_time INTEGER, name TEXT",
                                     std::move(rows));
}

}  // namespace kitbag::sql
