#include "server/bags/catalog_bags.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "kitbag/error.h"
#include "server/bags/bag_state.h"
#include "server/http/message.h"

// Two servers must say the same of a bag, byte by byte, although each looks at the files itself. So
// what clients get is made of what the catalog says and of the content; what the system says of a
// file only tells whether it is still the one that was added. Where size and time say so, it is;
// where only the time is another one, as of a copy on another machine, the fingerprint decides.
//
// Looking costs two questions to the catalog and one to the file system, so it counts for five
// seconds.

namespace kitbag::server {
namespace {

constexpr std::size_t kDigits = 16;  ///< of the fingerprint, in names
constexpr char kBehind = '~';
constexpr std::chrono::seconds kMaxLookAge{5};
constexpr std::size_t kMostKnown = 1024;
/// Of the fingerprint, in versions.
constexpr std::size_t kVersionDigits = 32;

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/// As paths in a catalog are: absolute, or a URI; without a slash at the end.
std::string absolute(const std::string& place, const Session& session) {
  std::string path = session.path_of(place);
  if (path.find("://") == std::string::npos) {
    path = std::filesystem::absolute(path).lexically_normal().string();
  }
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

std::string catalog_title(const CatalogBag& bag) {
  return bag.paths.empty() ? "bag" : name_of(bag.paths.front());
}

std::string catalog_name(const CatalogBag& bag) {
  return bag.fingerprint.substr(0, kDigits) + kBehind + catalog_title(bag);
}

std::string title_of(const BagEntry& bag) {
  return bag.number == 0 ? bag.name : bag.name.substr(kDigits + 1);
}

std::string_view fingerprint_in(std::string_view name) {
  if (name.size() <= kDigits || name[kDigits] != kBehind) return {};
  name = name.substr(0, kDigits);
  return std::all_of(name.begin(), name.end(), is_hex_digit) ? name : std::string_view();
}

bool is_at_or_below(std::string_view path, std::string_view place) {
  // What leads up again is not below. Paths of a catalog are normal; those of URIs need not be.
  if (path.find("/../") != std::string_view::npos || path.ends_with("/..")) return false;
  while (place.size() > 1 && place.ends_with('/')) place.remove_suffix(1);
  if (place == "/") return path.starts_with('/');
  return path.starts_with(place) && (path.size() == place.size() || path[place.size()] == '/');
}

CatalogBags::CatalogBags(const std::string& address, std::vector<std::string> places,
                         const Session& session)
    : session_(session), places_(std::move(places)), pool_(address, session) {
  for (std::string& place : places_) place = absolute(place, session_);
}

BagEntryPtr CatalogBags::find(std::string_view name) {
  std::string_view begin = fingerprint_in(name);
  if (begin.empty()) return nullptr;
  std::optional<Known> before = known(begin);
  SteadyTime now = session_.clock()->steady();
  if (before && now - before->at < kMaxLookAge) return before->entry;
  std::optional<Row> row;
  try {
    row = row_of(std::string(begin));
  } catch (const Refusal&) {
    if (!before) throw;
    row = before->row;
  }
  if (!row) throw Refusal(404, "the catalog has no such bag any more; it may have been replaced");
  Known found{std::string(begin), *row, look(*row, before ? before->entry : nullptr), now};
  keep(found);
  return found.entry;
}

std::optional<CatalogBags::Known> CatalogBags::known(std::string_view begin) {
  std::lock_guard lock(mutex_);
  for (auto each = known_.begin(); each != known_.end(); ++each) {
    if (each->fingerprint_begin != begin) continue;
    known_.splice(known_.begin(), known_, each);
    return *each;
  }
  return std::nullopt;
}

void CatalogBags::keep(Known known) {
  std::lock_guard lock(mutex_);
  known_.remove_if(
      [&](const Known& each) { return each.fingerprint_begin == known.fingerprint_begin; });
  known_.push_front(std::move(known));
  if (known_.size() > kMostKnown) known_.pop_back();
}

std::optional<CatalogBags::Row> CatalogBags::row_of(const std::string& begin) {
  std::optional<Row> row;
  pool_.read([&](Catalog& catalog) {
    row.reset();
    auto bag = catalog.bag_with(begin);
    if (!bag) return;
    row.emplace(Row{std::move(*bag), {}});
    row->files = catalog.files_of(row->bag.number);
  });
  return row;
}

/// The bag as it is now. `before` is what it was when somebody looked the last time.
BagEntryPtr CatalogBags::look(const Row& row, const BagEntryPtr& before) const {
  const CatalogBag& bag = row.bag;
  std::string path = path_of(row);
  std::shared_ptr<BagEntry> entry =
      state_of(path, catalog_name(bag), false, root_of(path), session_);
  if (!entry) throw Refusal(503, "the bag has just been moved or deleted; try again");
  bool is_same = before && before->path == path && before->state == entry->state &&
                 before->name == entry->name && before->is_certain;
  if (is_same) return before;
  entry->identity = bag.fingerprint;
  entry->version = "c" + bag.fingerprint.substr(0, kVersionDigits);
  entry->place.clear();
  entry->number = bag.number;
  entry->dated = {};
  for (const CatalogFile& file : row.files) entry->dated = std::max(entry->dated, file.modified);
  // A damaged bag is opened for the list of all that is damaged. Of others the catalog knows all.
  if (!bag.damage.empty() || !entry->link_out.empty()) describe(*entry, false, session_);
  entry->may_grow = false;
  entry->is_recording = false;
  entry->messages = bag.messages;
  entry->start = bag.messages > 0 ? bag.start : entry->dated;
  entry->end = bag.messages > 0 ? bag.end : entry->dated;
  return entry;
}

/// Where the content is that the catalog knows. Throws Refusal: there is no such place.
std::string CatalogBags::path_of(const Row& row) const {
  bool is_elsewhere = false;
  bool has_changed = false;
  std::string trouble;
  std::vector<std::string> changed;
  for (const CatalogFile& file : row.files) {
    if (!is_offered(file.path)) {
      is_elsewhere = true;
      continue;
    }
    try {
      CatalogFileState now = kitbag::state_of(file, session_);
      if (now == CatalogFileState::same) return file.path;
      if (now == CatalogFileState::changed) changed.push_back(file.path);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::invalid) {  // an address that may not be read
        is_elsewhere = true;
      } else {
        trouble = error.message();
      }
    }
  }
  // Only where no path has the same size and time: a fingerprint is made of the content.
  for (const std::string& path : changed) {
    try {
      if (catalog_fingerprint(path, session_) == row.bag.fingerprint) return path;
      has_changed = true;
    } catch (const Error& error) {
      if (is_damage(error.code())) {
        has_changed = true;
      } else {
        trouble = error.message();
      }
    }
  }
  if (!trouble.empty()) throw Refusal(503, "the bag cannot be read now: " + trouble);
  if (has_changed) {
    throw Refusal(410,
                  "the file of the bag has changed since it was added to the catalog; add it "
                  "again");
  }
  if (is_elsewhere) {
    throw Refusal(403, "the catalog says that the bag is in a place that is not served");
  }
  throw Refusal(410, "the bag is not where the catalog says any more; scan the folder where it is");
}

/// BagEntry::root: the place in which the bag is, or the folder in which it lies.
std::string CatalogBags::root_of(const std::string& path) const {
  for (const std::string& place : places_) {
    if (is_at_or_below(path, place)) return place;
  }
  return path.substr(0, path.rfind('/'));
}

bool CatalogBags::is_offered(const std::string& path) const {
  return places_.empty() || std::any_of(places_.begin(), places_.end(), [&](const auto& place) {
           return is_at_or_below(path, place);
         });
}

}  // namespace kitbag::server
