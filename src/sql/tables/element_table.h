#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kitbag/selector.h"
#include "sql/bag_set.h"
#include "sql/tables/virtual_table.h"

namespace kitbag::sql {

/// Messages that a table reads in the same way.
struct ElementForm {
  Selection select;  ///< the topics
  /// A list with as many elements as a message has rows; empty: a message is one row.
  std::string length_path = {};
};

/// A column of a table whose rows are the elements of a list.
struct ElementColumn {
  enum class Kind {
    index,      ///< the number of the element, from 0 on
    value,      ///< what the path leads to
    time,       ///< likewise, a time or a structure `sec` and `nsec`
    pairs,      ///< a list of structures `key` and `value`, as a JSON object
    is_static,  ///< whether the topic is one of static transforms
    topic,
    bag,
  };
  std::string name;
  std::string type;  ///< declared
  Kind kind = Kind::value;
  /// By form: "transforms[].child_frame_id", a list that has a value for each element.
  std::vector<std::string> paths = {};
};

/// What the rows of such a table are.
struct ElementTable {
  std::vector<ElementForm> forms;
  /// Those behind `time`, the log time of the message.
  std::vector<ElementColumn> columns;
};

/// A row for each element of a list in each message, in all bags.
std::unique_ptr<Table> make_element_table(std::shared_ptr<const BagSet> set, ElementTable table);

/// The transforms in messages of type TFMessage (ROS), FrameTransform and FrameTransforms
/// (Foxglove): time, stamp, parent, child, x, y, z, qx, qy, qz,
/// qw, is_static, topic, bag.
std::unique_ptr<Table> make_tf_table(std::shared_ptr<const BagSet> set);

/// The states in messages of type DiagnosticArray: time, level, name, message, hardware_id,
/// values_json, topic, bag.
std::unique_ptr<Table> make_diagnostics_table(std::shared_ptr<const BagSet> set);

}  // namespace kitbag::sql
