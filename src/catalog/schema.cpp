#include "catalog/schema.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <vector>

#include "catalog/search_schema.h"
#include "kitbag/error.h"

// The steps from an empty database to the newest catalog. A step that was released is never
// changed: catalogs that have taken it would differ from those that have not. docs/catalog.md
// describes the result.
//
// What is large and read by few, the pyramids and pictures, is in tables of their own. PostgreSQL
// keeps them apart by the month in which bags start, so that old months can be moved, compressed or
// dropped as a whole.
//
//     bags      each has files (its paths), tags, events, drops, checksums
//     channels  a topic with type, encoding and definition, which many bags share
//     bag_channels, pyramids, pictures    of a bag and a channel
//     definitions                         of channels, by their hash
//     jobs, job_bags                      of batches, apart from all that

namespace kitbag::catalog {
namespace {

using Step = std::vector<std::string> (*)(const SqlDialect& dialect);

std::vector<std::string> first_step(const SqlDialect& dialect) {
  std::string counted(dialect.counted);
  std::string bytes(dialect.bytes);
  return {
      fmt::format(R"(CREATE TABLE bags (
        bag {}, fingerprint TEXT NOT NULL UNIQUE, format TEXT NOT NULL, size_bytes BIGINT NOT NULL,
        start_ns BIGINT NOT NULL, end_ns BIGINT NOT NULL, messages BIGINT NOT NULL,
        damage TEXT NOT NULL, note TEXT NOT NULL, added_ns BIGINT NOT NULL,
        parts_ns BIGINT NOT NULL))",
                  counted),
      "CREATE INDEX bags_by_start ON bags (start_ns, bag)",
      "CREATE INDEX bags_by_end ON bags (end_ns)",
      R"(CREATE TABLE files (
        path TEXT NOT NULL PRIMARY KEY, bag BIGINT NOT NULL REFERENCES bags (bag) ON DELETE CASCADE,
        size_bytes BIGINT NOT NULL, modified_ns BIGINT NOT NULL))",
      "CREATE INDEX files_by_bag ON files (bag)",
      fmt::format(R"(CREATE TABLE channels (
        channel {}, topic TEXT NOT NULL, type TEXT NOT NULL, encoding TEXT NOT NULL,
        schema_hash TEXT NOT NULL, fields TEXT, UNIQUE (topic, type, encoding, schema_hash)))",
                  counted),
      fmt::format(R"(CREATE TABLE bag_channels (
        bag BIGINT NOT NULL REFERENCES bags (bag) ON DELETE CASCADE,
        channel BIGINT NOT NULL REFERENCES channels (channel), messages BIGINT NOT NULL,
        density {}, PRIMARY KEY (bag, channel)))",
                  bytes),
      "CREATE INDEX bag_channels_by_channel ON bag_channels (channel, bag)",
      fmt::format(R"(CREATE TABLE pyramids (
        bag BIGINT NOT NULL REFERENCES bags (bag) ON DELETE CASCADE, channel BIGINT NOT NULL,
        start_ns BIGINT NOT NULL, data {} NOT NULL, PRIMARY KEY (bag, channel, start_ns)){})",
                  bytes, dialect.has_partitions ? " PARTITION BY RANGE (start_ns)" : ""),
      R"(CREATE TABLE tags (
        bag BIGINT NOT NULL REFERENCES bags (bag) ON DELETE CASCADE, name TEXT NOT NULL,
        value TEXT NOT NULL, PRIMARY KEY (bag, name)))",
      "CREATE INDEX tags_by_value ON tags (name, value, bag)",
      fmt::format(R"(CREATE TABLE events (
        event {}, bag BIGINT NOT NULL REFERENCES bags (bag) ON DELETE CASCADE,
        start_ns BIGINT NOT NULL, end_ns BIGINT NOT NULL, name TEXT NOT NULL))",
                  counted),
      "CREATE INDEX events_by_bag ON events (bag, start_ns)",
  };
}

/// What cameras saw, what recorders said, checksums. Bags that are there are opened once more for
/// it: their detail is 0.
std::vector<std::string> second_step(const SqlDialect& dialect) {
  return {
      "ALTER TABLE bags ADD COLUMN problems BIGINT NOT NULL DEFAULT 0",
      "ALTER TABLE bags ADD COLUMN detail BIGINT NOT NULL DEFAULT 0",
      "UPDATE bags SET problems = 1 WHERE damage <> ''",
      "CREATE INDEX bags_with_damage ON bags (start_ns, bag) WHERE problems > 0",
      "ALTER TABLE bag_channels ADD COLUMN undecoded BIGINT NOT NULL DEFAULT 0",
      "CREATE INDEX bag_channels_undecoded ON bag_channels (bag) WHERE undecoded > 0",
      fmt::format(R"(CREATE TABLE pictures (
        bag BIGINT NOT NULL REFERENCES bags (bag) ON DELETE CASCADE, channel BIGINT NOT NULL,
        start_ns BIGINT NOT NULL, time_ns BIGINT NOT NULL, data {} NOT NULL,
        PRIMARY KEY (bag, channel, start_ns, time_ns)){})",
                  dialect.bytes, dialect.has_partitions ? " PARTITION BY RANGE (start_ns)" : ""),
      R"(CREATE TABLE drops (
        bag BIGINT NOT NULL REFERENCES bags (bag) ON DELETE CASCADE, topic TEXT NOT NULL,
        dropped BIGINT NOT NULL, lost BIGINT NOT NULL, PRIMARY KEY (bag, topic)))",
      R"(CREATE TABLE checksums (
        bag BIGINT NOT NULL REFERENCES bags (bag) ON DELETE CASCADE, part BIGINT NOT NULL,
        name TEXT NOT NULL, size_bytes BIGINT NOT NULL, sha256 TEXT NOT NULL,
        PRIMARY KEY (bag, part)))",
  };
}

/// Message definitions, for queries over topics of bags that are not open.
std::vector<std::string> definitions_step(const SqlDialect& dialect) {
  return {fmt::format(
      "CREATE TABLE definitions (schema_hash TEXT NOT NULL PRIMARY KEY, language TEXT NOT NULL, "
      "text {} NOT NULL)",
      dialect.bytes)};
}

/// The jobs of batches.
std::vector<std::string> job_step(const SqlDialect&) {
  return {
      R"(CREATE TABLE jobs (
        job TEXT NOT NULL PRIMARY KEY, verb TEXT NOT NULL, target TEXT NOT NULL,
        bags BIGINT NOT NULL, done BIGINT NOT NULL, damaged BIGINT NOT NULL, failed BIGINT NOT NULL,
        began_ns BIGINT NOT NULL, changed_ns BIGINT NOT NULL, is_at_work BIGINT NOT NULL))",
      R"(CREATE TABLE job_bags (
        job TEXT NOT NULL REFERENCES jobs (job) ON DELETE CASCADE, source TEXT NOT NULL,
        target TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL,
        PRIMARY KEY (job, source)))",
  };
}

/// Events say more than a name.
std::vector<std::string> event_step(const SqlDialect&) {
  return {
      "ALTER TABLE events ADD COLUMN description TEXT NOT NULL DEFAULT ''",
      R"(CREATE TABLE event_metadata (
        event BIGINT NOT NULL REFERENCES events (event) ON DELETE CASCADE, name TEXT NOT NULL,
        value TEXT NOT NULL, PRIMARY KEY (event, name)))",
  };
}

constexpr Step kSteps[] = {first_step,       second_step, search_step,
                           definitions_step, job_step,    event_step};
constexpr auto kVersion = static_cast<std::int64_t>(std::size(kSteps));

bool has_catalog(Database& database) {
  bool is_sqlite = database.dialect().name == "sqlite";
  auto rows = database.run(
      is_sqlite ? "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'kitbag_catalog'"
                : "SELECT 1 FROM pg_catalog.pg_tables WHERE tablename = 'kitbag_catalog' "
                  "AND schemaname = ANY (current_schemas(false))");
  return !rows.empty();
}

/// Nothing: there is no catalog.
std::optional<std::int64_t> version_of(Database& database, const std::string& address) {
  if (!has_catalog(database)) return std::nullopt;
  auto rows = database.run("SELECT version FROM kitbag_catalog");
  const std::int64_t* version =
      rows.size() == 1 && rows[0].size() == 1 ? std::get_if<std::int64_t>(&rows[0][0]) : nullptr;
  if (!version) throw Error(ErrorCode::corrupt, "the catalog does not say its version", address);
  if (*version > kVersion) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the catalog is of a newer kitbag (version {} of its tables; this one "
                            "knows {}); update kitbag",
                            *version, kVersion),
                address);
  }
  return version ? std::optional(*version) : std::nullopt;
}

void take_steps(Database& database, const std::string& address) {
  SqlTransaction transaction(database);
  // Asked again within the transaction: another program may have taken the steps by now.
  std::int64_t version = version_of(database, address).value_or(-1);
  if (version < 0) {
    database.run("CREATE TABLE kitbag_catalog (version BIGINT NOT NULL)");
    database.run("INSERT INTO kitbag_catalog (version) VALUES (0)");
    version = 0;
  }
  for (; version < kVersion; ++version) {
    for (const std::string& statement : kSteps[version](database.dialect())) {
      database.run(statement);
    }
  }
  database.run("UPDATE kitbag_catalog SET version = $1", {kVersion});
  transaction.commit();
}

}  // namespace

void create_schema(Database& database, const std::string& address) {
  if (version_of(database, address) == kVersion) return;
  take_steps(database, address);
}

void update_schema(Database& database, const std::string& address) {
  auto version = version_of(database, address);
  if (!version) {
    throw Error(ErrorCode::not_found, "the database has no catalog; make one with \"init\"",
                address);
  }
  if (*version == kVersion) return;
  try {
    take_steps(database, address);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::io) throw;
    throw Error(ErrorCode::io,
                "the catalog is of an older kitbag, and its tables cannot be brought up to date: " +
                    error.message(),
                address);
  }
}

void create_partition(Database& database, std::int64_t start_ns) {
  if (!database.dialect().has_partitions) return;
  using namespace std::chrono;
  auto day = floor<days>(sys_time<nanoseconds>(nanoseconds(start_ns)));
  year_month_day date(day);
  auto month = date.year() / date.month();
  auto next = month + months(1);
  // Times near the ends of 64 bits are not in a month of 64 bits.
  constexpr std::int64_t kDayNs = 86'400'000'000'000;
  auto ns_of = [](year_month of) {
    return sys_days(of / std::chrono::day(1)).time_since_epoch().count() * kDayNs;
  };
  bool is_far = int(month.year()) < 1700 || int(month.year()) > 2200;
  for (const char* table : {"pyramids", "pictures"}) {
    if (is_far) {
      database.run(
          fmt::format("CREATE TABLE IF NOT EXISTS {0}_other PARTITION OF {0} DEFAULT", table));
      continue;
    }
    database.run(
        fmt::format("CREATE TABLE IF NOT EXISTS {0}_{1:04}_{2:02} PARTITION OF {0} "
                    "FOR VALUES FROM ({3}) TO ({4})",
                    table, int(month.year()), unsigned(month.month()), ns_of(month), ns_of(next)));
  }
}

}  // namespace kitbag::catalog
