#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catalog/picture_taker.h"
#include "catalog/pyramid.h"
#include "kitbag/catalog.h"
#include "kitbag/database.h"

namespace kitbag::catalog {

/// A channel of a bag that is being added.
struct NewChannel {
  CatalogTopic topic;
  /// Paths of all fields of its type, a line each; nothing: the type is not known.
  std::optional<std::string> fields;
  std::optional<Pyramid> pyramid;  ///< nothing: it was not read, or cannot be
  std::vector<NewPicture> pictures;
  SchemaPtr schema = nullptr;  ///< of which `topic` has the hash; null without one
};

/// How much a catalog knows of a bag: what the bag was opened for.
enum class Detail : std::int64_t {
  first_kitbag = 0,  ///< what was known before there were pictures, drops and counts of problems
  index = 1,         ///< no message was read
  messages = 2,
};

/// A bag that is being added.
struct NewBag {
  CatalogBag bag;  ///< with fingerprint, format, sizes, times, damage, drops and checksums
  Detail detail = Detail::index;
  Parts parts;
  std::vector<NewChannel> channels;
};

/// A path of a catalog.
struct KnownFile {
  std::int64_t bag = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
};

// What is stored in each table; all of these run in the caller's transaction, and throw as
// Database::run() does.

/// Nothing: the path is not known.
std::optional<KnownFile> file_at(Database& database, const std::string& path);
void set_file(Database& database, const std::string& path, const KnownFile& file);
std::vector<std::string> paths_of(Database& database, std::int64_t bag);
std::optional<std::int64_t> bag_with(Database& database, const std::string& fingerprint);
/// The bag whose fingerprint begins so, with its paths; nothing: none or several do.
std::optional<CatalogBag> bag_beginning(Database& database, const std::string& fingerprint_begin);
std::vector<CatalogFile> files_of(Database& database, std::int64_t bag);
/// Returns the number that the bag gets.
std::int64_t insert_bag(Database& database, const NewBag& bag);
/// What a catalog knows of a bag, and how intact the copy was that was looked at.
struct KnownContents {
  Detail detail = Detail::first_kitbag;
  std::uint64_t problems = 0;
};
KnownContents contents_of(Database& database, std::int64_t bag);
/// Replaces what is known of a bag by what was looked at. What was noted stays, and without its
/// messages also what is known of these.
void update_bag(Database& database, std::int64_t number, const NewBag& bag);
/// Replaces the damage alone: of a copy that is worse than the one of which the rest is known.
void set_damage(Database& database, std::int64_t number, const CatalogBag& bag);
bool has_checksums(Database& database, std::int64_t bag);
void insert_checksums(Database& database, std::int64_t bag,
                      const std::vector<CatalogChecksum>& checksums);
std::vector<CatalogChecksum> checksums_of(Database& database, std::int64_t bag);
void remove_bag(Database& database, std::int64_t bag);
/// Gives what somebody has noted of one bag to another: tags that it does not have, note, events.
void hand_over(Database& database, std::int64_t from, std::int64_t to);
/// What Catalog::picture() gives.
std::optional<CatalogPicture> picture_in(Database& database, std::int64_t bag,
                                         const std::string& topic, Time time);

/// The columns of `bags` that bag_of() reads, and a bag of them.
inline constexpr char kBagColumns[] =
    "bags.bag, bags.fingerprint, bags.format, bags.size_bytes, bags.start_ns, bags.end_ns, "
    "bags.messages, bags.damage, bags.note, bags.added_ns, bags.problems";
CatalogBag bag_of(const SqlRow& row);

/// A value of a row. Throws Error (corrupt) if it is of another kind.
std::int64_t whole_in(const SqlRow& row, std::size_t column);
const std::string& text_in(const SqlRow& row, std::size_t column);
/// A value that cannot be below 0. Throws Error (corrupt), too, if it is.
std::uint64_t count_in(const SqlRow& row, std::size_t column);
/// The bytes of a stored_text().
std::string bytes_in(const SqlRow& row, std::size_t column);

}  // namespace kitbag::catalog
