#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "arrow/column.h"

namespace kitbag::arrow {

/// Which columns get a value, and which get parts of it: a tree beside a Type, with the branches
/// that are wanted. Several columns can get the same value.
struct Target {
  std::vector<Column*> columns = {};  ///< of the value as a whole
  /// Parts of the columns above that the type does not have: null for each value.
  std::vector<Column*> absent = {};
  std::map<std::uint32_t, Target> fields = {};    ///< by Field::index
  std::unique_ptr<Target> each = nullptr;         ///< of every element of a list
  std::map<std::uint64_t, Target> elements = {};  ///< of single elements; null if there are fewer
};

/// Adds a null for a value that is missing: to each column that would have got it or a part of it.
void add_nulls(const Target& target);

}  // namespace kitbag::arrow
