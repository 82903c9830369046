#include "catalog/bag_rows.h"

#include <utility>

#include "catalog/event_rows.h"
#include "catalog/schema.h"
#include "catalog/stored_text.h"
#include "kitbag/error.h"

namespace kitbag::catalog {
namespace {

std::int64_t channel_for(Database& database, const NewChannel& channel) {
  const CatalogTopic& topic = channel.topic;
  std::vector<SqlValue> key{stored_text(topic.topic), stored_text(topic.type),
                            stored_text(topic.encoding), topic.schema_hash};
  auto find = [&] {
    return database.run(
        "SELECT channel FROM channels WHERE topic = $1 AND type = $2 AND encoding = $3 AND "
        "schema_hash = $4",
        key);
  };
  auto rows = find();
  if (rows.empty()) {
    std::vector<SqlValue> values = key;
    values.emplace_back();
    if (channel.fields) values.back().emplace<std::string>(stored_text(*channel.fields));
    database.run(
        "INSERT INTO channels (topic, type, encoding, schema_hash, fields) "
        "VALUES ($1, $2, $3, $4, $5)",
        values);
    rows = find();
  }
  return whole_in(rows.at(0), 0);
}

}  // namespace

std::int64_t whole_in(const SqlRow& row, std::size_t column) {
  const std::int64_t* whole =
      column < row.size() ? std::get_if<std::int64_t>(&row[column]) : nullptr;
  if (!whole) throw Error(ErrorCode::corrupt, "the catalog has a value of another kind");
  return *whole;
}

const std::string& text_in(const SqlRow& row, std::size_t column) {
  const std::string* text = column < row.size() ? std::get_if<std::string>(&row[column]) : nullptr;
  if (!text) throw Error(ErrorCode::corrupt, "the catalog has a value of another kind");
  return *text;
}

std::string bytes_in(const SqlRow& row, std::size_t column) {
  return bytes_of(text_in(row, column));
}

std::optional<KnownFile> file_at(Database& database, const std::string& path) {
  auto rows = database.run("SELECT bag, size_bytes, modified_ns FROM files WHERE path = $1",
                           {stored_text(path)});
  if (rows.empty()) return std::nullopt;
  return KnownFile{whole_in(rows[0], 0), static_cast<std::uint64_t>(whole_in(rows[0], 1)),
                   whole_in(rows[0], 2)};
}

void set_file(Database& database, const std::string& path, const KnownFile& file) {
  database.run(
      "INSERT INTO files (path, bag, size_bytes, modified_ns) VALUES ($1, $2, $3, $4) "
      "ON CONFLICT (path) DO UPDATE SET bag = excluded.bag, size_bytes = excluded.size_bytes, "
      "modified_ns = excluded.modified_ns",
      {stored_text(path), file.bag, static_cast<std::int64_t>(file.size_bytes), file.modified_ns});
}

std::vector<std::string> paths_of(Database& database, std::int64_t bag) {
  std::vector<std::string> paths;
  for (const SqlRow& row :
       database.run("SELECT path FROM files WHERE bag = $1 ORDER BY path", {bag})) {
    paths.push_back(bytes_in(row, 0));
  }
  return paths;
}

std::optional<std::int64_t> bag_with(Database& database, const std::string& fingerprint) {
  auto rows = database.run("SELECT bag FROM bags WHERE fingerprint = $1", {fingerprint});
  if (rows.empty()) return std::nullopt;
  return whole_in(rows[0], 0);
}

std::optional<CatalogBag> bag_beginning(Database& database, const std::string& begin) {
  // A range, so that the index of the fingerprints is used: "g" follows all hexadecimal digits.
  auto rows = database.run(std::string("SELECT ") + kBagColumns +
                               " FROM bags WHERE fingerprint >= $1 AND fingerprint < $2 LIMIT 2",
                           {stored_text(begin), stored_text(begin + "g")});
  if (rows.size() != 1) return std::nullopt;
  CatalogBag bag = bag_of(rows[0]);
  if (!bag.fingerprint.starts_with(begin)) return std::nullopt;
  bag.paths = paths_of(database, bag.number);
  return bag;
}

std::vector<CatalogFile> files_of(Database& database, std::int64_t bag) {
  std::vector<CatalogFile> files;
  for (const SqlRow& row : database.run(
           "SELECT path, size_bytes, modified_ns FROM files WHERE bag = $1 ORDER BY path", {bag})) {
    files.push_back({bytes_in(row, 0), static_cast<std::uint64_t>(whole_in(row, 1)),
                     from_ns(whole_in(row, 2))});
  }
  return files;
}

std::int64_t insert_bag(Database& database, const NewBag& made) {
  const CatalogBag& bag = made.bag;
  std::int64_t start_ns = to_ns(bag.start);
  database.run(
      "INSERT INTO bags (fingerprint, format, size_bytes, start_ns, end_ns, messages, damage, "
      "note, added_ns, parts_ns) VALUES ($1, $2, $3, $4, $5, $6, $7, '', $8, $9)",
      {bag.fingerprint, bag.format, static_cast<std::int64_t>(bag.size_bytes), start_ns,
       to_ns(bag.end), static_cast<std::int64_t>(bag.messages), stored_text(bag.damage),
       to_ns(bag.added), made.parts.duration.count()});
  std::int64_t number = bag_with(database, bag.fingerprint).value();
  bool has_partition = false;
  for (const NewChannel& channel : made.channels) {
    std::int64_t of_channel = channel_for(database, channel);
    std::vector<SqlValue> values{number, of_channel,
                                 static_cast<std::int64_t>(channel.topic.messages)};
    values.emplace_back();
    if (!channel.topic.density.empty()) {
      values.back().emplace<std::vector<std::byte>>(pack(channel.topic.density));
    }
    database.run(
        "INSERT INTO bag_channels (bag, channel, messages, density) VALUES ($1, $2, $3, $4)",
        values);
    if (!channel.pyramid) continue;
    if (!std::exchange(has_partition, true)) create_partition(database, start_ns);
    database.run("INSERT INTO pyramids (bag, channel, start_ns, data) VALUES ($1, $2, $3, $4)",
                 {number, of_channel, start_ns, pack(*channel.pyramid)});
  }
  return number;
}

void remove_bag(Database& database, std::int64_t bag) {
  database.run("DELETE FROM bags WHERE bag = $1", {bag});
}

void hand_over(Database& database, std::int64_t from, std::int64_t to) {
  database.run(
      "INSERT INTO tags (bag, name, value) SELECT CAST($2 AS BIGINT), name, value FROM tags WHERE "
      "bag = $1 "
      "ON CONFLICT (bag, name) DO NOTHING",
      {from, to});
  database.run(
      "UPDATE bags SET note = (SELECT note FROM bags WHERE bag = $1) WHERE bag = $2 AND note = ''",
      {from, to});
  database.run("UPDATE events SET bag = $2 WHERE bag = $1", {from, to});
}

void add_details(Database& database, CatalogBag& bag) {
  database.run(
      "SELECT topic, type, encoding, schema_hash, messages, density FROM bag_channels "
      "JOIN channels ON channels.channel = bag_channels.channel WHERE bag = $1 "
      "ORDER BY topic, type, bag_channels.channel",
      std::span<const SqlValue>(std::vector<SqlValue>{bag.number}), [&](SqlRow& row) {
        CatalogTopic topic{bytes_in(row, 0), bytes_in(row, 1), bytes_in(row, 2), text_in(row, 3),
                           static_cast<std::uint64_t>(whole_in(row, 4))};
        if (const auto* density = std::get_if<std::vector<std::byte>>(&row.at(5))) {
          topic.density = unpack_counts(*density);
        }
        bag.topics.push_back(std::move(topic));
      });
  for (const SqlRow& row :
       database.run("SELECT name, value FROM tags WHERE bag = $1", {bag.number})) {
    bag.tags[bytes_in(row, 0)] = bytes_in(row, 1);
  }
  bag.events = events_of(database, bag.number);
}

CatalogBag bag_of(const SqlRow& row) {
  CatalogBag bag;
  bag.number = whole_in(row, 0);
  bag.fingerprint = text_in(row, 1);
  bag.format = text_in(row, 2);
  bag.size_bytes = static_cast<std::uint64_t>(whole_in(row, 3));
  bag.start = from_ns(whole_in(row, 4));
  bag.end = from_ns(whole_in(row, 5));
  bag.messages = static_cast<std::uint64_t>(whole_in(row, 6));
  bag.damage = bytes_in(row, 7);
  bag.note = bytes_in(row, 8);
  bag.added = from_ns(whole_in(row, 9));
  return bag;
}

}  // namespace kitbag::catalog
