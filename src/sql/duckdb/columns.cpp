#include "sql/duckdb/columns.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

// DuckDB has no structures without fields, and refuses a table with one. ROS has them
// (std_msgs/Empty, for instance). They are taken out of schema and arrays alike, by moving the
// pointers of the others forward and lowering n_children. The producer releases by pointers of its
// own, so nothing leaks; the children that are taken out are released with the rest.

namespace kitbag::sql {

namespace {

bool is_empty(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  bool is_list = format == "+l" || format.starts_with("+w:");
  if (format != "+s" && !is_list) return false;
  return std::all_of(schema.children, schema.children + schema.n_children,
                     [](const ArrowSchema* child) { return is_empty(*child); });
}

/// Leaves out the children that are empty. `node` is a schema or an array that `whole` describes;
/// it owns its children by other pointers, and releases all of them.
template <class Node>
void leave_out(Node& node, const ArrowSchema& whole) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < whole.n_children; ++i) {
    if (is_empty(*whole.children[i])) continue;
    leave_out(*node.children[i], *whole.children[i]);
    node.children[count++] = node.children[i];
  }
  node.n_children = count;
}

void add_empty(const ArrowSchema& schema, const std::string& before,
               std::vector<std::string>& paths) {
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& child = *schema.children[i];
    bool is_element = schema.format != std::string_view("+s");
    std::string path = is_element ? before + "[]" : before + child.name;
    if (is_empty(child)) {
      paths.push_back(path);
    } else {
      bool has_names = child.format == std::string_view("+s");
      add_empty(child, has_names ? path + '.' : path, paths);
    }
  }
}

}  // namespace

DuckDbColumns::DuckDbColumns(std::unique_ptr<Columns> columns,
                             std::shared_ptr<std::optional<Error>> failure)
    : columns_(std::move(columns)), failure_(std::move(failure)) {
  columns_->schema(whole_.fill());
}

void DuckDbColumns::schema(ArrowSchema* out) const {
  columns_->schema(out);
  leave_out(*out, *whole_);
}

bool DuckDbColumns::next(ArrowArray* out, const Wait& wait) {
  try {
    if (!columns_->next(out, wait)) return false;
  } catch (const Error& error) {
    *failure_ = error;
    throw;
  }
  leave_out(*out, *whole_);
  return true;
}

std::vector<std::string> DuckDbColumns::left_out() const {
  std::vector<std::string> paths;
  add_empty(*whole_, {}, paths);
  return paths;
}

}  // namespace kitbag::sql
