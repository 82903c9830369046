#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/type.h"
#include "sql/bag_set.h"
#include "sql/field_conditions.h"

namespace kitbag::sql {

/// A field as a column.
struct FieldColumn {
  std::string name;  ///< in SQL: unique, whatever the case of its letters
  std::string path;
  const char* type;  ///< declared
};

/// A topic in all bags, with its fields as columns.
struct Topic {
  std::shared_ptr<const BagSet> set;
  std::string name;
  std::vector<FieldColumn> fields;
  std::vector<std::set<std::string>> paths_of_bag;  ///< by bag: the fields that it has
  int bag_column() const { return static_cast<int>(fields.size()) + 1; }
  /// None for the column `time`.
  Comparison comparison(int column) const;
};

/// Throws Error: not_found if no bag has the topic; unsupported if its messages cannot be decoded.
Topic topic_named(std::shared_ptr<const BagSet> set, const std::string& name);

/// Throws Error (not_found): no bag of `set` has the topic. Names those that are similar.
[[noreturn]] void throw_unknown_topic(const BagSet& set, const std::string& name);

/// Returns the type of the column that a field of this type becomes, as SQL declares it.
const char* declared_type(const Type& type);

/// Returns the fields of a structure and those in them, with dots between their names, and the
/// types of their columns.
std::vector<std::pair<std::string, const char*>> paths_of(const Type& type);

}  // namespace kitbag::sql
