#pragma once

#include <set>
#include <string>
#include <vector>

#include "kitbag/database.h"

namespace kitbag::catalog {

/// The fields of some channels.
class KnownFields {
 public:
  KnownFields() = default;
  /// Those of all channels of a catalog. Throws as Database::run() does.
  explicit KnownFields(Database& database);

  /// Adds those of a channel: a value of the column `channels.fields`.
  void add(const SqlValue& stored);

  /// Returns false if certainly no message has a field at `path`, as conditions write it: without
  /// the brackets of lists.
  bool may_have(const std::string& path) const;
  /// Returns a few fields whose paths are most like it.
  std::vector<std::string> similar_to(const std::string& path) const;

 private:
  std::set<std::string> paths_;  ///< without brackets
  bool are_all_known_ = true;    ///< no channel has a type that is not known, or known in part
};

}  // namespace kitbag::catalog
