#include "payload/condition_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

// Arithmetic with intervals. Each part of the condition is given what it may be: a truth may be
// true, may be false, or both; a number lies between two bounds, which are widened wherever a
// double is rounded. What is not understood may be anything. So the answer errs on one side only: a
// condition that may be met is looked at in the messages.
//
// A path through lists has the bounds of all elements: a comparison that holds for no value between
// them holds for no element.

namespace kitbag {
namespace {

using What = ExpressionNode::What;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct Truth {
  bool may_be_true = true;
  bool may_be_false = true;
};
constexpr Truth kUnknown{};

struct Judge {
  std::string_view topic;
  const ConditionBounds::BoundsOf& bounds_of;

  Truth truth(const ExpressionNode& node) const;
  std::optional<ValueBounds> number(const ExpressionNode& node) const;
  Truth comparison(const ExpressionNode& node) const;
  std::optional<std::string_view> text(const ExpressionNode& node) const;
};

ValueBounds widened(double least, double most, bool has_others) {
  if (std::isnan(least) || std::isnan(most)) return {-kInfinite, kInfinite, true};
  return {std::nextafter(least, -kInfinite), std::nextafter(most, kInfinite), has_others};
}

/// A whole number that a double does not have lies beside it.
template <class Whole>
ValueBounds whole_bounds(Whole whole) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  auto value = static_cast<double>(whole);
  if (std::abs(value) < kExact) return {value, value, false};
  return widened(value, value, false);
}

std::optional<ValueBounds> literal(const Scalar& scalar) {
  if (const auto* whole = std::get_if<std::int64_t>(&scalar)) return whole_bounds(*whole);
  if (const auto* whole = std::get_if<std::uint64_t>(&scalar)) return whole_bounds(*whole);
  if (const auto* real = std::get_if<double>(&scalar)) {
    if (!std::isnan(*real)) return ValueBounds{*real, *real, false};
  }
  return std::nullopt;
}

bool has_element(const FieldSteps& path) {
  return std::any_of(path.begin(), path.end(),
                     [](const FieldStep& step) { return step.name.empty(); });
}

/// Nothing for quotients: if 0 is between the bounds of the divisor, the quotient has none.
std::optional<ValueBounds> calculated_bounds(char sign, const ValueBounds& a,
                                             const ValueBounds& b) {
  // Beyond these, whole numbers overflow and become doubles; what those are is left open.
  constexpr double kWhole = 4e18;
  if (a.is_absent || b.is_absent) return ValueBounds{.is_absent = true};
  bool has_others = a.has_others || b.has_others;
  ValueBounds made;
  if (sign == '+') {
    made = widened(a.least + b.least, a.most + b.most, has_others);
  } else if (sign == '-') {
    made = widened(a.least - b.most, a.most - b.least, has_others);
  } else if (sign == '*') {
    double products[] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
    bool is_known = std::none_of(std::begin(products), std::end(products),
                                 [](double each) { return std::isnan(each); });
    // 0 times an infinite bound.
    if (!is_known) return std::nullopt;
    made = widened(*std::min_element(std::begin(products), std::end(products)),
                   *std::max_element(std::begin(products), std::end(products)), has_others);
  } else {
    return std::nullopt;
  }
  made.has_others = made.has_others || made.least < -kWhole || made.most > kWhole;
  return made;
}

std::optional<ValueBounds> Judge::number(const ExpressionNode& node) const {
  switch (node.what) {
    case What::literal:
      return literal(node.literal);
    case What::path:
      if (has_element(node.path)) return std::nullopt;
      return bounds_of(path_of(node.path, node.path.size()));
    case What::arithmetic: {
      if (node.parts.size() != 2) return std::nullopt;
      auto a = number(node.parts[0]);
      auto b = number(node.parts[1]);
      return a && b ? calculated_bounds(node.sign, *a, *b) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::string_view> Judge::text(const ExpressionNode& node) const {
  if (node.what == What::topic) return topic;
  if (node.what == What::text) return node.text;
  return std::nullopt;
}

/// Whether the relation may hold between some of these numbers.
bool may_hold(Relation relation, const ValueBounds& a, const ValueBounds& b) {
  switch (relation) {
    case Relation::less:
      return a.least < b.most;
    case Relation::at_most:
      return a.least <= b.most;
    case Relation::more:
      return a.most > b.least;
    case Relation::at_least:
      return a.most >= b.least;
    case Relation::equal:
      return a.least <= b.most && b.least <= a.most;
    case Relation::different:
      return a.least != b.most || a.most != b.least;
  }
  return true;
}

Relation opposite(Relation relation) {
  switch (relation) {
    case Relation::less:
      return Relation::at_least;
    case Relation::at_most:
      return Relation::more;
    case Relation::more:
      return Relation::at_most;
    case Relation::at_least:
      return Relation::less;
    case Relation::equal:
      return Relation::different;
    case Relation::different:
      return Relation::equal;
  }
  return relation;
}

Truth Judge::comparison(const ExpressionNode& node) const {
  if (node.parts.size() != 2) return kUnknown;
  auto a = number(node.parts[0]);
  auto b = number(node.parts[1]);
  if ((a && a->is_absent) || (b && b->is_absent)) return {false, true};  // no relation holds
  if (a && b) {
    bool has_others = a->has_others || b->has_others;
    // What is no number differs from every number; a value that is not there holds no relation.
    bool may_differ = has_others && node.relation == Relation::different;
    return {may_hold(node.relation, *a, *b) || may_differ,
            may_hold(opposite(node.relation), *a, *b) || has_others};
  }
  auto left = text(node.parts[0]);
  auto right = text(node.parts[1]);
  bool is_equality = node.relation == Relation::equal || node.relation == Relation::different;
  if (!left || !right || !is_equality) return kUnknown;
  bool is_true = (*left == *right) == (node.relation == Relation::equal);
  return {is_true, !is_true};
}

Truth Judge::truth(const ExpressionNode& node) const {
  switch (node.what) {
    case What::all: {
      Truth all{true, false};
      for (const ExpressionNode& part : node.parts) {
        Truth each = truth(part);
        all.may_be_true = all.may_be_true && each.may_be_true;
        all.may_be_false = all.may_be_false || each.may_be_false;
      }
      return all;
    }
    case What::any: {
      Truth any{false, true};
      for (const ExpressionNode& part : node.parts) {
        Truth each = truth(part);
        any.may_be_true = any.may_be_true || each.may_be_true;
        any.may_be_false = any.may_be_false && each.may_be_false;
      }
      return any;
    }
    case What::negation: {
      if (node.parts.size() != 1) return kUnknown;
      Truth part = truth(node.parts.front());
      return {part.may_be_false, part.may_be_true};
    }
    case What::comparison:
      return comparison(node);
    default:
      return kUnknown;
  }
}

}  // namespace

ConditionBounds::ConditionBounds(const std::string& condition)
    : expression_(parse_expression(condition)) {}

bool ConditionBounds::may_be_met(std::string_view topic, const BoundsOf& bounds_of) const {
  return Judge{topic, bounds_of}.truth(expression_).may_be_true;
}

}  // namespace kitbag
