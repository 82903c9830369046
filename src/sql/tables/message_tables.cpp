#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/transforms.h"
#include "sql/tables/element_table.h"

// Tables of the messages of certain types, whatever their topics are.

namespace kitbag::sql {

std::unique_ptr<Table> make_tf_table(std::shared_ptr<const BagSet> set) {
  ElementTable table;
  for (const TransformForm& form : transform_forms()) {
    table.forms.push_back({.select = {.types = form.types}});
    // A list is as long as any field of its elements, of which a number costs least.
    if (!form.list.empty()) table.forms.back().length_path = form.list + form.rotation + ".w";
  }
  auto paths = [](std::string TransformForm::*field, const std::string& name = {}) {
    std::vector<std::string> all;
    for (const TransformForm& form : transform_forms())
      all.push_back(form.list + form.*field + name);
    return all;
  };
  table.columns = {
      {"stamp", "INTEGER", ElementColumn::Kind::time, paths(&TransformForm::stamp)},
      {"parent", "TEXT", ElementColumn::Kind::value, paths(&TransformForm::parent)},
      {"child", "TEXT", ElementColumn::Kind::value, paths(&TransformForm::child)},
      {"x", "REAL", ElementColumn::Kind::value, paths(&TransformForm::translation, ".x")},
      {"y", "REAL", ElementColumn::Kind::value, paths(&TransformForm::translation, ".y")},
      {"z", "REAL", ElementColumn::Kind::value, paths(&TransformForm::translation, ".z")},
      {"qx", "REAL", ElementColumn::Kind::value, paths(&TransformForm::rotation, ".x")},
      {"qy", "REAL", ElementColumn::Kind::value, paths(&TransformForm::rotation, ".y")},
      {"qz", "REAL", ElementColumn::Kind::value, paths(&TransformForm::rotation, ".z")},
      {"qw", "REAL", ElementColumn::Kind::value, paths(&TransformForm::rotation, ".w")},
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
