#pragma once

#include <memory>
#include <string>

#include "sql/bag_set.h"
#include "sql/tables/virtual_table.h"

namespace kitbag::sql {

/// A row for each element of a list in the messages of a topic: time, index, and `value` or, if the
/// elements are structures, their fields; hidden: bag. Throws Error: not_found if no bag has the
/// topic; invalid if it has no list of that name.
std::unique_ptr<Table> make_unnest_table(std::shared_ptr<const BagSet> set,
                                         const std::string& topic, const std::string& list);

}  // namespace kitbag::sql
