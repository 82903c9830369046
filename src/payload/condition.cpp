#include "payload/condition.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "payload/condition_node.h"

// A path gives all values that it leads to. What is calculated of them is calculated for each
// element, so `poses.position.x > poses.position.y` asks for a pose of which it is true; a single
// value meets every element. A comparison is true if it is for any element. So `a != 1` is not the
// opposite of `a == 1`, and `!(a == 1)` is true where no element is 1. If there is no value, no
// comparison holds.
//
// Values are looked up by their index while a comparison goes through the elements: no lists are
// made of what is calculated. What is one value for all elements, as max(ranges), is kept while a
// message is looked at: each element would calculate it again, and conditions of strangers would
// take time that grows with a power of the elements.

namespace kitbag {

namespace {

using What = ExpressionNode::What;

// More than any number of elements: the least of the counts of a calculation's parts is that of its
// lists, and kSingle if it has none.
constexpr std::size_t kSingle = SIZE_MAX;

}  // namespace

Condition::Condition(const ExpressionNode& expression, const Channel& channel, const Type* type) {
  Node root = ConditionBuilder(*this, channel, type).truth(expression);
  if (root.what == What::literal) {
    decided_ = std::holds_alternative<bool>(root.literal) && std::get<bool>(root.literal);
    wanted_.clear();
  }
  root_ = std::make_unique<Node>(std::move(root));
  collector_ = std::make_unique<FieldCollector>(wanted_);
}

Condition::~Condition() = default;

bool Condition::is_met(const Message& message) {
  // From 1 on: 0 stands for a value that was not calculated yet (Single::message).
  ++message_;
  time_ = message.log_time;
  return is_any_true(*root_);
}

/// How many values there are; kSingle: one, which meets every element.
std::size_t Condition::count(const Node& node) const {
  switch (node.what) {
    case What::path: {
      std::size_t count = collector_->values()[node.slot].size();
      return count == 1 ? kSingle : count;
    }
    case What::arithmetic:
    case What::comparison:
    case What::match:
    case What::one_of:
    case What::call: {
      if (node.is_reduced) return kSingle;
      std::size_t least = kSingle;
      for (const Node& part : node.parts) least = std::min(least, count(part));
      return least;
    }
    default:
      return kSingle;
  }
}

bool Condition::is_any_true(const Node& node) const {
  std::size_t elements = count(node);
  if (elements == kSingle) return is_true(node, 0);
  for (std::size_t i = 0; i < elements; ++i) {
    if (is_true(node, i)) return true;
  }
  return false;
}

bool Condition::is_true(const Node& node, std::size_t index) const {
  auto part_is_true = [this](const Node& part) { return is_any_true(part); };
  switch (node.what) {
    case What::all:
      return std::all_of(node.parts.begin(), node.parts.end(), part_is_true);
    case What::any:
      return std::any_of(node.parts.begin(), node.parts.end(), part_is_true);
    case What::negation:
      return !is_any_true(node.parts[0]);
    case What::comparison:
      return holds(node.relation, value(node.parts[0], index), value(node.parts[1], index));
    case What::match: {
      Scalar text = value(node.parts[0], index);
      const auto* view = std::get_if<std::string_view>(&text);
      return view && RE2::PartialMatch(*view, *node.pattern);
    }
    case What::one_of: {
      Scalar wanted = value(node.parts[0], index);
      return std::any_of(node.parts.begin() + 1, node.parts.end(), [&](const Node& part) {
        return holds(Relation::equal, wanted, value(part, index));
      });
    }
    case What::within:
      return is_within(node);
    default: {
      Scalar truth = value(node, index);
      const auto* is = std::get_if<bool>(&truth);
      return is && *is;
    }
  }
}

/// In the elements of a list, or in a text.
bool Condition::is_within(const Node& node) const {
  if (count(node.parts[0]) != kSingle) return false;  // every element with every other one
  Scalar wanted = value(node.parts[0], 0);
  const Node& whole = node.parts[1];
  bool is_list = whole.what == What::path && collector_->values()[whole.slot].is_list;
  std::size_t elements = count(whole);
  if (elements == kSingle) elements = 1;
  for (std::size_t i = 0; i < elements; ++i) {
    Scalar element = value(whole, i);
    const auto* text = std::get_if<std::string_view>(&element);
    const auto* part = std::get_if<std::string_view>(&wanted);
    bool is_part = text && part && !is_list;
    if (is_part ? text->find(*part) != std::string_view::npos
                : holds(Relation::equal, wanted, element)) {
      return true;
    }
  }
  return false;
}

Scalar Condition::value(const Node& node, std::size_t index) const {
  switch (node.what) {
    case What::literal:
      return node.literal;
    case What::text:
      return std::string_view(node.text);
    case What::time:
      return time_;
    case What::path: {
      const PathValues& values = collector_->values()[node.slot];
      std::size_t at = values.size() == 1 ? 0 : index;
      return at < values.size() ? values.at(at) : Scalar();
    }
    case What::arithmetic:
      return calculated(node.sign, value(node.parts[0], index), value(node.parts[1], index));
    case What::call:
      return node.is_reduced ? single(node) : called(node, index);
    case What::all:
    case What::any:
    case What::negation:
    case What::within:
      return single(node);
    case What::comparison:
    case What::match:
    case What::one_of:
      return is_true(node, index);
    default:
      return {};
  }
}

Scalar Condition::called(const Node& node, std::size_t index) const {
  // On the stack, since this is done for each element. No function takes more.
  constexpr std::size_t kMostArguments = 16;
  std::array<Scalar, kMostArguments> arguments;
  std::size_t given = std::min(node.parts.size(), kMostArguments);
  for (std::size_t i = 0; i < given; ++i) {
    arguments[i] = value(node.parts[i], index);
    if (arguments[i].index() == 0) return {};
  }
  return node.function->of(std::span(arguments).first(given));
}

Scalar Condition::single(const Node& node) const {
  if (singles_[node.slot].message != message_) {
    Scalar value = node.is_reduced ? reduced(node) : Scalar(is_true(node, 0));
    singles_[node.slot] = {message_, value};
  }
  return singles_[node.slot].value;
}

Scalar Condition::reduced(const Node& node) const {
  Reduction reduction(*node.function);
  const Node& argument = node.parts[0];
  std::size_t elements = count(argument);
  if (elements == kSingle) elements = 1;
  for (std::size_t i = 0; i < elements; ++i) reduction.add(value(argument, i));
  return reduction.result();
}

}  // namespace kitbag
