#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kitbag {

/// The value of a field or of a part of an expression; nothing: the message has none.
using Scalar = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string>;

/// The values that the fields named by an expression have in one message. A path through lists has
/// as many as there are elements.
using FieldValues = std::vector<std::vector<Scalar>>;

/// A condition on fields, parsed. A comparison is true when it is for any of the values that a path
/// has; of strings with strings, of numbers with numbers, exactly; else it is false.
class Expression {
 public:
  /// Throws Error (invalid) with the place where it cannot be understood.
  explicit Expression(const std::string& text);
  ~Expression();
  Expression(Expression&&) noexcept;

  /// The paths that it names, each once: "pose.position.x", "ranges", "ranges[3]".
  const std::vector<std::string>& paths() const { return paths_; }
  bool is_true(const FieldValues& values) const;

  struct Node;

 private:
  std::vector<std::string> paths_;
  std::unique_ptr<Node> root_;
};

}  // namespace kitbag
