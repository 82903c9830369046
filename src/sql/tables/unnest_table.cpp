#include "sql/tables/unnest_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "kitbag/type.h"
#include "sql/names.h"
#include "sql/tables/element_table.h"
#include "sql/topic.h"

// The columns are those of the first bag that has the list. In other bags, a field that the
// elements lack is NULL. The length of a list is that of its first column.

namespace kitbag::sql {

namespace {

/// The type of the field at `path`, through structures alone. Null: there is none.
const Type* type_at(const Type& type, std::string_view path) {
  const Type* at = &type;
  while (!path.empty()) {
    std::size_t end = std::min(path.find('.'), path.size());
    auto found = std::find_if(at->fields.begin(), at->fields.end(), [&](const Field& field) {
      return field.name == path.substr(0, end);
    });
    if (at->kind != Kind::structure || found == at->fields.end()) return nullptr;
    at = found->type;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return at;
}

/// The columns for elements of that type.
void add_columns(const Type& element, const std::string& list, ElementTable& table) {
  bool is_structure =
      element.kind == Kind::structure && element.role == Role::none && !element.fields.empty();
  if (!is_structure) {
    table.forms[0].length_path = list;
    table.columns.push_back({"value", declared_type(element), ElementColumn::Kind::value, {list}});
    return;
  }
  std::set<std::string> names = {"time", "index", "bag", "rowid"};
  for (const auto& [path, declared] : paths_of(element)) {
    std::string name = path;
    while (!names.insert(lower(name)).second) name += '_';
    std::string full_path = fmt::format("{}[].{}", list, path);
    table.columns.push_back({name, declared, ElementColumn::Kind::value, {full_path}});
    std::string& length_path = table.forms[0].length_path;
    if (length_path.empty()) length_path = full_path;
  }
}

}  // namespace

std::unique_ptr<Table> make_unnest_table(std::shared_ptr<const BagSet> set,
                                         const std::string& topic, const std::string& list) {
  bool is_there = false;
  for (const NamedBag& each : set->bags) {
    for (const ChannelPtr& channel : *each.channels()) {
      if (!channel || channel->topic != topic) continue;
      is_there = true;
      TypePtr type = type_of(*channel, set->session);
      const Type* field = type ? type_at(*type, list) : nullptr;
      if (list.empty() || !field || !is_list(field->kind)) continue;
      ElementTable table;
      table.forms = {{.select = {.topics = {exact_pattern(topic)}}}};
      table.columns.push_back({"index", "INTEGER", ElementColumn::Kind::index});
      add_columns(*field->element, list, table);
      table.columns.push_back({"bag", "TEXT HIDDEN", ElementColumn::Kind::bag});
      return make_element_table(std::move(set), std::move(table));
    }
  }
  if (!is_there) throw_unknown_topic(*set, topic);
  throw Error(ErrorCode::invalid, fmt::format("the messages of {} have no list {}", topic, list));
}

}  // namespace kitbag::sql
