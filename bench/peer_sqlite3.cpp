// SQLite as rosbag2 uses it: its tables and index, its settings, a transaction for each 100 MiB.
//
// usage: peer_sqlite3 a|b|mixed COMPRESSION FILE write|read|read_time

#include <sqlite3.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "bench/meter.h"
#include "bench/payload.h"

namespace {

constexpr std::uint64_t kTransactionBytes = 100 << 20;

class Database {
 public:
  explicit Database(const char* path) {
    require(sqlite3_open(path, &handle_) == SQLITE_OK);
    run("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;");
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const char* sql) {
    require(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  sqlite3_stmt* prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    require(sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr) == SQLITE_OK);
    return statement;
  }
  void require(bool holds) const {
    if (!holds) throw std::runtime_error(sqlite3_errmsg(handle_));
  }

 private:
  sqlite3* handle_ = nullptr;
};

void create_tables(Database& database, const bench::Workload& work) {
  database.run(
      "CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);"
      "INSERT INTO schema VALUES (3, 'humble');"
      "CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL,"
      "metadata TEXT NOT NULL);"
      "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,"
      "serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);"
      "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL,"
      "timestamp INTEGER NOT NULL, data BLOB NOT NULL);"
      "CREATE INDEX timestamp_idx ON messages (timestamp ASC);");
  for (std::size_t i = 0; i < work.topics; ++i) {
    const std::string sql =
        "INSERT INTO topics (name, type, serialization_format, "
        "offered_qos_profiles) VALUES ('" +
        bench::topic(i) + "', 'bench/msg/Bytes', 'cdr', '');";
    database.run(sql.c_str());
  }
}

void write(const bench::Workload& work, const char* path) {
  const auto pool = bench::make_pool(work);
  bench::Meter meter;
  {
    Database database(path);
    create_tables(database, work);
    sqlite3_stmt* insert =
        database.prepare("INSERT INTO messages (timestamp, topic_id, data) VALUES (?, ?, ?);");
    database.run("BEGIN;");
    std::uint64_t uncommitted = 0;
    for (std::uint64_t i = 0; i < work.messages; ++i) {
      const std::size_t bytes = work.bytes_of(i);
      sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(work.time_ns(i)));
      sqlite3_bind_int64(insert, 2, static_cast<sqlite3_int64>(work.topic_of(i) + 1));
      sqlite3_bind_blob(insert, 3, pool->data() + work.offset_of(i), static_cast<int>(bytes),
                        SQLITE_STATIC);
      database.require(sqlite3_step(insert) == SQLITE_DONE);
      sqlite3_reset(insert);
      meter.bytes += bytes;
      uncommitted += bytes;
      if (uncommitted < kTransactionBytes) continue;
      database.run("COMMIT; BEGIN;");
      uncommitted = 0;
    }
    database.run("COMMIT;");
    sqlite3_finalize(insert);
  }
  meter.messages = work.messages;
  meter.report();
}

void read(const char* path, bool by_time) {
  bench::Meter meter;
  Database database(path);
  sqlite3_stmt* select = database.prepare(
      by_time ? "SELECT data, timestamp, topics.name, messages.id FROM messages JOIN topics ON "
                "messages.topic_id = topics.id ORDER BY messages.timestamp, messages.id;"
              : "SELECT data, timestamp, topics.name, messages.id FROM messages JOIN topics ON "
                "messages.topic_id = topics.id ORDER BY messages.id;");
  while (sqlite3_step(select) == SQLITE_ROW) {
    const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(select, 0));
    const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(select, 0));
    ++meter.messages;
    meter.bytes += bytes;
    meter.sum += bench::touch(data, bytes);
  }
  sqlite3_finalize(select);
  meter.report();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  try {
    const std::string phase = arguments[4];
    if (phase == "write") {
      write(bench::workload(arguments[1]), arguments[3]);
    } else {
      read(arguments[3], phase == "read_time");
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
