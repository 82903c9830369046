#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/catalog.h"
#include "kitbag/database.h"

namespace kitbag::catalog {

/// Rows of a table by an index that has them in the order of the list of bags.
struct BagStream {
  std::string table;           ///< has the columns `start_ns` and `bag`
  std::string condition = {};  ///< its rows; "": all of them
  std::vector<std::string> stretches =
      {};  ///< the condition in parts, for each one stretch of the index
  std::vector<SqlValue> parameters = {};  ///< of the conditions
};

/// A query for bags as SQL, with its parameters.
struct BagQuery {
  std::string where;  ///< "WHERE ..." and what follows; empty: all bags
  std::vector<SqlValue> parameters;
  bool is_empty = false;  ///< certainly no bag: a topic is wanted that none has

  // What helps to look at few bags only.
  std::vector<BagStream> streams = {};        ///< all bags of the query are in each of them
  bool is_one_stream = false;                 ///< and all bags of the only one are of the query
  std::string text = {};                      ///< all bags of the query have it; "": nothing
  std::optional<std::int64_t> least_ns = {};  ///< no bag of the query starts before this
  std::optional<std::int64_t> end_ns = {};    ///< or from this on
};

/// Returns the bags that `query` selects, without `after`, `skip` and `most`. Names and globs of
/// topics are looked up among those that the catalog knows, which are few. Throws Error, as
/// Database::run() does, and invalid for a glob that is none.
BagQuery bag_query(Database& database, const CatalogQuery& query);

/// Returns how many messages of these bags, on topics that `query` selects, cannot be decoded.
/// Throws as bag_query() does.
std::uint64_t undecoded_messages(Database& database, const CatalogQuery& query);

/// A statement for the bags that have a text in a path, a tag, a note or an event, and perhaps some
/// others, by an index of the pieces of three characters of all texts.
struct TextQuery {
  std::string select;  ///< of `start_ns` and `bag`; a bag may come several times
  std::vector<SqlValue> parameters;
};
TextQuery text_query(const SqlDialect& dialect, const std::string& text);

}  // namespace kitbag::catalog
