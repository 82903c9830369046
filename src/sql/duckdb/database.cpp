#include "sql/duckdb/database.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <utility>

#include "kitbag/columns.h"
#include "kitbag/error.h"
#include "kitbag/text.h"
#include "sql/duckdb/answer.h"
#include "sql/duckdb/columns.h"
#include "sql/names.h"

// DuckDB reads a stream of Arrow once, and only as a whole (docs/columns.md), so each topic that a
// query names becomes a table first.
//
// The query is not parsed, which only DuckDB could do right: its words are compared with the names
// of topics. Too many tables cost time, a missing one would be an error.
//
// Types of one topic may differ between bags, so each bag has a table, and UNION ALL BY NAME joins
// them with NULL for what one lacks.
//
// The settings close every way out before the first query; lock_configuration keeps the query from
// opening them again.
//
// An Error from reading a bag passes through DuckDB as a text only, so it is kept beside
// (`failure`) and thrown in place of DuckDB's.

namespace kitbag::sql {

namespace {

/// A query must not reach files, the network or extensions. Nothing is written to disk either: a
/// query that needs more memory than there is fails.
constexpr char kSettings[] =
    "SET temp_directory = ''; SET autoload_known_extensions = false; "
    "SET autoinstall_known_extensions = false; SET enable_external_access = false";

/// The words and quoted names in a query, in lower case. Those in texts and comments too: a table
/// that is loaded in vain does no harm.
std::set<std::string> words_of(const std::string& query) {
  std::set<std::string> words;
  std::string word;
  auto end_word = [&] {
    if (!word.empty()) words.insert(lower(std::exchange(word, {})));
  };
  for (std::size_t i = 0; i < query.size(); ++i) {
    char c = query[i];
    if (c == '"') {
      end_word();
      while (++i < query.size()) {
        bool is_doubled = query[i] == '"' && i + 1 < query.size() && query[i + 1] == '"';
        if (query[i] == '"' && !is_doubled) break;
        word += query[i];
        i += is_doubled ? 1U : 0U;
      }
      end_word();
      continue;
    }
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_letter || c == '_') {
      word += c;
    } else {
      end_word();
    }
  }
  end_word();
  return words;
}

/// A handle that `destroy` ends.
auto owned(void* handle, void (*destroy)(void** handle)) {
  auto end = [destroy](void* it) { destroy(&it); };
  return std::unique_ptr<void, decltype(end)>(handle, end);
}

struct OwnedStream {
  ArrowArrayStream stream{};
  ~OwnedStream() {
    if (stream.release) stream.release(&stream);
  }
};

}  // namespace

DuckDbDatabase::DuckDbDatabase(std::shared_ptr<const BagSet> set,
                               std::shared_ptr<const DuckDbLibrary> library)
    : set_(std::move(set)), library_(std::move(library)) {
  open();
}

DuckDbDatabase::~DuckDbDatabase() {
  close();
}

void DuckDbDatabase::open() {
  if (library_->open(nullptr, &database_) != DuckDbLibrary::kSuccess) {
    throw Error(ErrorCode::unsupported, "DuckDB cannot be opened");
  }
  if (library_->connect(database_, &connection_) != DuckDbLibrary::kSuccess) {
    library_->close(&database_);
    throw Error(ErrorCode::unsupported, "DuckDB gives no connection");
  }
  try {
    execute(kSettings);
  } catch (...) {
    close();
    throw;
  }
}

void DuckDbDatabase::close() {
  library_->disconnect(&connection_);
  library_->close(&database_);
}

std::unique_ptr<Answer> DuckDbDatabase::query(const std::string& text) {
  std::stop_callback interrupt(set_->stop, [this] { library_->interrupt(connection_); });
  load_topics(text);
  execute("SET lock_configuration = true");
  return duckdb_answer(library_, run(text));
}

void DuckDbDatabase::load_topics(const std::string& query) {
  const std::set<std::string> words = words_of(query);
  std::set<std::string> names;
  const std::vector<std::string> topics = topics_of(*set_);
  for (const std::string& topic : topics) names.insert(lower(topic));
  for (const std::string& topic : topics) {
    std::string plain = plain_name(topic);
    bool is_free = !plain.empty() && names.insert(lower(plain)).second;
    bool is_named = words.contains(lower(topic)) || (is_free && words.contains(lower(plain)));
    if (is_named) load_topic(topic, is_free ? plain : "");
  }
}

void DuckDbDatabase::load_topic(const std::string& topic, const std::string& name) {
  std::string all;
  for (const NamedBag& each : set_->bags) {
    if (!may_have(each, {.select = {.topics = {exact_pattern(topic)}}})) continue;
    BagPtr bag = each.open();
    if (!bag) continue;
    std::string piece = fmt::format("kitbag_{}", ++pieces_);
    load_piece(*bag, topic, piece);
    all += (all.empty() ? "FROM " : " UNION ALL BY NAME FROM ") + piece;
  }
  if (all.empty()) return;  // the bags cannot be read, which was reported
  execute(fmt::format("CREATE VIEW {} AS {}", quoted(topic), all));
  if (!name.empty()) {
    execute(fmt::format("CREATE VIEW {} AS FROM {}", quoted(name), quoted(topic)));
  }
}

void DuckDbDatabase::load_piece(const Bag& bag, const std::string& topic, const std::string& name) {
  ColumnsRequest request;
  request.has_topic = false;
  request.on_error = set_->on_error;
  request.report = set_->report;
  request.on_warning = set_->on_warning;
  Query query;
  query.on_problem = set_->on_problem;
  query.select.topics = {exact_pattern(topic)};
  auto failure = std::make_shared<std::optional<Error>>();
  auto table =
      std::make_unique<DuckDbColumns>(columns(bag, query, request, set_->session), failure);
  if (auto paths = table->left_out(); !paths.empty() && set_->on_warning) {
    set_->on_warning(Error(ErrorCode::remark,
                           fmt::format("{}: DuckDB has no structures without fields; left out: {}",
                                       topic, fmt::join(paths, ", "))));
  }
  OwnedStream owned;
  to_arrow_stream(std::move(table), set_->stop, &owned.stream);
  int state = library_->arrow_scan(connection_, "kitbag_stream", &owned.stream);
  if (state != DuckDbLibrary::kSuccess) {
    throw Error(ErrorCode::unsupported,
                fmt::format("DuckDB does not take the columns of {}", topic));
  }
  try {
    execute(fmt::format("CREATE TABLE {} AS FROM kitbag_stream", name));
  } catch (const Error&) {
    if (*failure) throw **failure;
    throw;
  }
  execute("DROP VIEW kitbag_stream");
}

DuckDbLibrary::Result DuckDbDatabase::run(const std::string& text) {
  void* statements = nullptr;
  std::uint64_t count = library_->extract_statements(connection_, text.c_str(), &statements);
  auto owner = owned(statements, library_->destroy_extracted);
  if (count == 0) {
    const char* reason = library_->extract_statements_error(statements);
    fail(reason ? reason : "the query is empty");
  }
  for (std::uint64_t i = 0; i + 1 < count; ++i) {
    DuckDbLibrary::Result result = run_one(statements, i);
    bool gives_rows = library_->result_return_type(result) == DuckDbLibrary::kRows;
    library_->destroy_result(&result);
    if (gives_rows) {
      fail("only the last statement of a query may give rows; ask one query at a time");
    }
  }
  return run_one(statements, count - 1);
}

DuckDbLibrary::Result DuckDbDatabase::run_one(void* statements, std::uint64_t index) {
  void* prepared = nullptr;
  int state = library_->prepare_extracted_statement(connection_, statements, index, &prepared);
  auto owner = owned(prepared, library_->destroy_prepare);
  if (state != DuckDbLibrary::kSuccess) fail(library_->prepare_error(prepared));
  DuckDbLibrary::Result result{};
  if (library_->execute_prepared(prepared, &result) == DuckDbLibrary::kSuccess) return result;
  const char* reason = library_->result_error(&result);
  std::string message = reason ? reason : "";
  library_->destroy_result(&result);
  fail(message.c_str());
}

void DuckDbDatabase::fail(const char* reason) const {
  if (set_->stop.stop_requested()) throw Error(ErrorCode::cancelled, "stopped on request");
  throw Error(ErrorCode::invalid, reason && *reason ? reason : "DuckDB gives no reason");
}

void DuckDbDatabase::execute(const std::string& text) {
  DuckDbLibrary::Result result = run(text);
  library_->destroy_result(&result);
}

}  // namespace kitbag::sql
