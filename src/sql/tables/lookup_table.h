#pragma once

#include <memory>

#include "sql/bag_set.h"
#include "sql/tables/virtual_table.h"

namespace kitbag::sql {

/// tf_lookup(TARGET, SOURCE, TIME): x, y, z, qx, qy, qz, qw of the transform that takes points in
/// the source frame to the target frame. No row if there is none.
std::unique_ptr<Table> make_lookup_table(std::shared_ptr<const BagSet> set);

}  // namespace kitbag::sql
