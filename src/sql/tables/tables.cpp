#include "sql/tables/tables.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/text.h"
#include "sql/names.h"
#include "sql/tables/aligned_tables.h"
#include "sql/tables/bag_tables.h"
#include "sql/tables/element_table.h"
#include "sql/tables/lookup_table.h"
#include "sql/tables/topic_table.h"
#include "sql/tables/unnest_table.h"
#include "sql/tables/virtual_table.h"

// Two ways for a table to exist. With CREATE VIRTUAL TABLE it is listed in sqlite_temp_master,
// which shells and viewers show. But SQLite parses its whole schema again for each one, so the time
// grows with the square of their number. An eponymous module is a name that SQLite tries when a
// query uses it: it costs nothing until then and is not listed. The first way is for up to
// kMostTopicsListed topics, the second for more and for the second names without slashes.
//
// Names of SQL do not differ by case, topics do. Whoever comes first has a name: fixed tables, then
// topics, then second names; all topics come before any second name, so that "/imu" never hides
// another topic called "imu". Of topics that differ by case alone, none has the name: it would
// answer for the others.

namespace kitbag::sql {

namespace {

void execute(sqlite3* database, const std::string& text) {
  if (sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw_failure(database);
  }
}

void time_text(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return sqlite3_result_null(context);
  std::string text = format_time(from_ns(sqlite3_value_int64(values[0])));
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void time_ns(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return sqlite3_result_null(context);
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  try {
    Time time = parse_time(text ? text : "").resolve({}, {});
    sqlite3_result_int64(context, to_ns(time));
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

void add_function(sqlite3* database, const char* name,
                  void (*function)(sqlite3_context*, int, sqlite3_value**)) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  int result = sqlite3_create_function_v2(database, name, 1, kFlags, nullptr, function, nullptr,
                                          nullptr, nullptr);
  if (result != SQLITE_OK) throw_failure(database);
}

/// SQLite reads its whole schema for each table that is created. With more topics than this, their
/// tables are not listed there; they are made when a query names them.
constexpr std::size_t kMostTopicsListed = 1000;

class Creator {
 public:
  Creator(sqlite3* database, std::shared_ptr<const BagSet> set)
      : database_(database), set_(std::move(set)) {}

  std::int64_t create() {
    add_table("messages", make_messages_table);
    add_table("topics", make_topics_table);
    add_table("bags", make_bags_table);
    if (set_->is_catalog) {
      add_table("tags", make_tags_table);
      add_table("events", make_events_table);
    }
    add_table("tf", make_tf_table);
    add_table("diagnostics", make_diagnostics_table);
    add_module(database_, "kitbag_topic", [set = set_](const auto& arguments) {
      if (arguments.size() != 1) {
        throw Error(ErrorCode::invalid, "kitbag_topic takes one argument, the name of a topic");
      }
      return make_topic_table(set, arguments[0]);
    });
    add_module(database_, "kitbag_unnest", [set = set_](const auto& arguments) {
      if (arguments.size() != 2) {
        throw Error(ErrorCode::invalid,
                    "kitbag_unnest takes two arguments: a topic, and the name of a list in it");
      }
      return make_unnest_table(set, arguments[0], arguments[1]);
    });
    add_module(database_, "kitbag_resample",
               [set = set_](const auto& arguments) { return make_resample_table(set, arguments); });
    add_module(database_, "kitbag_asof",
               [set = set_](const auto& arguments) { return make_asof_table(set, arguments); });
    add_module(
        database_, "tf_lookup", [set = set_](const auto&) { return make_lookup_table(set); }, true);
    auto count = static_cast<std::int64_t>(names_.size());
    // Names of functions in FROM, which a topic of the same name would hide.
    names_.insert({"tf_lookup", "json_each", "json_tree"});
    const std::vector<std::string> topics = topics_of(*set_);
    const bool are_listed = topics.size() <= kMostTopicsListed;
    std::map<std::string, int> spellings;
    for (const std::string& topic : topics) ++spellings[lower(topic)];
    std::vector<std::string> with_table;
    for (const std::string& topic : topics) {
      if (spellings[lower(topic)] > 1) {
        names_.insert(lower(topic));
        warn(fmt::format("{} has no table, as {}", topic, case_remedy(topic)));
        continue;
      }
      if (add_topic(topic, are_listed)) with_table.push_back(topic);
    }
    for (const std::string& topic : with_table) add_plain_name(topic);
    count += static_cast<std::int64_t>(with_table.size());
    add_function(database_, "time_text", time_text);
    add_function(database_, "time_ns", time_ns);
    return count;
  }

 private:
  template <class Make>
  void add_table(const std::string& name, Make make) {
    std::string module = "kitbag_" + name;
    add_module(database_, module, [set = set_, make](const auto&) { return make(set); });
    execute(database_, fmt::format("CREATE VIRTUAL TABLE temp.{} USING {}", name, module));
    names_.insert(name);
  }

  bool add_topic(const std::string& topic, bool is_listed) {
    if (!take_name(topic)) {
      warn(
          fmt::format("{}: this name is taken or reserved; use CREATE VIRTUAL TABLE temp.NAME "
                      "USING kitbag_topic({})",
                      topic, quoted(topic)));
      return false;
    }
    if (!is_listed) {
      add_name(topic, topic);
      return true;
    }
    try {
      execute(database_,
              fmt::format("CREATE VIRTUAL TABLE temp.{0} USING kitbag_topic({0})", quoted(topic)));
      return true;
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      warn(fmt::format("{} has no table: {}", topic, error.message()));
      return false;
    }
  }

  void add_plain_name(const std::string& topic) {
    std::string name = plain_name(topic);
    if (!name.empty() && take_name(name)) add_name(name, topic);
  }

  /// False: another table has the name, or SQLite or a module may have it.
  bool take_name(const std::string& name) {
    std::string key = lower(name);
    bool is_reserved = key.starts_with("sqlite_") || key.starts_with("kitbag_");
    return !is_reserved && names_.insert(key).second;
  }

  /// A table that SQLite finds by its name, but does not list in its schema.
  void add_name(const std::string& name, const std::string& topic) {
    add_module(
        database_, name, [set = set_, topic](const auto&) { return make_topic_table(set, topic); },
        true);
  }

  void warn(const std::string& sentence) const {
    if (set_->on_warning) set_->on_warning(Error(ErrorCode::remark, sentence));
  }

  sqlite3* database_;
  std::shared_ptr<const BagSet> set_;
  std::set<std::string> names_;  ///< of tables, in lower case
};

}  // namespace

std::int64_t create_tables(sqlite3* database, const std::shared_ptr<const BagSet>& set) {
  return Creator(database, set).create();
}

}  // namespace kitbag::sql
