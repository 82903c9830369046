#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sql/bag_set.h"
#include "sql/tables/virtual_table.h"

namespace kitbag::sql {

/// kitbag_resample(TOPIC, RATE[, METHOD]): the values of a topic at a fixed rate. The times are the
/// multiples of the period since 1970, from the start of the earliest bag to the end of the last
/// one, so that all topics have the same times. Throws Error: invalid for wrong arguments, and as
/// topic_named() does.
std::unique_ptr<Table> make_resample_table(std::shared_ptr<const BagSet> set,
                                           const std::vector<std::string>& arguments);

/// kitbag_asof(TOPIC, OTHER[, TOLERANCE]): the messages of a topic, with the last message of the
/// other one that is not later, nor earlier by more than the tolerance. Throws Error likewise.
std::unique_ptr<Table> make_asof_table(std::shared_ptr<const BagSet> set,
                                       const std::vector<std::string>& arguments);

}  // namespace kitbag::sql
