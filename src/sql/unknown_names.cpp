#include "sql/unknown_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <set>
#include <vector>

#include "kitbag/text.h"
#include "sql/names.h"

// SQLite says which name it does not know in a sentence and nowhere else, so the name is cut out of
// it. If a version words it in another way, there is no hint, and nothing else changes.

namespace kitbag::sql {
namespace {

using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

Statement prepared(sqlite3* database, const std::string& query) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr);
  return {statement, sqlite3_finalize};  // null if it failed
}

/// Those that SQLite lists, and those that it finds by their names alone.
std::set<std::string> tables_of(sqlite3* database, const BagSet& set) {
  std::set<std::string> names;
  Statement rows = prepared(database, "SELECT name FROM sqlite_temp_schema");
  while (rows && sqlite3_step(rows.get()) == SQLITE_ROW) {
    const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(rows.get(), 0));
    if (name) names.emplace(name);
  }
  for (const NamedBag& each : set.bags) {
    for (const ChannelPtr& channel : *each.channels()) {
      if (!channel) continue;
      names.insert(channel->topic);
      names.insert(plain_name(channel->topic));
    }
  }
  names.erase("");
  return names;
}

bool has_word(std::string_view text, std::string_view word) {
  auto are_equal = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), are_equal) != text.end();
}

/// The columns of the tables that `query` names. So only tables are opened that it reads anyway.
std::set<std::string> columns_in(sqlite3* database, const BagSet& set, std::string_view query) {
  std::set<std::string> names;
  for (const std::string& table : tables_of(database, set)) {
    if (!has_word(query, table)) continue;
    Statement rows = prepared(database, fmt::format("SELECT * FROM {}", quoted(table)));
    for (int i = 0; rows && i < sqlite3_column_count(rows.get()); ++i) {
      names.emplace(sqlite3_column_name(rows.get(), i));
    }
  }
  return names;
}

/// "voltag" of "no such column: voltag".
std::string_view name_behind(std::string_view message, std::string_view beginning) {
  if (!message.starts_with(beginning)) return {};
  message.remove_prefix(beginning.size());
  if (!message.starts_with('"')) return message;
  message.remove_prefix(1);
  return message.substr(0, message.find('"'));
}

}  // namespace

std::string similar_names(sqlite3* database, const BagSet& set, std::string_view message,
                          std::string_view query) {
  constexpr std::size_t kMostSimilar = 3;
  std::string_view table = name_behind(message, "no such table: ");
  std::string_view column = name_behind(message, "no such column: ");
  if (table.empty() && column.empty()) return {};
  if (!table.empty()) {
    std::vector<std::string> spelled;
    for (const std::string& topic : topics_of(set)) {
      if (lower(topic) == lower(std::string(table))) spelled.push_back(topic);
    }
    auto exact = std::find(spelled.begin(), spelled.end(), table);
    if (spelled.size() > 1) {
      return fmt::format("; {}", case_remedy(exact == spelled.end() ? spelled.front() : *exact));
    }
  }
  auto names = table.empty() ? columns_in(database, set, query) : tables_of(database, set);
  std::vector<std::string> known(names.begin(), names.end());
  auto similar = nearest_texts(table.empty() ? column : table, known, kMostSimilar);
  // It may stand behind the name of its table, but names of columns have dots, too.
  std::size_t dot = column.find('.');
  if (similar.empty() && dot != std::string_view::npos) {
    similar = nearest_texts(column.substr(dot + 1), known, kMostSimilar);
  }
  return similar.empty() ? "" : fmt::format("; similar: {}", fmt::join(similar, ", "));
}

}  // namespace kitbag::sql
