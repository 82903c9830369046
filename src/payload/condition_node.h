#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "payload/condition.h"

namespace kitbag {

/// What is known of a value before there are messages.
enum class ValueKind : std::uint8_t { unknown, truth, number, text, time, duration };

/// A part of a condition, for one channel: its paths are places in the collector's values, and what
/// was known of the channel is a literal.
struct Condition::Node {
  ExpressionNode::What what = ExpressionNode::What::literal;
  std::vector<Node> parts = {};
  Relation relation = Relation::equal;
  char sign = '+';
  const ExpressionFunction* function = nullptr;
  std::shared_ptr<const re2::RE2> pattern = nullptr;
  Scalar literal = {};
  std::string text = {};
  std::size_t slot = 0;      ///< of a path, in the collector; of a single value, in the condition
  bool is_reduced = false;   ///< of a call: one value for all elements
  bool has_several = false;  ///< it may have several values
  ValueKind kind = ValueKind::unknown;
  const Type* type = nullptr;  ///< of a path, if it is known
  std::string shown = {};
};

/// Makes nodes of an expression, and checks that kinds fit.
class ConditionBuilder {
 public:
  ConditionBuilder(Condition& condition, const Channel& channel, const Type* type)
      : condition_(condition), channel_(channel), type_(type) {}

  /// A part that is true or false. Parts that are decided are literals.
  Condition::Node truth(const ExpressionNode& node);

 private:
  using Node = Condition::Node;

  Node joined(const ExpressionNode& node);
  Node negated(const ExpressionNode& node);
  Node value(const ExpressionNode& node);
  Node path(const ExpressionNode& node, FieldCollector::Part part);
  Node call(const ExpressionNode& node);
  Node argument(const ExpressionNode& node, const ExpressionFunction& function);
  Node comparison(const ExpressionNode& node);
  Node match(const ExpressionNode& node);
  Node one_of(const ExpressionNode& node);
  Node within(const ExpressionNode& node);
  Node arithmetic(const ExpressionNode& node);
  /// `node` as a literal, if all its parts are known.
  Node decided(Node node) const;
  std::size_t add_single();

  Condition& condition_;
  const Channel& channel_;
  const Type* type_;
};

}  // namespace kitbag
