#pragma once

#include <memory>

#include "sql/bag_set.h"
#include "sql/tables/virtual_table.h"

namespace kitbag::sql {

/// All messages of all bags: time, topic, type, size_bytes, publish_time, sequence, bag; and, as
/// columns that `SELECT *` leaves out, `payload` (a BLOB) and `json` (decoded).
std::unique_ptr<Table> make_messages_table(std::shared_ptr<const BagSet> set);
/// A row for each topic and type of each bag.
std::unique_ptr<Table> make_topics_table(std::shared_ptr<const BagSet> set);
/// A row for each bag; of a catalog with what it knows beside.
std::unique_ptr<Table> make_bags_table(std::shared_ptr<const BagSet> set);
/// A row for each tag of each bag of a catalog.
std::unique_ptr<Table> make_tags_table(std::shared_ptr<const BagSet> set);
/// A row for each event of each bag of a catalog.
std::unique_ptr<Table> make_events_table(std::shared_ptr<const BagSet> set);

}  // namespace kitbag::sql
