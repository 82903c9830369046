#include "storage/sqlite3/write/create_tables.h"

#include <cstdint>

// Statements as rosbag2 has them, down to the spaces, since SQLite stores their text in the file.
// Schema version 2 added offered_qos_profiles, version 3 the table schema, and version 4
// definitions and type_description_hash.

namespace kitbag::sqlite3 {

namespace {

const char* topics_table(int schema_version) {
  if (schema_version >= 4) {
    return "CREATE TABLE topics(id INTEGER PRIMARY KEY,name TEXT NOT NULL,type TEXT NOT NULL,"
           "serialization_format TEXT NOT NULL,offered_qos_profiles TEXT NOT NULL,"
           "type_description_hash TEXT NOT NULL);";
  }
  if (schema_version >= 2) {
    return "CREATE TABLE topics(id INTEGER PRIMARY KEY,name TEXT NOT NULL,type TEXT NOT NULL,"
           "serialization_format TEXT NOT NULL,offered_qos_profiles TEXT NOT NULL);";
  }
  return "CREATE TABLE topics(id INTEGER PRIMARY KEY,name TEXT NOT NULL,type TEXT NOT NULL,"
         "serialization_format TEXT NOT NULL);";
}

}  // namespace

void create_definitions(Database& database) {
  database.run(
      "CREATE TABLE IF NOT EXISTS message_definitions(id INTEGER PRIMARY KEY,"
      "topic_type TEXT NOT NULL,encoding TEXT NOT NULL,encoded_message_definition TEXT NOT NULL,"
      "type_description_hash TEXT NOT NULL);");
}

void create_tables(Database& database, int schema_version) {
  if (schema_version >= 3) {
    database.run(
        "CREATE TABLE schema(schema_version INTEGER PRIMARY KEY,ros_distro TEXT NOT NULL);");
    database.prepare("INSERT INTO schema (schema_version, ros_distro) VALUES (?, '');")
        .bind(1, std::int64_t{schema_version})
        .run();
  }
  database.run(
      "CREATE TABLE metadata(id INTEGER PRIMARY KEY,metadata_version INTEGER NOT NULL,"
      "metadata TEXT NOT NULL);");
  database.run(topics_table(schema_version));
  create_definitions(database);
  database.run(
      "CREATE TABLE messages(id INTEGER PRIMARY KEY,topic_id INTEGER NOT NULL,"
      "timestamp INTEGER NOT NULL, data BLOB NOT NULL);");
  database.run("CREATE INDEX timestamp_idx ON messages (timestamp ASC);");
}

}  // namespace kitbag::sqlite3
