#include "catalog/bag_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "catalog/definitions.h"
#include "catalog/schema.h"
#include "catalog/stored_text.h"
#include "kitbag/error.h"

// A catalog is a file or a server that others may write. So a value of another kind than its column
// has is damage that is reported, and is not cast. Counts of bags have 64 bits and those of
// databases 63; what a hostile bag claims is cut off (stored_count()).
//
// A channel is one row for all bags that have it: a topic, type, encoding and definition. It is
// looked for first and made when it is not there.

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
  // Not only of new channels: an older kitbag has stored channels without their definitions.
  if (channel.schema && !topic.schema_hash.empty()) {
    store_definition(database, topic.schema_hash, *channel.schema);
  }
  return whole_in(rows.at(0), 0);
}

/// A hostile bag may claim any number; the database has those of 63 bits.
std::int64_t stored_count(std::uint64_t count) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(count, kMost));
}

void insert_channel(Database& database, std::int64_t bag, std::int64_t start_ns,
                    const NewChannel& channel) {
  std::int64_t of_channel = channel_for(database, channel);
  const CatalogTopic& topic = channel.topic;
  std::vector<SqlValue> values{bag, of_channel, stored_count(topic.messages)};
  values.emplace_back();
  if (!topic.density.empty()) values.back().emplace<std::vector<std::byte>>(pack(topic.density));
  values.emplace_back(stored_count(topic.undecoded));
  database.run(
      "INSERT INTO bag_channels (bag, channel, messages, density, undecoded) "
      "VALUES ($1, $2, $3, $4, $5)",
      values);
  if (channel.pyramid) {
    database.run("INSERT INTO pyramids (bag, channel, start_ns, data) VALUES ($1, $2, $3, $4)",
                 {bag, of_channel, start_ns, pack(*channel.pyramid)});
  }
  for (const NewPicture& picture : channel.pictures) {
    database.run(
        "INSERT INTO pictures (bag, channel, start_ns, time_ns, data) VALUES ($1, $2, $3, $4, $5)",
        {bag, of_channel, start_ns, to_ns(picture.time), picture.jpeg});
  }
}

void insert_channels(Database& database, std::int64_t number, const NewBag& made) {
  std::int64_t start_ns = to_ns(made.bag.start);
  // PostgreSQL takes rows of pyramids and pictures only for months that have a partition.
  bool is_large = std::any_of(made.channels.begin(), made.channels.end(), [](const auto& each) {
    return each.pyramid || !each.pictures.empty();
  });
  if (is_large) create_partition(database, start_ns);
  for (const NewChannel& channel : made.channels) {
    insert_channel(database, number, start_ns, channel);
  }
}

void insert_drops(Database& database, std::int64_t number, const std::vector<CatalogDrops>& drops) {
  for (const CatalogDrops& each : drops) {
    database.run(
        "INSERT INTO drops (bag, topic, dropped, lost) VALUES ($1, $2, $3, $4)",
        {number, stored_text(each.topic), stored_count(each.dropped), stored_count(each.lost)});
  }
}

/// Among the topics that have pictures, the first by name.
std::string first_camera(Database& database, std::int64_t bag) {
  std::optional<std::string> first;
  for (const SqlRow& row :
       database.run("SELECT topic FROM channels WHERE channel IN (SELECT channel FROM pictures "
                    "WHERE bag = $1)",
                    {bag})) {
    std::string topic = bytes_in(row, 0);
    if (!first || topic < *first) first = std::move(topic);
  }
  return first.value_or("");
}

/// A whole JPEG, by its first and last bytes.
std::vector<std::byte> jpeg_in(const SqlRow& row, std::size_t column) {
  const auto* bytes =
      column < row.size() ? std::get_if<std::vector<std::byte>>(&row[column]) : nullptr;
  auto is_at = [&](std::size_t at, int first, int second) {
    return (*bytes)[at] == std::byte(first) && (*bytes)[at + 1] == std::byte(second);
  };
  constexpr std::size_t kMarkers = 4;
  bool is_whole = bytes && bytes->size() >= kMarkers && bytes->size() <= kMostPictureBytes &&
                  is_at(0, 0xff, 0xd8) && is_at(bytes->size() - 2, 0xff, 0xd9);
  if (!is_whole) {
    throw Error(ErrorCode::corrupt,
                "a small picture in the catalog is damaged; remove the bag from the catalog and "
                "add it again");
  }
  return *bytes;
}

}  // namespace

std::int64_t whole_in(const SqlRow& row, std::size_t column) {
  const std::int64_t* whole =
      column < row.size() ? std::get_if<std::int64_t>(&row[column]) : nullptr;
  if (!whole) throw Error(ErrorCode::corrupt, "the catalog has a value of another kind");
  return *whole;
}

std::uint64_t count_in(const SqlRow& row, std::size_t column) {
  std::int64_t whole = whole_in(row, column);
  if (whole < 0) throw Error(ErrorCode::corrupt, "the catalog has a number below 0");
  return static_cast<std::uint64_t>(whole);
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
  return KnownFile{whole_in(rows[0], 0), count_in(rows[0], 1), whole_in(rows[0], 2)};
}

void set_file(Database& database, const std::string& path, const KnownFile& file) {
  database.run(
      "INSERT INTO files (path, bag, size_bytes, modified_ns) VALUES ($1, $2, $3, $4) "
      "ON CONFLICT (path) DO UPDATE SET bag = excluded.bag, size_bytes = excluded.size_bytes, "
      "modified_ns = excluded.modified_ns",
      {stored_text(path), file.bag, stored_count(file.size_bytes), file.modified_ns});
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

KnownContents contents_of(Database& database, std::int64_t bag) {
  auto rows = database.run("SELECT detail, problems FROM bags WHERE bag = $1", {bag});
  if (rows.empty()) return {};
  return {Detail(whole_in(rows[0], 0)), count_in(rows[0], 1)};
}

std::optional<CatalogBag> bag_beginning(Database& database, const std::string& begin) {
  // A range, so that the index of the fingerprints is used: "g" follows all hexadecimal digits.
  auto rows = database.run(std::string("SELECT ") + kBagColumns +
                               " FROM bags WHERE fingerprint >= $1 AND fingerprint < $2 LIMIT 2",
                           {stored_text(begin), stored_text(begin + "g")});
  // None, or two that begin alike, which are not confused.
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
    files.push_back({bytes_in(row, 0), count_in(row, 1), from_ns(whole_in(row, 2))});
  }
  return files;
}

std::int64_t insert_bag(Database& database, const NewBag& made) {
  const CatalogBag& bag = made.bag;
  database.run(
      "INSERT INTO bags (fingerprint, format, size_bytes, start_ns, end_ns, messages, damage, "
      "note, added_ns, parts_ns, problems, detail) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, '', $8, $9, $10, $11)",
      {bag.fingerprint, bag.format, stored_count(bag.size_bytes), to_ns(bag.start), to_ns(bag.end),
       stored_count(bag.messages), stored_text(bag.damage), to_ns(bag.added),
       made.parts.duration.count(), stored_count(bag.problems),
       static_cast<std::int64_t>(made.detail)});
  std::int64_t number = bag_with(database, bag.fingerprint).value();
  insert_channels(database, number, made);
  insert_drops(database, number, bag.drops);
  return number;
}

void set_damage(Database& database, std::int64_t number, const CatalogBag& bag) {
  database.run("UPDATE bags SET damage = $2, problems = $3 WHERE bag = $1",
               {number, stored_text(bag.damage), stored_count(bag.problems)});
}

void update_bag(Database& database, std::int64_t number, const NewBag& made) {
  database.run("UPDATE bags SET detail = $2 WHERE bag = $1",
               {number, static_cast<std::int64_t>(made.detail)});
  database.run("DELETE FROM drops WHERE bag = $1", {number});
  insert_drops(database, number, made.bag.drops);
  // Damage in messages is not seen without reading them.
  if (made.detail == Detail::messages || made.bag.problems > 0) {
    set_damage(database, number, made.bag);
  }
  if (made.detail != Detail::messages) return;
  for (const char* table : {"pictures", "pyramids", "bag_channels"}) {
    database.run(fmt::format("DELETE FROM {} WHERE bag = $1", table), {number});
  }
  insert_channels(database, number, made);
}

bool has_checksums(Database& database, std::int64_t bag) {
  return !database.run("SELECT 1 FROM checksums WHERE bag = $1 LIMIT 1", {bag}).empty();
}

void insert_checksums(Database& database, std::int64_t bag,
                      const std::vector<CatalogChecksum>& checksums) {
  std::int64_t part = 0;
  for (const CatalogChecksum& each : checksums) {
    database.run(
        "INSERT INTO checksums (bag, part, name, size_bytes, sha256) VALUES ($1, $2, $3, $4, $5) "
        "ON CONFLICT (bag, part) DO NOTHING",
        {bag, part++, stored_text(each.file), stored_count(each.size_bytes), each.sha256});
  }
}

std::vector<CatalogChecksum> checksums_of(Database& database, std::int64_t bag) {
  std::vector<CatalogChecksum> checksums;
  for (const SqlRow& row : database.run(
           "SELECT name, size_bytes, sha256 FROM checksums WHERE bag = $1 ORDER BY part", {bag})) {
    checksums.push_back({bytes_in(row, 0), count_in(row, 1), text_in(row, 2)});
  }
  return checksums;
}

void remove_bag(Database& database, std::int64_t bag) {
  database.run("DELETE FROM bags WHERE bag = $1", {bag});
}

/// A bag took the path of another one that is nowhere else. What people have said of the old one
/// goes on to it, unless they have said something of the new one already.
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

std::optional<CatalogPicture> picture_in(Database& database, std::int64_t bag,
                                         const std::string& topic, Time time) {
  std::string wanted = topic.empty() ? first_camera(database, bag) : topic;
  const std::string select =
      "SELECT time_ns, data FROM pictures "
      "JOIN channels ON channels.channel = pictures.channel "
      "WHERE pictures.bag = $1 AND channels.topic = $2 AND ";
  std::vector<SqlValue> parameters{bag, stored_text(wanted), to_ns(time)};
  // What the camera saw last by then; before its first picture, that one.
  auto rows = database.run(select + "time_ns <= $3 ORDER BY time_ns DESC LIMIT 1", parameters);
  if (rows.empty()) {
    rows = database.run(select + "time_ns > $3 ORDER BY time_ns LIMIT 1", parameters);
  }
  if (rows.empty()) return std::nullopt;
  return CatalogPicture{wanted, from_ns(whole_in(rows[0], 0)), jpeg_in(rows[0], 1)};
}

CatalogBag bag_of(const SqlRow& row) {
  CatalogBag bag;
  bag.number = whole_in(row, 0);
  bag.fingerprint = text_in(row, 1);
  bag.format = text_in(row, 2);
  bag.size_bytes = count_in(row, 3);
  bag.start = from_ns(whole_in(row, 4));
  bag.end = from_ns(whole_in(row, 5));
  bag.messages = count_in(row, 6);
  bag.damage = bytes_in(row, 7);
  bag.note = bytes_in(row, 8);
  bag.added = from_ns(whole_in(row, 9));
  bag.problems = count_in(row, 10);
  return bag;
}

}  // namespace kitbag::catalog
