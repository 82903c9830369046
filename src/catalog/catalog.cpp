#include "kitbag/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "catalog/bag_query.h"
#include "catalog/bag_rows.h"
#include "catalog/event_rows.h"
#include "catalog/file_state.h"
#include "catalog/known_fields.h"
#include "catalog/moments.h"
#include "catalog/new_bag.h"
#include "catalog/schema.h"
#include "catalog/stored_text.h"
#include "kitbag/bag_folder.h"
#include "kitbag/database.h"
#include "kitbag/fields.h"
#include "model/scheme.h"

// What a bag is, is looked at before the transaction in which it is stored, since that takes long
// and writers wait for one another. So the transaction asks again what is known: two programs may
// have looked at the same bag.

namespace kitbag {

using namespace catalog;

namespace {

constexpr std::uint64_t kPageBags = 500;  // fetched at once
constexpr std::int64_t kUnknownTime = INT64_MIN;

}  // namespace

const char* to_string(CatalogChange change) {
  switch (change) {
    case CatalogChange::added:
      return "added";
    case CatalogChange::unchanged:
      return "unchanged";
    case CatalogChange::moved:
      return "moved";
    case CatalogChange::copied:
      return "copied";
    case CatalogChange::replaced:
      return "replaced";
  }
  return "";
}

class Catalog::Impl {
 public:
  Impl(const std::string& address, const Session& session, const Wait& wait, bool may_create)
      : session_(session),
        shown_(without_password(address)),
        database_(connect(address, {.may_create = may_create, .wait = wait}, session)) {}

  Database& database() { return *database_; }
  const Session& session() const { return session_; }
  const std::string& shown() const { return shown_; }
  /// The catalog itself, which may lie among the bags.
  bool is_own_file(const std::string& path) const {
    return scheme_of(shown_).empty() &&
           catalog_path(path, session_) == catalog_path(shown_, session_);
  }

  CatalogChange add(const std::string& path, const CatalogAddOptions& options);
  void find(const CatalogQuery& query, const std::function<void(const CatalogBag& bag)>& on_bag);
  std::int64_t bag_at(const std::string& path);
  /// Throws Error (not_found) for a field that no bag can have.
  void require_fields(const std::string& condition);
  /// Reads messages of a bag, of which the catalog cannot say that it has no moments.
  void read_moments(
      const CatalogBag& bag, const CatalogQuery& query, const ConditionBounds& condition,
      const ReadOptions& read,
      const std::function<void(const CatalogBag& bag, const Moment& moment)>& on_moment,
      const std::stop_token& stop, CatalogSearch& search);

 private:
  CatalogChange store(const std::string& path, const KnownFile& now, const NewBag& looked_at,
                      const CatalogAddOptions& options);
  CatalogChange store_known(std::int64_t bag, const std::string& path);
  void add_tags(std::int64_t bag, const CatalogAddOptions& options);
  bool is_gone(const std::string& path) const;
  /// A path at which the bag is. Nothing: at none.
  std::optional<std::pair<std::string, bool>> place_of(const CatalogBag& bag);

  Session session_;
  std::string shown_;
  std::unique_ptr<Database> database_;
};

bool Catalog::Impl::is_gone(const std::string& path) const {
  try {
    return !session_.file_system(path)->status(path);
  } catch (const Error&) {
    return false;  // nobody knows, as with a disk that is not there
  }
}

CatalogChange Catalog::Impl::add(const std::string& given, const CatalogAddOptions& options) {
  std::string path = catalog_path(given, session_);
  auto now = state_of(path, session_);
  if (!now) throw Error(ErrorCode::not_found, "no such file", path);
  auto known = file_at(*database_, path);
  if (known && is_as_known(*known, *now)) {
    if (!options.tags.empty()) {
      SqlTransaction transaction(*database_);
      add_tags(known->bag, options);
      transaction.commit();
    }
    return CatalogChange::unchanged;
  }
  NewBag looked_at = look_at_bag(path, options, session_);
  auto after = state_of(path, session_);
  // What changed meanwhile is looked at again the next time.
  if (!after || !is_as_known(*now, *after)) now->modified_ns = kUnknownTime;
  return store(path, *now, looked_at, options);
}

CatalogChange Catalog::Impl::store(const std::string& path, const KnownFile& now,
                                   const NewBag& looked_at, const CatalogAddOptions& options) {
  SqlTransaction transaction(*database_);
  auto known = file_at(*database_, path);
  auto same = catalog::bag_with(*database_, looked_at.bag.fingerprint);
  CatalogChange change = CatalogChange::added;
  std::int64_t bag = same ? *same : insert_bag(*database_, looked_at);
  if (same) change = store_known(bag, path);
  set_file(*database_, path, {bag, now.size_bytes, now.modified_ns});
  if (known && known->bag != bag) {
    change = CatalogChange::replaced;
    if (paths_of(*database_, known->bag).empty()) {
      hand_over(*database_, known->bag, bag);
      remove_bag(*database_, known->bag);
    }
  }
  add_tags(bag, options);
  transaction.commit();
  return change;
}

/// Of a bag that the catalog has: where it is not any more, it is forgotten.
CatalogChange Catalog::Impl::store_known(std::int64_t bag, const std::string& path) {
  std::vector<std::string> paths = paths_of(*database_, bag);
  if (std::find(paths.begin(), paths.end(), path) != paths.end()) return CatalogChange::unchanged;
  std::size_t gone = 0;
  for (const std::string& old : paths) {
    if (!is_gone(old)) continue;
    database_->run("DELETE FROM files WHERE path = $1", {stored_text(old)});
    ++gone;
  }
  return gone == paths.size() ? CatalogChange::moved : CatalogChange::copied;
}

void Catalog::Impl::add_tags(std::int64_t bag, const CatalogAddOptions& options) {
  for (const auto& [name, value] : options.tags) {
    database_->run(
        "INSERT INTO tags (bag, name, value) VALUES ($1, $2, $3) "
        "ON CONFLICT (bag, name) DO NOTHING",
        {bag, stored_text(name), stored_text(value)});
  }
}

void Catalog::Impl::find(const CatalogQuery& query,
                         const std::function<void(const CatalogBag& bag)>& on_bag) {
  BagQuery wanted = bag_query(*database_, query);
  if (wanted.is_empty) return;
  const char* order = query.is_newest_first ? "DESC" : "ASC";
  const char* behind = query.is_newest_first ? "<" : ">";
  std::uint64_t left = query.most;
  std::uint64_t skip = query.skip;
  std::optional<CatalogBag> last = bag_before(query.after);
  while (left > 0) {
    std::string where = wanted.where;
    std::vector<SqlValue> parameters = wanted.parameters;
    if (last) {
      parameters.emplace_back(to_ns(last->start));
      parameters.emplace_back(last->number);
      where += fmt::format("{} (bags.start_ns, bags.bag) {} (${}, ${})",
                           where.empty() ? "WHERE" : " AND", behind, parameters.size() - 1,
                           parameters.size());
    }
    std::uint64_t page = std::min(left, kPageBags);
    std::vector<CatalogBag> bags;
    for (const SqlRow& row :
         database_->run(fmt::format("SELECT {} FROM bags {} ORDER BY bags.start_ns {}, bags.bag {} "
                                    "LIMIT {} OFFSET {}",
                                    kBagColumns, where, order, order, page, skip),
                        parameters)) {
      bags.push_back(bag_of(row));
    }
    skip = 0;
    for (CatalogBag& bag : bags) {
      bag.paths = paths_of(*database_, bag.number);
      if (query.has_details) add_details(*database_, bag);
      on_bag(bag);
    }
    if (bags.size() < page) return;
    left -= page;
    last = std::move(bags.back());
  }
}

std::int64_t Catalog::Impl::bag_at(const std::string& given) {
  std::string path = catalog_path(given, session_);
  auto known = file_at(*database_, path);
  if (!known) throw Error(ErrorCode::not_found, "the catalog does not know this bag", path);
  return known->bag;
}

void Catalog::Impl::require_fields(const std::string& condition) {
  KnownFields fields(*database_);
  for (const std::string& path : fields_of_condition(condition)) {
    if (fields.may_have(path)) continue;
    auto similar = fields.similar_to(path);
    throw Error(ErrorCode::not_found,
                fmt::format("no bag of the catalog has a field \"{}\"{}{}", path,
                            similar.empty() ? "" : "; similar: ", fmt::join(similar, ", ")));
  }
}

std::optional<std::pair<std::string, bool>> Catalog::Impl::place_of(const CatalogBag& bag) {
  std::optional<std::pair<std::string, bool>> changed;
  for (const std::string& path : bag.paths) {
    auto known = file_at(*database_, path);
    auto now = state_of(path, session_);
    if (!known || !now) continue;
    if (is_as_known(*known, *now)) return std::pair(path, true);
    if (!changed) changed.emplace(path, false);
  }
  return changed;
}

void Catalog::Impl::read_moments(
    const CatalogBag& bag, const CatalogQuery& query, const ConditionBounds& condition,
    const ReadOptions& read,
    const std::function<void(const CatalogBag& bag, const Moment& moment)>& on_moment,
    const std::stop_token& stop, CatalogSearch& search) {
  auto place = place_of(bag);
  if (!place) {
    throw Error(ErrorCode::not_found,
                "the bag is not there any more; if it was moved, scan the folder where it is now",
                bag.paths.empty() ? fmt::format("bag {}", bag.number) : bag.paths.front());
  }
  const auto& [path, is_as_it_was] = *place;
  FindQuery wanted = query.query;
  if (is_as_it_was) {
    auto times = possible_times(*database_, bag.number, condition, query.query);
    if (!times) {
      ++search.ruled_out;
      return;
    }
    wanted.begin = std::max(wanted.begin, times->begin);
    wanted.end = std::min(wanted.end, times->end);
    if (wanted.begin >= wanted.end) {
      ++search.ruled_out;
      return;
    }
  } else {
    ++search.changed;
  }
  ++search.opened;
  BagPtr opened = session_.open(path, read);
  if (!is_as_it_was && !fits(opened->summary(), query.query)) return;
  kitbag::find_moments(
      *opened, wanted, session_, [&](const Moment& moment) { on_moment(bag, moment); }, stop);
}

Catalog::Catalog(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Catalog Catalog::create(const std::string& address, const Session& session, const Wait& wait) {
  auto impl = std::make_unique<Impl>(address, session, wait, true);
  create_schema(impl->database(), impl->shown());
  return Catalog(std::move(impl));
}

Catalog::Catalog(const std::string& address, const Session& session, const Wait& wait)
    : impl_(std::make_unique<Impl>(address, session, wait, false)) {
  update_schema(impl_->database(), impl_->shown());
}

Catalog::~Catalog() = default;
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;

CatalogChange Catalog::add(const std::string& path, const CatalogAddOptions& options) {
  return impl_->add(path, options);
}

void Catalog::scan(const std::string& folder, const CatalogAddOptions& options,
                   const std::function<void(const std::string& path, const CatalogChange* change,
                                            const Error* error)>& on_bag) {
  for (const std::string& path : bags_below(folder, impl_->session())) {
    if (impl_->is_own_file(path)) continue;
    if (options.stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
    try {
      CatalogChange change = impl_->add(path, options);
      on_bag(path, &change, nullptr);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled || error.file() == impl_->shown()) throw;
      on_bag(path, nullptr, &error);
    }
  }
}

bool Catalog::remove(const std::string& given) {
  std::string path = catalog_path(given, impl_->session());
  Database& database = impl_->database();
  SqlTransaction transaction(database);
  auto known = file_at(database, path);
  if (!known) return false;
  database.run("DELETE FROM files WHERE path = $1", {stored_text(path)});
  if (paths_of(database, known->bag).empty()) remove_bag(database, known->bag);
  transaction.commit();
  return true;
}

void Catalog::find(const CatalogQuery& query,
                   const std::function<void(const CatalogBag& bag)>& on_bag) {
  impl_->find(query, on_bag);
}

std::uint64_t Catalog::count(const CatalogQuery& query) {
  BagQuery wanted = bag_query(impl_->database(), query);
  if (wanted.is_empty) return 0;
  auto rows = impl_->database().run("SELECT COUNT(*) FROM bags " + wanted.where, wanted.parameters);
  return static_cast<std::uint64_t>(whole_in(rows.at(0), 0));
}

std::vector<std::pair<std::string, std::string>> Catalog::topics() {
  std::set<std::pair<std::string, std::string>> topics;
  for (const SqlRow& row : impl_->database().run("SELECT topic, type FROM channels")) {
    topics.emplace(bytes_in(row, 0), bytes_in(row, 1));
  }
  return {topics.begin(), topics.end()};
}

std::optional<CatalogBag> Catalog::bag_at(const std::string& path) {
  auto known = file_at(impl_->database(), catalog_path(path, impl_->session()));
  if (!known) return std::nullopt;
  auto rows = impl_->database().run(fmt::format("SELECT {} FROM bags WHERE bag = $1", kBagColumns),
                                    {known->bag});
  if (rows.empty()) return std::nullopt;
  CatalogBag bag = bag_of(rows[0]);
  bag.paths = paths_of(impl_->database(), bag.number);
  add_details(impl_->database(), bag);
  return bag;
}

std::optional<CatalogBag> Catalog::bag_with(const std::string& begin) {
  return bag_beginning(impl_->database(), begin);
}

std::vector<CatalogFile> Catalog::files_of(std::int64_t number) {
  return catalog::files_of(impl_->database(), number);
}

void Catalog::ping() {
  impl_->database().run("SELECT 1");
}

CatalogSearch Catalog::find_moments(
    const CatalogQuery& query, const ReadOptions& read,
    const std::function<void(const CatalogBag& bag, const Moment& moment)>& on_moment,
    const std::stop_token& stop) {
  ConditionBounds condition(query.query.where);
  impl_->require_fields(query.query.where);
  CatalogSearch search;
  CatalogQuery bags = query;
  bags.has_details = false;
  impl_->find(bags, [&](const CatalogBag& bag) {
    if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
    ++search.bags;
    try {
      impl_->read_moments(bag, query, condition, read, on_moment, stop, search);
    } catch (const Error& error) {
      bool ends_all = error.code() == ErrorCode::cancelled || error.code() == ErrorCode::invalid ||
                      error.file() == impl_->shown();
      if (ends_all) throw;
      search.failed.push_back(error);
    }
  });
  return search;
}

void Catalog::set_tag(const std::string& path, const std::string& name, const std::string& value) {
  Database& database = impl_->database();
  SqlTransaction transaction(database);
  std::int64_t bag = impl_->bag_at(path);
  if (value.empty()) {
    database.run("DELETE FROM tags WHERE bag = $1 AND name = $2", {bag, stored_text(name)});
  } else {
    database.run(
        "INSERT INTO tags (bag, name, value) VALUES ($1, $2, $3) "
        "ON CONFLICT (bag, name) DO UPDATE SET value = excluded.value",
        {bag, stored_text(name), stored_text(value)});
  }
  transaction.commit();
}

void Catalog::set_note(const std::string& path, const std::string& note) {
  SqlTransaction transaction(impl_->database());
  impl_->database().run("UPDATE bags SET note = $2 WHERE bag = $1",
                        {impl_->bag_at(path), stored_text(note)});
  transaction.commit();
}

void Catalog::add_event(const std::string& path, const CatalogEvent& event) {
  SqlTransaction transaction(impl_->database());
  insert_event(impl_->database(), impl_->bag_at(path), event);
  transaction.commit();
}

bool Catalog::remove_event(std::int64_t number) {
  Database& database = impl_->database();
  SqlTransaction transaction(database);
  bool is_there = !database.run("SELECT event FROM events WHERE event = $1", {number}).empty();
  database.run("DELETE FROM events WHERE event = $1", {number});
  transaction.commit();
  return is_there;
}

std::vector<CatalogEvent> Catalog::events_of(std::int64_t number) {
  return catalog::events_of(impl_->database(), number);
}

void Catalog::change_events(std::int64_t number,
                            const std::function<std::optional<std::vector<CatalogEvent>>(
                                const std::vector<CatalogEvent>& stored)>& change) {
  Database& database = impl_->database();
  SqlTransaction transaction(database);
  if (database.run("SELECT bag FROM bags WHERE bag = $1", {number}).empty()) {
    throw Error(ErrorCode::not_found, "the catalog does not know this bag any more");
  }
  std::vector<CatalogEvent> stored = catalog::events_of(database, number);
  auto events = change(stored);
  if (!events) return;
  replace_events(database, number, stored, *events);
  transaction.commit();
}

std::uint64_t Catalog::check(const std::function<void(const CatalogProblem& problem)>& on_problem,
                             const std::stop_token& stop) {
  std::uint64_t paths = 0;
  for (const SqlRow& row : impl_->database().run(
           "SELECT path, bag, size_bytes, modified_ns FROM files ORDER BY path")) {
    if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
    ++paths;
    CatalogProblem problem{whole_in(row, 1), bytes_in(row, 0), {}};
    KnownFile known{problem.number, static_cast<std::uint64_t>(whole_in(row, 2)), whole_in(row, 3)};
    try {
      auto now = state_of(problem.path, impl_->session());
      if (!now) {
        problem.what = "is not there any more";
        problem.is_missing = true;
      } else if (!is_as_known(known, *now)) {
        problem.what = "has changed since it was added";
      }
    } catch (const Error& error) {
      problem.what = "cannot be looked at: " + error.message();
    }
    if (!problem.what.empty()) on_problem(problem);
  }
  return paths;
}

}  // namespace kitbag
