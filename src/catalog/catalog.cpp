#include "kitbag/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "catalog/add_bag.h"
#include "catalog/bag_details.h"
#include "catalog/bag_place.h"
#include "catalog/bag_query.h"
#include "catalog/bag_rows.h"
#include "catalog/bag_search.h"
#include "catalog/check_bags.h"
#include "catalog/definitions.h"
#include "catalog/event_rows.h"
#include "catalog/file_state.h"
#include "catalog/known_fields.h"
#include "catalog/moments.h"
#include "catalog/schema.h"
#include "catalog/stored_text.h"
#include "kitbag/bag_folder.h"
#include "kitbag/database.h"
#include "kitbag/fields.h"
#include "model/scheme.h"

// Each function is a query or two of the other files here, in a transaction if it changes
// something. What becomes of an error is decided here:
//
//     it is about the catalog, or is "cancelled"    a scan or a search ends
//     it is about a bag                             it is reported, and the next bag is looked at
//
// An error of a row has no file, and would pass for one of the bag that is looked at. So
// read_rows() gives it that of the catalog.

namespace kitbag {

using namespace catalog;

namespace {

/// `error`, about a file if it names none.
Error located(const Error& error, const std::string& file) {
  if (!error.file().empty()) return error;
  return Error(error.code(), error.message(), file, error.offset(), error.loss());
}

}  // namespace

const char* to_string(CatalogChange change) {
  switch (change) {
    case CatalogChange::added:
      return "added";
    case CatalogChange::unchanged:
      return "unchanged";
    case CatalogChange::updated:
      return "updated";
    case CatalogChange::moved:
      return "moved";
    case CatalogChange::copied:
      return "copied";
    case CatalogChange::replaced:
      return "replaced";
  }
  return "";
}

std::string cursor_of(const CatalogBag& bag) {
  return catalog::cursor_of(BagPlace{to_ns(bag.start), bag.number});
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
  const DefinitionPaths& definitions() const { return definitions_; }
  void set_definitions(DefinitionPaths paths) { definitions_ = std::move(paths); }
  /// The catalog itself, which may lie among the bags.
  bool is_own_file(const std::string& path) const {
    return scheme_of(shown_).empty() &&
           catalog_path(path, session_) == catalog_path(shown_, session_);
  }

  /// Runs `work`, which reads rows: one that is wrong is damage of the catalog.
  template <class Work>
  auto read_rows(const Work& work) const {
    try {
      return work();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::corrupt) throw;
      throw located(error, shown_);
    }
  }
  CatalogChange add(const std::string& path, const CatalogAddOptions& options,
                    const FileStatus& listed = {}) {
    return read_rows(
        [&] { return add_bag(*database_, session_, path, options, definitions_, listed); });
  }
  std::vector<FoundPath> bags_below(const std::string& folder) {
    return kitbag::bags_below(
        folder, session_, [&](const std::string& path, const FileStatus& listed) {
          return read_rows([&] { return is_listed_as_known(*database_, session_, path, listed); });
        });
  }
  void find(const CatalogQuery& query, const std::function<void(const CatalogBag& bag)>& on_bag) {
    find_bags(*database_, query, on_bag);
  }
  std::int64_t bag_at(const std::string& path);
  /// Throws Error (not_found) for a field that no bag can have.
  void require_fields(const std::string& condition);

 private:
  Session session_;
  std::string shown_;
  std::unique_ptr<Database> database_;
  DefinitionPaths definitions_;
};

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

void Catalog::set_definitions(DefinitionPaths paths) {
  impl_->set_definitions(std::move(paths));
}

CatalogChange Catalog::add(const std::string& path, const CatalogAddOptions& options) {
  return impl_->add(path, options);
}

void Catalog::scan(const std::string& folder, const CatalogAddOptions& options,
                   const std::function<void(const std::string& path, const CatalogChange* change,
                                            const Error* error)>& on_bag) {
  for (const auto& [path, listed] : impl_->bags_below(folder)) {
    if (impl_->is_own_file(path)) continue;
    if (options.stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
    try {
      CatalogChange change = impl_->add(path, options, listed);
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
  // What is said of a bag goes with its last path.
  if (paths_of(database, known->bag).empty()) remove_bag(database, known->bag);
  transaction.commit();
  return true;
}

void Catalog::find(const CatalogQuery& query,
                   const std::function<void(const CatalogBag& bag)>& on_bag) {
  impl_->read_rows([&] { impl_->find(query, on_bag); });
}

std::uint64_t Catalog::count(const CatalogQuery& query, std::uint64_t most) {
  return count_bags(impl_->database(), query, most);
}

std::vector<std::pair<std::string, std::string>> Catalog::topics() {
  std::set<std::pair<std::string, std::string>> topics;
  impl_->read_rows([&] {
    for (const SqlRow& row : impl_->database().run("SELECT topic, type FROM channels")) {
      topics.emplace(bytes_in(row, 0), bytes_in(row, 1));
    }
  });
  return {topics.begin(), topics.end()};
}

std::optional<CatalogBag> Catalog::bag_at(const std::string& path) {
  return impl_->read_rows([&]() -> std::optional<CatalogBag> {
    Database& database = impl_->database();
    auto known = file_at(database, catalog_path(path, impl_->session()));
    if (!known) return std::nullopt;
    auto rows =
        database.run(fmt::format("SELECT {} FROM bags WHERE bag = $1", kBagColumns), {known->bag});
    if (rows.empty()) return std::nullopt;
    CatalogBag bag = bag_of(rows[0]);
    add_paths(database, {&bag, 1});
    add_details(database, {&bag, 1});
    return bag;
  });
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
  // A field that is misspelled would meet the condition nowhere, and look like an answer.
  impl_->require_fields(query.query.where);
  MomentSearch search(impl_->database(), impl_->session(), impl_->definitions(), query.query, read,
                      stop);
  CatalogQuery bags = query;
  // Bags are judged by their pyramids, so topics and events of each would be read in vain.
  bags.has_details = false;
  impl_->find(bags, [&](const CatalogBag& bag) {
    if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
    try {
      search.look_at(bag, on_moment);
    } catch (const Error& error) {
      bool ends_all = error.code() == ErrorCode::cancelled || error.code() == ErrorCode::invalid ||
                      error.file() == impl_->shown();
      if (ends_all) throw;
      search.add_failure(located(error, bag.paths.empty() ? "" : bag.paths.front()));
    }
  });
  CatalogSearch result = search.result();
  result.undecoded = undecoded_messages(impl_->database(), query);
  return result;
}

std::optional<CatalogTimes> Catalog::possible_times(const CatalogBag& bag, const FindQuery& query) {
  ConditionBounds condition(query.where);
  auto place = place_of(impl_->database(), impl_->session(), bag);
  if (!place || place->has_changed) return CatalogTimes{query.begin, query.end};
  return judge(impl_->database(), bag.number, condition, query).times;
}

CatalogOpened Catalog::open(const CatalogBag& bag, const ReadOptions& read) {
  return open_bag(impl_->database(), impl_->session(), impl_->definitions(), bag, read);
}

SchemaPtr Catalog::definition(const std::string& schema_hash, const std::string& type) {
  return definition_with(impl_->database(), schema_hash, type);
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

/// What is there already is not added again, so that a search can be repeated each night.
std::uint64_t Catalog::add_events(std::int64_t bag, const std::vector<CatalogEvent>& events) {
  Database& database = impl_->database();
  SqlTransaction transaction(database);
  std::uint64_t added = 0;
  for (const CatalogEvent& event : events) {
    std::vector<SqlValue> values{bag, to_ns(event.start), to_ns(std::max(event.start, event.end)),
                                 stored_text(event.name)};
    bool is_there = !database
                         .run(
                             "SELECT 1 FROM events WHERE bag = $1 AND start_ns = $2 AND "
                             "end_ns = $3 AND name = $4",
                             values)
                         .empty();
    if (is_there) continue;
    database.run("INSERT INTO events (bag, start_ns, end_ns, name) VALUES ($1, $2, $3, $4)",
                 values);
    ++added;
  }
  transaction.commit();
  return added;
}

bool Catalog::remove_event(std::int64_t number) {
  Database& database = impl_->database();
  SqlTransaction transaction(database);
  bool is_there = !database.run("SELECT event FROM events WHERE event = $1", {number}).empty();
  database.run("DELETE FROM events WHERE event = $1", {number});
  transaction.commit();
  return is_there;
}

std::optional<CatalogPicture> Catalog::picture(std::int64_t bag, const std::string& topic,
                                               Time time) {
  return impl_->read_rows([&] { return picture_in(impl_->database(), bag, topic, time); });
}

CatalogChecked Catalog::check(const std::function<void(const CatalogProblem& problem)>& on_problem,
                              const CatalogCheckOptions& options) {
  return impl_->read_rows(
      [&] { return check_bags(impl_->database(), impl_->session(), on_problem, options); });
}

std::vector<CatalogEvent> Catalog::events_of(std::int64_t number) {
  return catalog::events_of(impl_->database(), number);
}

/// `change` is called within the transaction: nobody else changes the events between what it is
/// shown and what it returns.
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

}  // namespace kitbag
