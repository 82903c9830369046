#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "columns/field_path.h"
#include "kitbag/columns.h"

namespace kitbag {

/// Which columns there are for some channels.
struct ColumnPlan {
  /// What is known of one channel.
  struct Planned {
    bool is_left_out = false;  ///< it has none of the fields
    TypePtr type;              ///< null: its messages cannot be decoded, or it has no type
    bool has_stamp = false;    ///< it has the header stamp that is asked for
    /// Columns that cannot hold what it has for them, because it came later.
    std::set<std::size_t> unfit = {};
  };

  arrow::ColumnType table;        ///< the struct of all columns
  std::vector<FieldPath> paths;   ///< of the fields, in the order of their columns
  std::size_t first_field = 0;    ///< the column of paths[0]
  bool has_value = false;         ///< the last column has messages that are no structures
  std::vector<Planned> channels;  ///< by slot
};

/// Throws Error as columns() does.
ColumnPlan plan_columns(const Channels& channels, const ColumnsRequest& request,
                        const Session& session);

/// Plans a channel that came later for columns that there are.
ColumnPlan::Planned plan_channel(const Channel& channel, const ColumnPlan& plan,
                                 const ColumnsRequest& request, const Session& session);

/// The path of the stamp of a row.
const FieldPath& stamp_path();

}  // namespace kitbag
