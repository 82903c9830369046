#include "language/ros2idl/names.h"

#include <fmt/format.h>

#include <cstddef>

namespace kitbag::ros2idl {

std::string Names::module() const {
  return fmt::format("{}", fmt::join(scope_, "::"));
}

std::string Names::full(const std::string& name) const {
  return scope_.empty() ? name : module() + "::" + name;
}

template <class Table>
typename Table::const_iterator Names::resolve(const Table& table, const std::string& name) const {
  // From the innermost module outwards, as C++ looks up names. A scoped name is found in the same
  // way.
  for (std::size_t depth = scope_.size(); depth > 0; --depth) {
    auto end = scope_.begin() + static_cast<std::ptrdiff_t>(depth);
    auto found = table.find(fmt::format("{}::{}", fmt::join(scope_.begin(), end, "::"), name));
    if (found != table.end()) return found;
  }
  return table.find(name);
}

const Type* Names::type(const std::string& name) const {
  auto found = resolve(types_, name);
  return found == types_.end() ? nullptr : found->second;
}

const Value* Names::constant(const std::string& name) const {
  auto found = resolve(constants_, name);
  return found == constants_.end() ? nullptr : &found->second;
}

}  // namespace kitbag::ros2idl
