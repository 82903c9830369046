#include "catalog/search_schema.h"

#include <fmt/format.h>

// A list of bags is in the order of their starts. So whatever selects bags has an index in that
// order, in which a page is a few rows one behind the other, wherever it is: tags, channels and
// paths know when their bag starts, which never changes. Triggers see to it, whoever writes the
// rows.
//
// Texts are found by their pieces of three characters. PostgreSQL has indexes for LIKE by pg_trgm,
// which comes with it, but may not be installed; without it LIKE reads the tables. SQLite has FTS5:
// `bag_texts` is one text for each bag, with all of its texts, kept up to date by triggers. What it
// finds is compared with the texts themselves, so it only has to find enough.

namespace kitbag::catalog {
namespace {

void add_start_triggers(bool is_sqlite, std::vector<std::string>& statements) {
  if (is_sqlite) {
    for (const auto& [table, key] : {std::pair("bag_channels", "channel"),
                                     std::pair("tags", "name"), std::pair("files", "path")}) {
      // A trigger of SQLite cannot change the row that comes, so it updates it afterwards.
      std::string action = fmt::format(
          "UPDATE {0} SET start_ns = (SELECT bags.start_ns FROM bags WHERE bags.bag = new.bag) "
          "WHERE bag = new.bag AND {1} = new.{1}",
          table, key);
      statements.push_back(fmt::format(
          "CREATE TRIGGER {0}_start_new AFTER INSERT ON {0} BEGIN {1}; END", table, action));
      statements.push_back(
          fmt::format("CREATE TRIGGER {0}_start_other AFTER UPDATE OF bag ON {0} BEGIN {1}; END",
                      table, action));
    }
    return;
  }
  statements.push_back(
      "CREATE FUNCTION kitbag_start_of_bag() RETURNS trigger LANGUAGE plpgsql AS $do$ BEGIN "
      "NEW.start_ns := (SELECT bags.start_ns FROM bags WHERE bags.bag = NEW.bag); "
      "RETURN NEW; END $do$");
  for (const char* table : {"bag_channels", "tags", "files"}) {
    statements.push_back(
        fmt::format("CREATE TRIGGER {0}_start BEFORE INSERT OR UPDATE OF bag ON {0} FOR EACH ROW "
                    "EXECUTE FUNCTION kitbag_start_of_bag()",
                    table));
  }
}

void add_starts(bool is_sqlite, std::vector<std::string>& statements) {
  for (const char* table : {"bag_channels", "tags", "files"}) {
    statements.push_back(
        fmt::format("ALTER TABLE {} ADD COLUMN start_ns BIGINT NOT NULL DEFAULT 0", table));
    statements.push_back(
        fmt::format("UPDATE {0} SET start_ns = "
                    "(SELECT bags.start_ns FROM bags WHERE bags.bag = {0}.bag)",
                    table));
  }
  statements.insert(
      statements.end(),
      {"DROP INDEX bag_channels_by_channel",
       "CREATE INDEX bag_channels_by_channel ON bag_channels (channel, start_ns, bag)",
       "DROP INDEX tags_by_value",
       "CREATE INDEX tags_by_value ON tags (name, value, start_ns, bag)", "DROP INDEX bags_by_end",
       "CREATE INDEX bags_that_are_long ON bags (end_ns, start_ns) WHERE " + is_long_condition()});
  add_start_triggers(is_sqlite, statements);
}

/// SQL that puts the texts of the bag `bag` into `bag_texts` anew.
std::string refresh(std::string_view bag) {
  auto all = [](std::string_view value, std::string_view table) {
    return fmt::format(
        "COALESCE((SELECT group_concat({0}, char(10)) FROM {1} WHERE {1}.bag = bags.bag), '')",
        value, table);
  };
  return fmt::format(
      "INSERT INTO bag_texts (rowid, text) SELECT bags.bag, bags.note || char(10) || {} || "
      "char(10) "
      "|| {} || char(10) || {} FROM bags{}",
      all("path", "files"), all("name || char(10) || value", "tags"), all("name", "events"),
      bag.empty() ? "" : fmt::format(" WHERE bags.bag = {}", bag));
}

std::string forget(std::string_view bag) {
  return fmt::format("DELETE FROM bag_texts WHERE rowid = {}", bag);
}

/// Without positions (detail = 'none') the index is small, and cannot find pieces that stand one
/// behind the other. So trigrams_of() asks for all pieces of a text, wherever they stand.
void add_fts5(std::vector<std::string>& statements) {
  statements.push_back(
      "CREATE VIRTUAL TABLE bag_texts USING fts5(text, tokenize = 'trigram', detail = 'none', "
      "columnsize = 0)");
  statements.push_back(refresh(""));
  std::string renew_new = fmt::format("{}; {};", forget("new.bag"), refresh("new.bag"));
  std::string renew_old = fmt::format("{}; {};", forget("old.bag"), refresh("old.bag"));
  for (const auto& [table, texts] : {std::pair("files", "path"), std::pair("tags", "name, value"),
                                     std::pair("events", "name")}) {
    statements.push_back(fmt::format(
        "CREATE TRIGGER {0}_text_new AFTER INSERT ON {0} BEGIN {1} END", table, renew_new));
    statements.push_back(fmt::format(
        "CREATE TRIGGER {0}_text_old AFTER DELETE ON {0} BEGIN {1} END", table, renew_old));
    statements.push_back(
        fmt::format("CREATE TRIGGER {0}_text_other AFTER UPDATE OF bag, {1} ON {0} "
                    "BEGIN {2} {3} END",
                    table, texts, renew_old, renew_new));
  }
  statements.push_back(fmt::format(
      "CREATE TRIGGER bags_text_other AFTER UPDATE OF note ON bags BEGIN {} END", renew_new));
  statements.push_back(fmt::format(
      "CREATE TRIGGER bags_text_old AFTER DELETE ON bags BEGIN {}; END", forget("old.bag")));
}

/// Where pg_trgm cannot be had, the catalog does without its indexes.
void add_pg_trgm(std::vector<std::string>& statements) {
  std::string indexes;
  for (const auto& [name, table, column] : {std::tuple("files_by_path_text", "files", "path"),
                                            std::tuple("tags_by_name_text", "tags", "name"),
                                            std::tuple("tags_by_value_text", "tags", "value"),
                                            std::tuple("events_by_name_text", "events", "name"),
                                            std::tuple("bags_by_note_text", "bags", "note")}) {
    indexes += fmt::format("CREATE INDEX {} ON {} USING gin (LOWER({}) gin_trgm_ops); ", name,
                           table, column);
  }
  statements.push_back(
      fmt::format("DO $do$ BEGIN CREATE EXTENSION IF NOT EXISTS pg_trgm; {}"
                  "EXCEPTION WHEN insufficient_privilege OR undefined_object OR undefined_file "
                  "OR feature_not_supported THEN NULL; END $do$",
                  indexes));
}

}  // namespace

std::vector<std::string> search_step(const SqlDialect& dialect) {
  std::vector<std::string> statements;
  bool is_sqlite = dialect.name == "sqlite";
  add_starts(is_sqlite, statements);
  if (is_sqlite) {
    add_fts5(statements);
  } else {
    add_pg_trgm(statements);
  }
  return statements;
}

std::string is_long_condition() {
  return fmt::format("CAST(end_ns AS NUMERIC) - start_ns > {}", kLongNs);
}

}  // namespace kitbag::catalog
