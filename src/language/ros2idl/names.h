#pragma once

#include <map>
#include <string>
#include <vector>

#include "kitbag/type.h"
#include "language/ros2idl/expression.h"

namespace kitbag::ros2idl {

/// The names that the files of a definition have declared so far, and the open module.
class Names {
 public:
  void enter(std::string module) { scope_.push_back(std::move(module)); }
  void leave() { scope_.pop_back(); }
  void leave_all() { scope_.clear(); }

  /// "a::b", or "".
  std::string module() const;
  /// "a::b::name" for a name that is declared in a::b.
  std::string full(const std::string& name) const;

  /// Throw Error (limit) if all names with their modules are too long.
  void declare(const std::string& name, const Type& type);
  /// Returns whether it was not declared before.
  bool declare(const std::string& name, Value constant);

  /// Takes back what declare() has said of the type with that full name.
  void forget(const std::string& full_name) { types_.erase(full_name); }

  /// What the name stands for in the nearest scope that declares it, or null.
  const Type* type(const std::string& name) const;
  const Value* constant(const std::string& name) const;

  /// By full name.
  const std::map<std::string, const Type*>& types() const { return types_; }

 private:
  template <class Table>
  typename Table::const_iterator resolve(const Table& table, const std::string& name) const;

  void count(const std::string& full_name);

  std::size_t bytes_ = 0;  ///< of all names
  std::vector<std::string> scope_;
  std::map<std::string, const Type*> types_;
  std::map<std::string, Value> constants_;
};

}  // namespace kitbag::ros2idl
