#include "import/binding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "import/cell.h"
#include "kitbag/error.h"
#include "kitbag/text.h"
#include "payload/field_steps.h"

// A column of the table is named by a path: a field of the message, or one inside of it. A column
// that is a structure brings its own fields, which are matched by their names alone.
//
// columns() gives each of its columns a name of its own: where a message has a field `time`, which
// is the name of the column of log times, the column is called `time_`. So a field is looked for by
// the name that columns() would give it.

namespace kitbag {

namespace {

using arrow::IpcField;
using arrow::IpcLayout;

constexpr std::size_t kMostParts = 1 << 16;  ///< columns for elements of a list
constexpr std::size_t kMostSimilar = 3;

std::size_t index_of_column(const IpcField& table, std::string_view name) {
  for (std::size_t i = 0; i < table.children.size(); ++i) {
    if (table.children[i].name == name) return i;
  }
  return SIZE_MAX;
}

const Field* field_of(const Type& type, std::string_view name) {
  auto found = std::find_if(type.fields.begin(), type.fields.end(),
                            [&](const Field& field) { return field.name == name; });
  return found == type.fields.end() ? nullptr : &*found;
}

bool is_text_column(const IpcField& column) {
  const IpcField& values = column.dictionary ? *column.dictionary : column;
  return values.type.number == arrow::IpcTypeNumber::utf8 ||
         values.type.number == arrow::IpcTypeNumber::large_utf8;
}

bool is_nested(const IpcField& column) {
  switch (column.type.layout) {
    case IpcLayout::structure:
    case IpcLayout::list:
    case IpcLayout::large_list:
    case IpcLayout::fixed_list:
      return true;
    default:
      return false;
  }
}

bool is_bytes_column(const IpcField& column) {
  using enum arrow::IpcTypeNumber;
  return column.type.number == binary || column.type.number == large_binary ||
         column.type.number == fixed_size_binary;
}

class Binder {
 public:
  Binder(const IpcField& table, const Type& type) : table_(table), type_(type) {}

  Binding bind(const std::string& time_column) {
    choose_row_columns(time_column);
    name_fields();
    binding_.root = source(type_, nullptr, "");
    if (!is_compound(type_.kind)) {
      bind_value();
    } else {
      binding_.root.from = FieldSource::From::parts;
      make_parts(binding_.root);
      for (std::size_t i = 0; i < table_.children.size(); ++i) {
        if (!is_of_row(i)) bind_column(i);
      }
    }
    find_absent(binding_.root);
    return std::move(binding_);
  }

 private:
  static FieldSource source(const Type& type, const Field* field, std::string path) {
    FieldSource made;
    made.type = &type;
    made.field = field;
    made.path = std::move(path);
    return made;
  }

  bool is_of_row(std::size_t column) const {
    const RowColumns& row = binding_.row;
    return column == row.time || column == row.publish_time || column == row.topic;
  }

  void choose_row_columns(const std::string& time_column) {
    RowColumns& row = binding_.row;
    if (!time_column.empty()) {
      row.time = index_of_column(table_, time_column);
      if (row.time == SIZE_MAX) throw_without_time(time_column);
    }
    for (const char* name : {"time", "log_time", "log_time_ns"}) {
      if (row.time == SIZE_MAX) row.time = index_of_column(table_, name);
    }
    if (row.time == SIZE_MAX) throw_without_time("time");
    // If the message has a field of that name, the column is for the field.
    auto other = [&](const char* name) {
      std::size_t found = index_of_column(table_, name);
      return found != row.time && !field_of(type_, name) ? found : SIZE_MAX;
    };
    // SIZE_MAX, which is none, is the greatest.
    row.publish_time = std::min(other("publish_time"), other("publish_time_ns"));
    row.topic = other("topic");
    if (row.topic == SIZE_MAX) {  // that of columns(), and the field is `topic_`
      std::size_t found = index_of_column(table_, "topic");
      bool has_field_beside = index_of_column(table_, "topic_") != SIZE_MAX;
      if (found != row.time && has_field_beside) row.topic = found;
    }
    if (row.topic != SIZE_MAX && !is_text_column(table_.children[row.topic])) row.topic = SIZE_MAX;
  }

  [[noreturn]] void throw_without_time(const std::string& name) const {
    std::vector<std::string> names;
    for (const IpcField& column : table_.children) names.push_back(column.name);
    auto similar = nearest_texts(name, names, kMostSimilar);
    throw Error(
        ErrorCode::not_found,
        fmt::format("there is no column \"{}\" with the time of each row{}{}", name,
                    similar.empty() ? "" : "; similar columns: ", fmt::join(similar, ", ")));
  }

  /// The columns that columns() makes of the fields.
  void name_fields() {
    std::set<std::string> taken = {table_.children[binding_.row.time].name};
    if (binding_.row.topic != SIZE_MAX) taken.insert("topic");
    for (const Field& field : type_.fields) {
      std::string name = field.name;
      while (!taken.insert(name).second) name += '_';
      field_names_[name] = field.name;
    }
  }

  /// A message that is no structure.
  void bind_value() {
    for (std::size_t i = 0; i < table_.children.size(); ++i) {
      if (is_of_row(i)) continue;
      const std::string& name = table_.children[i].name;
      bool is_value = name == "value" || name == "data";
      if (is_value && binding_.root.from == FieldSource::From::nowhere) {
        set_column(binding_.root, i, table_.children[i]);
      } else {
        binding_.unfit.push_back(name);
      }
    }
  }

  void bind_column(std::size_t index) {
    const IpcField& column = table_.children[index];
    if (column.name.empty()) {  // the index of a data frame, as pandas writes it
      binding_.unused.emplace_back("the column without a name");
      return;
    }
    if (column.name == "file" && !field_of(type_, column.name) && is_text_column(column)) {
      binding_.unused.emplace_back("file");
      return;
    }
    FieldPlace place;
    try {
      auto known = field_names_.find(column.name);
      if (known != field_names_.end()) {
        place = {{{.name = known->second}}, field_of(type_, known->second)->type, false};
      } else {
        place = find_place(type_, field_steps(column.name));
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found && error.code() != ErrorCode::invalid) throw;
      binding_.unfit.push_back(error.message());
      return;
    }
    if (!place.type || place.has_several) {
      binding_.unfit.push_back(fmt::format("{}: the path goes through a list", column.name));
      return;
    }
    FieldSource* at = &binding_.root;
    for (const FieldStep& step : place.steps) {
      at = part(*at, step, column);
      if (!at) return;
    }
    if (at->from != FieldSource::From::nowhere) {
      throw Error(
          ErrorCode::invalid,
          fmt::format("the column \"{}\" is for a field that has another column too", column.name));
    }
    set_column(*at, index, column);
  }

  /// All fields of a structure, in their order.
  static void make_parts(FieldSource& at) {
    for (const Field& field : at.type->fields) {
      at.children.push_back(
          source(*field.type, &field, at.path.empty() ? field.name : at.path + "." + field.name));
    }
  }

  FieldSource* part(FieldSource& at, const FieldStep& step, const IpcField& column) {
    if (at.from == FieldSource::From::column) {
      throw Error(ErrorCode::invalid,
                  fmt::format("the column \"{}\" is for a part of \"{}\", which has a column too",
                              column.name, at.path));
    }
    if (at.from == FieldSource::From::nowhere) {
      at.from = FieldSource::From::parts;
      // A list gets its parts one by one, as far as there are columns (element_part()).
      if (at.type->kind == Kind::structure) make_parts(at);
    }
    if (step.name.empty()) return element_part(at, step, column);
    if (at.type->kind != Kind::structure) {
      binding_.unfit.push_back(
          fmt::format("{}: a branch of a union has no column of its own", column.name));
      return nullptr;
    }
    return &at.children[field_of(*at.type, step.name)->index];
  }

  FieldSource* element_part(FieldSource& at, const FieldStep& step, const IpcField& column) {
    auto index = static_cast<std::size_t>(step.element);
    bool is_out = step.element < 0 || index >= kMostParts ||
                  (at.type->length > 0 && index >= at.type->length);
    if (is_out) {
      binding_.unfit.push_back(fmt::format("{}: there is no such element", column.name));
      return nullptr;
    }
    while (at.children.size() <= index) {
      at.children.push_back(
          source(*at.type->element, nullptr, fmt::format("{}[{}]", at.path, at.children.size())));
    }
    return &at.children[index];
  }

  /// `column` becomes the field as a whole.
  void set_column(FieldSource& at, std::size_t index, const IpcField& column) {
    at.from = FieldSource::From::column;
    at.column = index;
    const IpcField& values = column.dictionary ? *column.dictionary : column;
    bool is_null = values.type.number == arrow::IpcTypeNumber::null;
    bool is_text = is_text_column(column);
    // Texts are looked at row by row: they may be JSON of any list or structure.
    if (is_null || at.type->kind == Kind::any || (is_text && !is_scalar(at.type->kind))) return;
    if (is_list(at.type->kind)) return set_list(at, values);
    if (is_compound(at.type->kind)) return set_structure(at, values);
    if (is_nested(values) || (is_bytes_column(values) && !kitbag::is_text(at.type->kind))) {
      refuse(at, values);
    }
  }

  void set_list(FieldSource& at, const IpcField& column) {
    if (is_bytes_column(column) && is_byte(at.type->element->kind)) return;
    if (column.type.layout == IpcLayout::structure || !is_nested(column)) refuse(at, column);
    at.children.push_back(source(*at.type->element, nullptr, at.path + "[]"));
    set_column(at.children.front(), 0, column.children.front());
  }

  void set_structure(FieldSource& at, const IpcField& column) {
    if (column.type.layout != IpcLayout::structure) {
      if (at.type->role == Role::none || is_nested(column) || is_bytes_column(column)) {
        refuse(at, column);
      }
      return;  // a time in one column
    }
    make_parts(at);
    for (std::size_t i = 0; i < column.children.size(); ++i) {
      const IpcField& child = column.children[i];
      const Field* field = field_of(*at.type, child.name);
      if (field) {
        set_column(at.children[field->index], i, child);
      } else if (!at.type->fields.empty() || child.name != "empty") {  // see parquet/schema.cpp
        binding_.unfit.push_back(unfit_child(at, child.name));
      }
    }
  }

  static std::string unfit_child(const FieldSource& at, const std::string& name) {
    std::vector<std::string> names;
    for (const Field& field : at.type->fields) names.push_back(field.name);
    auto similar = nearest_texts(name, names, kMostSimilar);
    return fmt::format("{}.{}{}{}", at.path, name,
                       similar.empty() ? "" : "; similar: ", fmt::join(similar, ", "));
  }

  [[noreturn]] static void refuse(const FieldSource& at, const IpcField& column) {
    throw Error(ErrorCode::invalid,
                fmt::format("the column \"{}\" has {}, and the field {} is {}", column.name,
                            column_type_name(column), at.path.empty() ? "itself" : at.path,
                            type_name(*at.type)));
  }

  void find_absent(const FieldSource& at) {
    if (at.from == FieldSource::From::nowhere) {
      if (!at.path.empty()) binding_.absent.push_back(at.path);
      return;
    }
    // A time is one column, a union has the branch that it has.
    if (at.type->kind == Kind::tagged_union) return;
    for (const FieldSource& child : at.children) find_absent(child);
  }

  const IpcField& table_;
  const Type& type_;
  Binding binding_;
  std::map<std::string, std::string> field_names_;  ///< of the message, by their columns
};

}  // namespace

Binding bind_columns(const IpcField& table, const Type& type, const std::string& time_column) {
  return Binder(table, type).bind(time_column);
}

}  // namespace kitbag
