#include "catalog/add_bag.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "catalog/bag_rows.h"
#include "catalog/checksums.h"
#include "catalog/file_state.h"
#include "catalog/new_bag.h"
#include "catalog/stored_text.h"
#include "kitbag/error.h"

// What a bag is, is looked at before the transaction in which it is stored, since that takes long
// and writers wait for one another. So the transaction asks again what is known: two programs may
// have looked at the same bag.
//
// Checksums belong to the content, as all that is known of a bag: they are made once, of the first
// of its copies that is read for them. So a copy that has been damaged since does not pass for the
// bag: check() compares each copy with the same checksums. Of damage that was found, the worst copy
// counts; what is known of messages is that of the best one.

namespace kitbag::catalog {
namespace {

constexpr std::int64_t kUnknownTime = INT64_MIN;

/// Runs `work`, whose errors are those of the bag: what names no file is an error of the catalog.
template <class Work>
auto of_bag(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!error.file().empty()) throw;
    throw Error(error.code(), error.message(), path, error.offset(), error.loss());
  }
}

class Adding {
 public:
  Adding(Database& database, const Session& session, const CatalogAddOptions& options,
         const DefinitionPaths& definitions)
      : database_(database), session_(session), options_(options), definitions_(definitions) {}

  CatalogChange add(const std::string& path, const FileStatus& listed);

 private:
  bool is_unchanged(const std::string& path, const KnownFile& now);
  bool has_all(std::int64_t bag);
  NewBag look_at(const std::string& path);
  CatalogChange store(const std::string& path, const KnownFile& now, const NewBag& looked_at);
  CatalogChange store_path(std::int64_t bag, const std::string& path);
  /// Returns whether something was not known.
  bool store_contents(std::int64_t bag, const NewBag& looked_at);
  void add_tags(std::int64_t bag);
  bool is_gone(const std::string& path) const;
  Detail wanted_detail() const {
    return options_.reads_messages ? Detail::messages : Detail::index;
  }

  Database& database_;
  const Session& session_;
  const CatalogAddOptions& options_;
  const DefinitionPaths& definitions_;
};

bool Adding::is_gone(const std::string& path) const {
  try {
    return !session_.file_system(path)->status(path);
  } catch (const Error&) {
    return false;  // nobody knows, as with a disk that is not there
  }
}

/// Whether there is nothing to open the bag for.
bool Adding::has_all(std::int64_t bag) {
  if (contents_of(database_, bag).detail < wanted_detail()) return false;
  return !options_.makes_checksums || has_checksums(database_, bag);
}

/// Whether there is nothing to do but to give it tags, which is done.
bool Adding::is_unchanged(const std::string& path, const KnownFile& now) {
  auto known = file_at(database_, path);
  if (!known || !is_as_known(*known, now) || !has_all(known->bag)) return false;
  if (!options_.tags.empty()) {
    SqlTransaction transaction(database_);
    add_tags(known->bag);
    transaction.commit();
  }
  return true;
}

CatalogChange Adding::add(const std::string& path, const FileStatus& listed) {
  // A list may know times less well than the file itself, so its word counts only for a bag that
  // is unchanged.
  if (listed.is_regular && is_unchanged(path, state_of(listed, path, session_)))
    return CatalogChange::unchanged;
  auto now = state_of(path, session_);
  if (!now) {
    session_.file_system(path)->open(path);  // which says why
    throw Error(ErrorCode::not_found, "no such file", path);
  }
  if (is_unchanged(path, *now)) return CatalogChange::unchanged;
  NewBag looked_at = look_at(path);
  auto after = state_of(path, session_);
  // What changed meanwhile is looked at again the next time.
  if (!after || !is_as_known(*now, *after)) {
    now->modified_ns = kUnknownTime;
    looked_at.bag.checksums.clear();
  }
  return store(path, *now, looked_at);
}

NewBag Adding::look_at(const std::string& path) {
  NewBag made = of_bag(path, [&] { return look_at_bag(path, options_, definitions_, session_); });
  if (!options_.makes_checksums) return made;
  auto same = bag_with(database_, made.bag.fingerprint);
  if (same && has_checksums(database_, *same)) return made;
  made.bag.checksums = of_bag(path, [&] { return checksums_of(path, session_, options_.stop); });
  return made;
}

CatalogChange Adding::store(const std::string& path, const KnownFile& now,
                            const NewBag& looked_at) {
  SqlTransaction transaction(database_);
  auto known = file_at(database_, path);
  auto same = bag_with(database_, looked_at.bag.fingerprint);
  CatalogChange change = CatalogChange::added;
  std::int64_t bag = same ? *same : insert_bag(database_, looked_at);
  if (same) change = store_path(bag, path);
  bool is_updated = store_contents(bag, looked_at);
  if (is_updated && change == CatalogChange::unchanged) change = CatalogChange::updated;
  set_file(database_, path, {bag, now.size_bytes, now.modified_ns});
  if (known && known->bag != bag) {
    change = CatalogChange::replaced;
    if (paths_of(database_, known->bag).empty()) {
      hand_over(database_, known->bag, bag);
      remove_bag(database_, known->bag);
    }
  }
  add_tags(bag);
  transaction.commit();
  return change;
}

/// Of a bag that the catalog has: where it is not any more, it is forgotten.
CatalogChange Adding::store_path(std::int64_t bag, const std::string& path) {
  std::vector<std::string> paths = paths_of(database_, bag);
  if (std::find(paths.begin(), paths.end(), path) != paths.end()) return CatalogChange::unchanged;
  std::size_t gone = 0;
  for (const std::string& old : paths) {
    if (!is_gone(old)) continue;
    database_.run("DELETE FROM files WHERE path = $1", {stored_text(old)});
    ++gone;
  }
  return gone == paths.size() ? CatalogChange::moved : CatalogChange::copied;
}

bool Adding::store_contents(std::int64_t bag, const NewBag& looked_at) {
  KnownContents known = contents_of(database_, bag);
  std::uint64_t problems = looked_at.bag.problems;
  bool is_better = looked_at.detail == known.detail && problems < known.problems;
  bool is_news = looked_at.detail > known.detail || is_better;
  if (is_news) {
    update_bag(database_, bag, looked_at);
  } else if (problems > known.problems) {
    set_damage(database_, bag, looked_at.bag);
    is_news = true;
  }
  if (looked_at.bag.checksums.empty() || has_checksums(database_, bag)) return is_news;
  insert_checksums(database_, bag, looked_at.bag.checksums);
  return true;
}

void Adding::add_tags(std::int64_t bag) {
  for (const auto& [name, value] : options_.tags) {
    database_.run(
        "INSERT INTO tags (bag, name, value) VALUES ($1, $2, $3) "
        "ON CONFLICT (bag, name) DO NOTHING",
        {bag, stored_text(name), stored_text(value)});
  }
}

}  // namespace

CatalogChange add_bag(Database& database, const Session& session, const std::string& path,
                      const CatalogAddOptions& options, const DefinitionPaths& definitions,
                      const FileStatus& listed) {
  return Adding(database, session, options, definitions).add(catalog_path(path, session), listed);
}

bool is_listed_as_known(Database& database, const Session& session, const std::string& path,
                        const FileStatus& listed) {
  auto known = file_at(database, catalog_path(path, session));
  return known && is_as_known(*known, state_of(listed, path, session));
}

}  // namespace kitbag::catalog
