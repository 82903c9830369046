#include "language/ros2idl/names.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "kitbag/error.h"

namespace kitbag::ros2idl {

namespace {

/// A text of some megabytes can have long names in modules with long names.
constexpr std::size_t kMaxNameBytes = 64 << 20;

}  // namespace

std::string Names::module() const {
  return fmt::format("{}", fmt::join(scope_, "::"));
}

std::string Names::full(const std::string& name) const {
  return scope_.empty() ? name : module() + "::" + name;
}

void Names::declare(const std::string& name, const Type& type) {
  auto [known, is_new] = types_.insert_or_assign(full(name), &type);
  if (is_new) count(known->first);
}

bool Names::declare(const std::string& name, Value constant) {
  auto [known, is_new] = constants_.insert_or_assign(full(name), std::move(constant));
  if (is_new) count(known->first);
  return is_new;
}

void Names::count(const std::string& full_name) {
  bytes_ += full_name.size();
  if (bytes_ <= kMaxNameBytes) return;
  throw Error(ErrorCode::limit,
              fmt::format("the names of a definition have more than {} MB with their modules",
                          kMaxNameBytes >> 20));
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
