#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/database.h"

namespace kitbag::catalog {

/// Returns the paths of fields in the column `channels.fields`, without the brackets of lists, as
/// conditions write them.
std::set<std::string> field_paths(std::string_view stored_lines);

/// Returns whether a path names a part of a time, which has several names.
bool is_part_of_time(const std::string& path);

/// The fields of all channels of a catalog.
class KnownFields {
 public:
  /// Throws as Database::run() does.
  explicit KnownFields(Database& database);

  /// Returns false if certainly no message has a field at `path`.
  bool may_have(const std::string& path) const;
  /// Returns a few fields whose paths are most like it.
  std::vector<std::string> similar_to(const std::string& path) const;

 private:
  std::set<std::string> paths_;
  bool are_all_known_ = true;  ///< no channel has a type that is not known
};

}  // namespace kitbag::catalog
