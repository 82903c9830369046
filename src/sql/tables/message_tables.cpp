#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sql/tables/element_table.h"

// Tables of the messages of certain types, whatever their topics are.

namespace kitbag::sql {

std::unique_ptr<Table> make_tf_table(std::shared_ptr<const BagSet> set) {
  ElementTable table;
  table.forms = {{{.types = {"tf2_msgs/TFMessage", "tf2_msgs/msg/TFMessage", "tf2_msgs.TFMessage",
                             "tf/tfMessage"}},
                  "transforms[].transform.rotation.w"},
                 {{.types = {"foxglove.FrameTransforms", "foxglove_msgs/FrameTransforms",
                             "foxglove_msgs/msg/FrameTransforms"}},
                  "transforms[].rotation.w"},
                 {{.types = {"foxglove.FrameTransform", "foxglove_msgs/FrameTransform",
                             "foxglove_msgs/msg/FrameTransform"}}}};
  auto paths = [](const std::string& ros, const std::string& foxglove) {
    return std::vector{"transforms[]." + ros, "transforms[]." + foxglove, foxglove};
  };
  auto part = [&](const std::string& name) { return paths("transform." + name, name); };
  table.columns = {
      {"stamp", "INTEGER", ElementColumn::Kind::time, paths("header.stamp", "timestamp")},
      {"parent", "TEXT", ElementColumn::Kind::value, paths("header.frame_id", "parent_frame_id")},
      {"child", "TEXT", ElementColumn::Kind::value, paths("child_frame_id", "child_frame_id")},
      {"x", "REAL", ElementColumn::Kind::value, part("translation.x")},
      {"y", "REAL", ElementColumn::Kind::value, part("translation.y")},
      {"z", "REAL", ElementColumn::Kind::value, part("translation.z")},
      {"qx", "REAL", ElementColumn::Kind::value, part("rotation.x")},
      {"qy", "REAL", ElementColumn::Kind::value, part("rotation.y")},
      {"qz", "REAL", ElementColumn::Kind::value, part("rotation.z")},
      {"qw", "REAL", ElementColumn::Kind::value, part("rotation.w")},
      {"is_static", "INTEGER", ElementColumn::Kind::is_static},
      {"topic", "TEXT", ElementColumn::Kind::topic},
      {"bag", "TEXT", ElementColumn::Kind::bag}};
  return make_element_table(std::move(set), std::move(table));
}

std::unique_ptr<Table> make_diagnostics_table(std::shared_ptr<const BagSet> set) {
  ElementTable table;
  table.forms = {
      {{.types = {"diagnostic_msgs/DiagnosticArray", "diagnostic_msgs/msg/DiagnosticArray",
                  "diagnostic_msgs.DiagnosticArray"}},
       "status[].level"}};
  table.columns = {{"level", "INTEGER", ElementColumn::Kind::value, {"status[].level"}},
                   {"name", "TEXT", ElementColumn::Kind::value, {"status[].name"}},
                   {"message", "TEXT", ElementColumn::Kind::value, {"status[].message"}},
                   {"hardware_id", "TEXT", ElementColumn::Kind::value, {"status[].hardware_id"}},
                   {"values_json", "TEXT", ElementColumn::Kind::pairs, {"status[].values"}},
                   {"topic", "TEXT", ElementColumn::Kind::topic},
                   {"bag", "TEXT", ElementColumn::Kind::bag}};
  return make_element_table(std::move(set), std::move(table));
}

}  // namespace kitbag::sql
