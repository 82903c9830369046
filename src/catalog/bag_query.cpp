#include "catalog/bag_query.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "catalog/bag_rows.h"
#include "catalog/search_schema.h"
#include "catalog/stored_text.h"
#include "kitbag/selector.h"

// A query becomes SQL twice. `where` says exactly which bags are wanted; it judges bags that were
// found. `streams` are the parts of it for which an index has bags in the order of the list: any of
// them finds all bags that are wanted, and some others (bag_order.cpp).
//
// Globs are compared here and not in SQL, so that they mean what they mean everywhere. The database
// gets the numbers of the channels that match. Each glob is a condition of its own, as a bag must
// have a topic for each.

namespace kitbag::catalog {
namespace {

class Builder {
 public:
  explicit Builder(Database& database) : database_(database) {}

  BagQuery& made() { return made_; }
  template <class Value>
  std::string parameter(Value value) {
    made_.parameters.emplace_back(std::move(value));
    return fmt::format("${}", made_.parameters.size());
  }
  void require(std::string condition) { conditions_.push_back(std::move(condition)); }

  /// A bag must have a channel that the selection selects.
  void require_channel(const Selection& selection) {
    Selector selector(selection);
    std::vector<std::int64_t> channels;
    database_.run("SELECT channel, topic, type FROM channels", {}, [&](SqlRow& row) {
      if (selector.matches(bytes_in(row, 1), bytes_in(row, 2))) {
        channels.push_back(whole_in(row, 0));
      }
    });
    if (channels.empty()) {
      made_.is_empty = true;
      return;
    }
    std::string condition = fmt::format("channel IN ({})", fmt::join(channels, ", "));
    require(fmt::format(
        "EXISTS (SELECT 1 FROM bag_channels WHERE bag_channels.bag = bags.bag AND {})", condition));
    BagStream stream{"bag_channels", condition};
    // The index has rows of one channel in the order of the list; those of several are merged.
    for (std::int64_t channel : channels) {
      stream.stretches.push_back(fmt::format("channel = {}", channel));
    }
    made_.streams.push_back(std::move(stream));
  }

  void require_tag(const std::string& name, const std::string& value) {
    require("EXISTS (SELECT 1 FROM tags WHERE tags.bag = bags.bag AND tags.name = " +
            parameter(stored_text(name)) + " AND tags.value = " + parameter(stored_text(value)) +
            ")");
    std::string condition = "name = $1 AND value = $2";
    made_.streams.push_back(
        {"tags", condition, {condition}, {stored_text(name), stored_text(value)}});
  }

  BagQuery finish() {
    if (!conditions_.empty())
      made_.where = fmt::format("WHERE {}", fmt::join(conditions_, " AND "));
    made_.is_one_stream = conditions_.size() == made_.streams.size() && conditions_.size() <= 1;
    return std::move(made_);
  }

 private:
  Database& database_;
  BagQuery made_;
  std::vector<std::string> conditions_;
};

/// `text` as a part of a text, for LIKE.
std::string anywhere(const std::string& text) {
  std::string pattern = "%";
  for (char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + "%";
}

/// A bag that ends at or after `begin_ns` may start long before it. Most bags are not longer than a
/// day, and those that are have an index of their own.
std::int64_t least_start(Database& database, std::int64_t begin_ns,
                         const std::optional<std::int64_t>& end_ns) {
  std::int64_t least = begin_ns < INT64_MIN + kLongNs ? INT64_MIN : begin_ns - kLongNs;
  std::vector<SqlValue> parameters{begin_ns};
  if (end_ns) parameters.emplace_back(*end_ns);
  // "+": else both databases look for the least start from the oldest bag on.
  auto rows =
      database.run(fmt::format("SELECT MIN(+start_ns) FROM bags WHERE {} AND end_ns >= $1{}",
                               is_long_condition(), end_ns ? " AND start_ns < $2" : ""),
                   parameters);
  const std::int64_t* of_long = rows.empty() ? nullptr : std::get_if<std::int64_t>(&rows[0].at(0));
  return of_long ? std::min(least, *of_long) : least;
}

void add_times(Database& database, const FindQuery& query, Builder& builder) {
  bool has_range = query.begin != Time::min() || query.end != Time::max();
  bool is_longer = query.longer_than != Duration::zero();
  // The times of a bag without messages mean nothing.
  if (has_range || is_longer) builder.require("bags.messages > 0");
  if (query.end != Time::max()) {
    builder.made().end_ns = to_ns(query.end);
    builder.require("bags.start_ns < " + builder.parameter(to_ns(query.end)));
  }
  if (query.begin != Time::min()) {
    builder.made().least_ns = least_start(database, to_ns(query.begin), builder.made().end_ns);
    builder.require("bags.end_ns >= " + builder.parameter(to_ns(query.begin)));
  }
  if (is_longer) {
    // NUMERIC, because the difference of two times may need more than 64 bits.
    builder.require("CAST(bags.end_ns AS NUMERIC) - bags.start_ns > " +
                    builder.parameter(query.longer_than.count()));
  }
}

std::string like(std::string_view column, std::string_view pattern) {
  return fmt::format("LOWER({}) LIKE LOWER(CAST({} AS TEXT)) ESCAPE '\\'", column, pattern);
}

void add_text(const std::string& text, Builder& builder) {
  if (text.empty()) return;
  // The longest is likely to be the rarest.
  std::string& longest = builder.made().text;
  if (text.size() > longest.size()) longest = text;
  std::string pattern = builder.parameter(anywhere(stored_text(text)));
  // "OFFSET": else PostgreSQL looks for the text in all bags, to judge a few.
  auto has = [](std::string_view table, const std::string& condition) {
    return fmt::format(
        "EXISTS (SELECT 1 FROM {0} WHERE {0}.bag = bags.bag AND ({1}) LIMIT 1 OFFSET 0)", table,
        condition);
  };
  builder.require(
      fmt::format("({} OR {} OR {} OR {})", like("bags.note", pattern),
                  has("files", like("files.path", pattern)),
                  has("tags", like("tags.name", pattern) + " OR " + like("tags.value", pattern)),
                  has("events", like("events.name", pattern))));
}

/// The pieces of three characters of a text, as FTS5 is asked for them; empty: it has none.
std::string trigrams_of(const std::string& text) {
  constexpr std::size_t kMostPieces = 32;  // more would not make the answer much smaller
  std::vector<std::string_view> characters;
  for (std::string_view left = text; !left.empty();) {
    std::size_t length = std::max<std::size_t>(decode_utf8(left).length, 1);
    characters.push_back(left.substr(0, length));
    left.remove_prefix(length);
  }
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i + 3 <= characters.size() && pieces.size() < kMostPieces; ++i) {
    std::string piece;
    for (std::size_t j = i; j < i + 3; ++j) {
      piece += characters[j];
      if (characters[j] == "\"") piece += '"';
    }
    pieces.push_back('"' + piece + '"');
  }
  return fmt::format("{}", fmt::join(pieces, " AND "));
}

}  // namespace

BagQuery bag_query(Database& database, const CatalogQuery& query) {
  Builder builder(database);
  for (const std::string& topic : query.query.select.topics) {
    builder.require_channel({.topics = {topic}});
  }
  for (const std::string& type : query.query.select.types) {
    builder.require_channel({.types = {type}});
  }
  add_times(database, query.query, builder);
  for (const auto& [name, value] : query.tags) builder.require_tag(name, value);
  if (query.is_damaged) builder.require("bags.problems > 0");
  if (query.has_drops) {
    builder.require("EXISTS (SELECT 1 FROM drops WHERE drops.bag = bags.bag)");
  }
  add_text(query.text, builder);
  for (const std::string& word : query.words) add_text(word, builder);
  return builder.finish();
}

std::uint64_t undecoded_messages(Database& database, const CatalogQuery& query) {
  BagQuery bags = bag_query(database, query);
  if (bags.is_empty) return 0;
  Selector selector(query.query.select);
  std::uint64_t messages = 0;
  for (const SqlRow& row : database.run(
           fmt::format("SELECT topic, type, CAST(SUM(undecoded) AS BIGINT) FROM bag_channels "
                       "JOIN channels ON channels.channel = bag_channels.channel "
                       "JOIN bags ON bags.bag = bag_channels.bag {} {} undecoded > 0 "
                       "GROUP BY topic, type",
                       bags.where, bags.where.empty() ? "WHERE" : "AND"),
           bags.parameters)) {
    if (selector.matches(bytes_in(row, 0), bytes_in(row, 1))) messages += count_in(row, 2);
  }
  return messages;
}

// "CROSS": else SQLite may look into the index of texts for each bag, in the order of the list.
TextQuery text_query(const SqlDialect& dialect, const std::string& text) {
  std::string stored = stored_text(text);
  if (dialect.name == "sqlite") {
    std::string pieces = trigrams_of(stored);
    if (!pieces.empty()) {
      return {
          "SELECT bags.start_ns AS start_ns, bags.bag AS bag FROM bag_texts "
          "CROSS JOIN bags ON bags.bag = bag_texts.rowid WHERE bag_texts MATCH $1",
          {std::move(pieces)}};
    }
  }
  return {fmt::format("SELECT start_ns, bag FROM files WHERE {} "
                      "UNION ALL SELECT start_ns, bag FROM tags WHERE {} OR {} "
                      "UNION ALL SELECT start_ns, bag FROM bags WHERE {} "
                      "UNION ALL SELECT bags.start_ns, bags.bag FROM events "
                      "JOIN bags ON bags.bag = events.bag WHERE {}",
                      like("path", "$1"), like("name", "$1"), like("value", "$1"),
                      like("note", "$1"), like("events.name", "$1")),
          {anywhere(stored)}};
}

}  // namespace kitbag::catalog
