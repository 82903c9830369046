#include <filesystem>

#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kSqlText{
    .summary = "Answer a query in SQL about the messages of one or more bags.",
    .more = R"(Each topic is a table, with a column for each field: "/odom" is also odom.)",
    .examples = R"(  kitbag sql 'SELECT count(*), avg("twist.twist.linear.x") FROM odom' run.bag
  kitbag sql "SELECT voltage FROM battery WHERE time > time_ns('2026-11-20 14:30') LIMIT 5" run.bag
  kitbag sql 'SELECT bag, min(voltage) FROM battery GROUP BY bag' --catalog fleet.db)",
    .notes = R"(Tables:
  topics        topic, type, encoding, messages, latched, bag
  bags          bag, format, version, size_bytes, start_time, end_time, messages
  tags, events  bag, name, value; bag, start_time, end_time, name: of a catalog
  messages      time, topic, type, size_bytes, publish_time, sequence, bag; also payload and json,
                which SELECT * leaves out
  tf            time, stamp, parent, child, x, y, z, qx, qy, qz, qw, is_static, topic, bag: each
                transform
  diagnostics   time, level, name, message, hardware_id, values_json, topic, bag: each status
  "/TOPIC"      time, the fields of the messages, "pose.position.x" for nested ones; also bag,
                which SELECT * leaves out
  tf_lookup(TARGET, SOURCE, TIME)
                x, y, z, qx, qy, qz, qw: the transform from frame SOURCE to TARGET, or no row

Tables for CREATE VIRTUAL TABLE temp.NAME USING ...:
  kitbag_unnest(TOPIC, LIST)              a row for each element of a list
  kitbag_resample(TOPIC, RATE, METHOD)    the fields at a rate in Hz: previous, nearest or linear
  kitbag_asof(TOPIC, OTHER, TOLERANCE)    a topic with the last message of another one

Times are log times in nanoseconds since 1970; time_text(NS) and time_ns('2026-01-31 14:30') convert
them. Lists are JSON, byte arrays are BLOBs. The dialect is that of SQLite. A query reads the bags,
and no other file.

With --engine duckdb, the dialect is that of DuckDB, and its tables are the topics: structures are
structs, lists are lists. The topics that a query names are loaded into memory first.

--format arrow is a stream in the Arrow IPC format. A column has one type, from its values in the
first 65,536 rows: int64, float64, utf8 or binary. A later value of another type is an error.)"};

}  // namespace

void add_sql(CommandLine& line) {
  auto arguments = std::make_shared<SqlArguments>();
  Verb& verb = line.add_verb("sql", kReadingVerbs, kSqlText, arguments, sql, [arguments] {
    bool has_catalog = !arguments->catalog.empty();
    if (has_catalog && !arguments->bags.empty()) {
      throw_invalid("a catalog knows where its bags are; leave out BAG, or --catalog");
    }
    if (!has_catalog && arguments->bags.empty()) throw_invalid("name the bags, or --catalog");
    // SQLite would call the name of a bag a syntax error.
    std::error_code ignored;
    if (!has_catalog && std::filesystem::exists(arguments->query, ignored)) {
      throw_invalid(fmt::format("{} is a file; the query comes first: kitbag sql QUERY {}",
                                arguments->query, arguments->query));
    }
  });
  add_text(verb, "QUERY", arguments->query, "QUERY", "A query in SQL")->required();
  add_list(verb, "BAG", arguments->bags, "[BAG...]", "Bags to read, or folders of bags");
  verb.common(
      add_text(verb, "--catalog", arguments->catalog, "CATALOG",
               "Read the bags of this catalog (kitbag catalog), as far as they are needed"));
  verb.common(add_choice<AnswerForm>(verb, "--format", arguments->form,
                                     {{"table", AnswerForm::table},
                                      {"csv", AnswerForm::csv},
                                      {"json", AnswerForm::json},
                                      {"ndjson", AnswerForm::ndjson},
                                      {"arrow", AnswerForm::arrow}},
                                     "Select the output format. Default: table")
                  ->group(kPrintingGroup));
  add_choice<SqlEngine>(verb, "--engine", arguments->engine,
                        {{"sqlite", SqlEngine::sqlite}, {"duckdb", SqlEngine::duckdb}},
                        "Select the SQL engine. DuckDB needs libduckdb.so, found by the "
                        "system or at $KITBAG_DUCKDB. Default: sqlite");
  add_on_error(
      verb, arguments->on_error,
      "Handle messages that cannot be decoded: stop; skip and count them; or keep the row, "
      "with NULL for its fields (raw). Default: stop");
  add_definitions(verb, arguments->definitions);
  add_reading(verb, arguments->reading);
}

}  // namespace kitbag::cli
