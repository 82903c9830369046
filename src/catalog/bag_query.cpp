#include "catalog/bag_query.h"

#include <fmt/format.h>

#include "catalog/bag_rows.h"
#include "catalog/stored_text.h"
#include "kitbag/selector.h"

namespace kitbag::catalog {
namespace {

class Builder {
 public:
  explicit Builder(Database& database) : database_(database) {}

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
    require(
        fmt::format("EXISTS (SELECT 1 FROM bag_channels WHERE bag_channels.bag = bags.bag "
                    "AND bag_channels.channel IN ({}))",
                    fmt::join(channels, ", ")));
  }

  BagQuery finish() {
    if (!conditions_.empty())
      made_.where = fmt::format("WHERE {}", fmt::join(conditions_, " AND "));
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

void add_times(const FindQuery& query, Builder& builder) {
  bool has_range = query.begin != Time::min() || query.end != Time::max();
  bool is_longer = query.longer_than != Duration::zero();
  if (has_range || is_longer) builder.require("bags.messages > 0");
  if (query.end != Time::max()) {
    builder.require("bags.start_ns < " + builder.parameter(to_ns(query.end)));
  }
  if (query.begin != Time::min()) {
    builder.require("bags.end_ns >= " + builder.parameter(to_ns(query.begin)));
  }
  if (is_longer) {
    // NUMERIC, because the difference of two times may need more than 64 bits.
    builder.require("CAST(bags.end_ns AS NUMERIC) - bags.start_ns > " +
                    builder.parameter(query.longer_than.count()));
  }
}

void add_text(const std::string& text, Builder& builder) {
  if (text.empty()) return;
  std::string pattern = builder.parameter(anywhere(stored_text(text)));
  auto like = [&](const char* column) {
    return fmt::format("LOWER({}) LIKE LOWER(CAST({} AS TEXT)) ESCAPE '\\'", column, pattern);
  };
  builder.require(
      fmt::format("({} OR EXISTS (SELECT 1 FROM files WHERE files.bag = bags.bag AND {}) "
                  "OR EXISTS (SELECT 1 FROM tags WHERE tags.bag = bags.bag AND ({} OR {})) "
                  "OR EXISTS (SELECT 1 FROM events WHERE events.bag = bags.bag AND {}))",
                  like("bags.note"), like("files.path"), like("tags.name"), like("tags.value"),
                  like("events.name")));
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
  add_times(query.query, builder);
  for (const auto& [name, value] : query.tags) {
    builder.require("EXISTS (SELECT 1 FROM tags WHERE tags.bag = bags.bag AND tags.name = " +
                    builder.parameter(stored_text(name)) +
                    " AND tags.value = " + builder.parameter(stored_text(value)) + ")");
  }
  add_text(query.text, builder);
  for (const std::string& word : query.words) add_text(word, builder);
  return builder.finish();
}

}  // namespace kitbag::catalog
