#include "catalog/bag_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "catalog/bag_rows.h"
#include "catalog/event_rows.h"
#include "catalog/pyramid.h"

// What belongs to the bags of a page comes by one query for each kind of it, with the numbers of
// all bags in its text, and not by queries for each bag: a database may be on another machine.

namespace kitbag::catalog {
namespace {

void add_topics(Database& database, const NumberedBags& bags) {
  std::map<std::pair<const CatalogBag*, std::int64_t>, std::vector<Time>> pictures;  // by channel
  bags.run(database,
           "SELECT bag, channel, time_ns FROM pictures WHERE bag IN ({}) ORDER BY time_ns",
           [&](CatalogBag& bag, SqlRow& row) {
             pictures[{&bag, whole_in(row, 1)}].push_back(from_ns(whole_in(row, 2)));
           });
  bags.run(database,
           "SELECT bag, topic, type, encoding, schema_hash, messages, density, undecoded, "
           "channels.channel FROM bag_channels "
           "JOIN channels ON channels.channel = bag_channels.channel WHERE bag IN ({}) "
           "ORDER BY bag, topic, type, bag_channels.channel",
           [&](CatalogBag& bag, SqlRow& row) {
             CatalogTopic topic{bytes_in(row, 1), bytes_in(row, 2), bytes_in(row, 3),
                                text_in(row, 4), count_in(row, 5)};
             if (const auto* density = std::get_if<std::vector<std::byte>>(&row.at(6))) {
               topic.density = unpack_counts(*density);
             }
             topic.undecoded = count_in(row, 7);
             auto of_channel = pictures.find({&bag, whole_in(row, 8)});
             if (of_channel != pictures.end()) topic.pictures = std::move(of_channel->second);
             bag.topics.push_back(std::move(topic));
           });
}

void add_drops(Database& database, const NumberedBags& bags) {
  bags.run(database,
           "SELECT bag, topic, dropped, lost FROM drops WHERE bag IN ({}) ORDER BY bag, topic",
           [](CatalogBag& bag, SqlRow& row) {
             bag.drops.push_back({bytes_in(row, 1), count_in(row, 2), count_in(row, 3)});
           });
}

void add_checksums(Database& database, const NumberedBags& bags) {
  bags.run(database,
           "SELECT bag, name, size_bytes, sha256 FROM checksums WHERE bag IN ({}) "
           "ORDER BY bag, part",
           [](CatalogBag& bag, SqlRow& row) {
             bag.checksums.push_back({bytes_in(row, 1), count_in(row, 2), text_in(row, 3)});
           });
}

void add_tags(Database& database, const NumberedBags& bags) {
  bags.run(database, "SELECT bag, name, value FROM tags WHERE bag IN ({})",
           [](CatalogBag& bag, SqlRow& row) { bag.tags[bytes_in(row, 1)] = bytes_in(row, 2); });
}

}  // namespace

NumberedBags::NumberedBags(std::span<CatalogBag> bags) {
  for (CatalogBag& bag : bags) bags_.emplace(bag.number, &bag);
  for (const auto& [number, bag] : bags_) {
    if (!numbers_.empty()) numbers_ += ", ";
    numbers_ += std::to_string(number);
  }
}

void NumberedBags::run(Database& database, const std::string& statement,
                       const std::function<void(CatalogBag& bag, SqlRow& row)>& on_row) const {
  if (bags_.empty()) return;
  database.run(fmt::format(fmt::runtime(statement), numbers_), {}, [&](SqlRow& row) {
    auto bag = bags_.find(whole_in(row, 0));
    if (bag != bags_.end()) on_row(*bag->second, row);
  });
}

void add_paths(Database& database, std::span<CatalogBag> bags) {
  NumberedBags(bags).run(
      database, "SELECT bag, path FROM files WHERE bag IN ({})",
      [](CatalogBag& bag, SqlRow& row) { bag.paths.push_back(bytes_in(row, 1)); });
  for (CatalogBag& bag : bags) std::sort(bag.paths.begin(), bag.paths.end());
}

void add_details(Database& database, std::span<CatalogBag> bags) {
  NumberedBags numbered(bags);
  add_topics(database, numbered);
  add_drops(database, numbered);
  add_checksums(database, numbered);
  add_tags(database, numbered);
  add_events(database, numbered);
}

}  // namespace kitbag::catalog
