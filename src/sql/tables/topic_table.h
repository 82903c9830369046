#pragma once

#include <memory>
#include <string>

#include "sql/bag_set.h"
#include "sql/tables/virtual_table.h"

namespace kitbag::sql {

/// The messages of a topic in all bags, a row for each. Its columns are `time` (log time in
/// nanoseconds), a column for each field, with dots between the names of nested ones, and `bag`,
/// which `SELECT *` leaves out. Throws Error: not_found if no bag has the topic; unsupported if its
/// messages cannot be decoded.
std::unique_ptr<Table> make_topic_table(std::shared_ptr<const BagSet> set,
                                        const std::string& topic);

}  // namespace kitbag::sql
