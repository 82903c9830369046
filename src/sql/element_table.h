#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kitbag/selector.h"
#include "sql/bag_set.h"
#include "sql/virtual_table.h"

namespace kitbag::sql {

/// A column of a table whose rows are the elements of a list.
struct ElementColumn {
  enum class Kind {
    index,      ///< the number of the element, from 0 on
    value,      ///< what `path` leads to
    pairs,      ///< a list of structures `key` and `value`, as a JSON object
    is_static,  ///< whether the topic is one of static transforms
    topic,
    bag,
  };
  std::string name;
  std::string type;  ///< declared
  Kind kind = Kind::value;
  std::string path = {};  ///< "transforms[].child_frame_id": a list that has a value per element
};

/// What the rows of such a table are.
struct ElementTable {
  Selection select;         ///< the topics
  std::string length_path;  ///< a list with as many elements as a message has rows
  /// Those behind `time`, the log time of the message.
  std::vector<ElementColumn> columns;
};

/// A row for each element of a list in each message, in all bags.
std::unique_ptr<Table> make_element_table(std::shared_ptr<const BagSet> set, ElementTable table);

/// The transforms in messages of type TFMessage: time, stamp, parent, child, x, y, z, qx, qy, qz,
/// qw, is_static, topic, bag.
std::unique_ptr<Table> make_tf_table(std::shared_ptr<const BagSet> set);

/// The states in messages of type DiagnosticArray: time, level, name, message, hardware_id,
/// values_json, topic, bag.
std::unique_ptr<Table> make_diagnostics_table(std::shared_ptr<const BagSet> set);

}  // namespace kitbag::sql
