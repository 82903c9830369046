#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/text.h"
#include "payload/comparable.h"
#include "payload/condition_node.h"

// Parts that depend on the channel alone are decided first, from left to right, and what they
// decide is not looked at: in `topic == "/a" || x > 1`, a channel /a needs no field x. All other
// fields must exist, and what is compared must be comparable (comparable.h).

namespace kitbag {

namespace {

using What = ExpressionNode::What;

bool is_literal(const Condition::Node& node) {
  return node.what == What::literal || node.what == What::text;
}

Condition::Node truth_literal(bool value) {
  return {.what = What::literal, .literal = value, .kind = ValueKind::truth};
}
bool is_decided(const Condition::Node& node, bool value) {
  const auto* truth = std::get_if<bool>(&node.literal);
  return node.what == What::literal && truth && *truth == value;
}

std::string list_fields(const Type& type) {
  constexpr std::size_t kMostShown = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(type.fields.size(), kMostShown); ++i) {
    names += (i == 0 ? "" : ", ") + type.fields[i].name;
  }
  return type.fields.size() > kMostShown ? names + ", ..." : names;
}

/// All scalars inside of `type` are numbers.
bool has_only_numbers(const Type& type) {
  if (type.kind == Kind::structure) {
    return std::all_of(type.fields.begin(), type.fields.end(),
                       [](const Field& field) { return has_only_numbers(*field.type); });
  }
  if (is_list(type.kind)) return has_only_numbers(*type.element);
  return is_scalar(type.kind);
}

Condition::Node begun(const ExpressionNode& node) {
  return {.what = node.what, .shown = node.shown};
}

void add_part(Condition::Node& node, Condition::Node part) {
  node.has_several |= part.has_several;
  node.parts.push_back(std::move(part));
}

}  // namespace

std::size_t ConditionBuilder::add_single() {
  condition_.singles_.emplace_back();
  return condition_.singles_.size() - 1;
}

Condition::Node ConditionBuilder::truth(const ExpressionNode& node) {
  Node made = value(node);
  if (made.kind == ValueKind::unknown || made.kind == ValueKind::truth) return made;
  refuse_condition(fmt::format("{} is {}, not true or false; compare it with something", made.shown,
                               name_of(made.kind)));
}

Condition::Node ConditionBuilder::decided(Node node) const {
  bool is_known = std::all_of(node.parts.begin(), node.parts.end(), is_literal);
  if (!is_known) return node;
  if (node.what == What::within) {
    bool is_part = node.parts[0].what == What::text && node.parts[1].what == What::text;
    return truth_literal(is_part &&
                         node.parts[1].text.find(node.parts[0].text) != std::string::npos);
  }
  Node known = std::move(node);
  Scalar value = condition_.value(known, 0);
  // Such a Scalar refers to a text of the node, which would be gone.
  if (std::holds_alternative<std::string_view>(value)) return known;
  return {.what = What::literal,
          .literal = value,
          .kind = value.index() == 0 ? known.kind : kind_of(value),
          .shown = known.shown};
}

Condition::Node ConditionBuilder::joined(const ExpressionNode& node) {
  bool deciding = node.what == What::any;  // true decides ||, false decides &&
  Node made = begun(node);
  made.kind = ValueKind::truth;
  // What the channel alone decides comes first, wherever it stands.
  for (bool is_of_channel : {true, false}) {
    for (const ExpressionNode& part : node.parts) {
      if (paths_in(part).empty() != is_of_channel) continue;
      Node one = truth(part);
      if (is_decided(one, deciding)) return truth_literal(deciding);
      if (!is_decided(one, !deciding)) made.parts.push_back(std::move(one));
    }
  }
  if (made.parts.empty()) return truth_literal(!deciding);
  made.slot = add_single();
  return made;
}

Condition::Node ConditionBuilder::negated(const ExpressionNode& node) {
  Node part = truth(node.parts[0]);
  for (bool value : {true, false}) {
    if (is_decided(part, value)) return truth_literal(!value);
  }
  Node made = begun(node);
  made.kind = ValueKind::truth;
  made.parts.push_back(std::move(part));
  made.slot = add_single();
  return made;
}

Condition::Node ConditionBuilder::value(const ExpressionNode& node) {
  switch (node.what) {
    case What::all:
    case What::any:
      return joined(node);
    case What::negation:
      return negated(node);
    case What::comparison:
      return comparison(node);
    case What::match:
      return match(node);
    case What::one_of:
      return one_of(node);
    case What::within:
      return within(node);
    case What::arithmetic:
      return arithmetic(node);
    case What::call:
      return call(node);
    case What::path:
      return path(node, FieldCollector::Part::value);
    default:
      break;
  }
  Node made = begun(node);
  made.literal = node.literal;
  made.text = node.text;
  made.kind = kind_of(node.literal);
  if (node.what == What::topic || node.what == What::type) {
    made.what = What::text;
    made.text = node.what == What::topic ? channel_.topic : channel_.type();
  }
  if (node.what == What::time) made.kind = ValueKind::time;
  if (made.what == What::text) made.kind = ValueKind::text;
  return made;
}

Condition::Node ConditionBuilder::path(const ExpressionNode& node, FieldCollector::Part part) {
  using Part = FieldCollector::Part;
  Node made = begun(node);
  FieldPlace place{node.path};
  if (type_) place = find_place(*type_, node.path);
  made.type = place.type;
  made.has_several = !type_ || !place.type || place.has_several;
  FieldCollector::Wanted wanted{std::move(place.steps), part};
  if (part == Part::length) {
    if (made.type && !is_list(made.type->kind) && !is_text(made.type->kind)) {
      refuse_condition(
          fmt::format("{} is neither a list nor a text, and has no length", made.shown));
    }
    made.kind = ValueKind::number;
    made.type = nullptr;
  } else if (made.type) {
    const Type* element = made.type;
    while (is_list(element->kind)) {
      made.has_several = true;
      element = element->element;
    }
    made.type = element;
    made.kind = kind_of(*element);
    // norm(position) takes all numbers of a structure.
    bool is_whole = part == Part::below && element->role == Role::none &&
                    is_compound(element->kind) && has_only_numbers(*element);
    if (is_whole && made.has_several) {
      refuse_condition(fmt::format("{} is several {}; name one of them, as {}[0]", made.shown,
                                   type_name(*element), made.shown));
    }
    if (is_whole) {
      made.kind = ValueKind::number;
    } else if (is_compound(element->kind) && element->role == Role::none) {
      refuse_condition(fmt::format("{} is a {}; name one of its fields: {}", made.shown,
                                   type_name(*element), list_fields(*element)));
    } else {
      wanted.part = Part::value;
    }
  }
  auto& all = condition_.wanted_;
  auto found = std::find(all.begin(), all.end(), wanted);
  made.slot = static_cast<std::size_t>(found - all.begin());
  if (found == all.end()) all.push_back(std::move(wanted));
  return made;
}

Condition::Node ConditionBuilder::argument(const ExpressionNode& node,
                                           const ExpressionFunction& function) {
  using Part = FieldCollector::Part;
  using Form = ExpressionFunction::Form;
  if (node.what == What::path && function.form == Form::length) return path(node, Part::length);
  if (node.what == What::path && function.form == Form::reduce) return path(node, Part::below);
  return value(node);
}

Condition::Node ConditionBuilder::call(const ExpressionNode& node) {
  using Domain = ExpressionFunction::Domain;
  using Form = ExpressionFunction::Form;
  const ExpressionFunction& function = *node.function;
  Node made = begun(node);
  made.function = &function;
  for (const ExpressionNode& part : node.parts) {
    Node one = argument(part, function);
    auto require = [&](bool fits, std::string_view wanted) {
      if (fits || one.kind == ValueKind::unknown) return;
      refuse_condition(fmt::format("{}() takes {}, and {} is {}", function.name, wanted, one.shown,
                                   name_of(one.kind)));
    };
    switch (function.takes) {
      case Domain::numbers:
        require(is_numeric(one.kind), "numbers");
        break;
      case Domain::amounts:
        require(is_numeric(one.kind) || is_time(one.kind), "numbers and times");
        break;
      case Domain::texts:
        require(one.kind == ValueKind::text, "texts");
        break;
      case Domain::times:
        require(is_time(one.kind), "times and durations");
        break;
      case Domain::any:
        break;
    }
    add_part(made, std::move(one));
  }
  made.kind = function.gives == Domain::any       ? ValueKind::truth
              : function.gives == Domain::numbers ? ValueKind::number
                                                  : made.parts[0].kind;
  if (function.form == Form::length) {
    // The collector counts the elements (Part::length), and no function is called.
    if (node.parts[0].what == What::path) return std::move(made.parts[0]);
    if (made.parts[0].what != What::text)
      refuse_condition("len() takes the path of a list or a text");
    auto is_begin = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    const std::string& text = made.parts[0].text;
    made.what = What::literal;
    made.literal = static_cast<std::int64_t>(std::count_if(text.begin(), text.end(), is_begin));
    return made;
  }
  if (function.form == Form::reduce && made.parts.size() == 1) {
    made.is_reduced = true;
    made.has_several = false;
    made.slot = add_single();
    return made;
  }
  return decided(std::move(made));
}

Condition::Node ConditionBuilder::comparison(const ExpressionNode& node) {
  Node made = begun(node);
  made.relation = node.relation;
  made.kind = ValueKind::truth;
  Node left = value(node.parts[0]);
  Node right = value(node.parts[1]);
  require_comparable(left, right);
  add_part(made, std::move(left));
  add_part(made, std::move(right));
  return decided(std::move(made));
}

Condition::Node ConditionBuilder::match(const ExpressionNode& node) {
  Node made = begun(node);
  made.kind = ValueKind::truth;
  made.pattern = node.pattern;
  add_part(made, value(node.parts[0]));
  if (made.parts[0].kind != ValueKind::text && made.parts[0].kind != ValueKind::unknown) {
    refuse_condition(fmt::format("{} is {}; \"=~\" needs a text", made.parts[0].shown,
                                 name_of(made.parts[0].kind)));
  }
  return decided(std::move(made));
}

Condition::Node ConditionBuilder::one_of(const ExpressionNode& node) {
  Node made = begun(node);
  made.kind = ValueKind::truth;
  for (const ExpressionNode& part : node.parts) {
    Node one = value(part);
    if (!made.parts.empty()) require_comparable(made.parts.front(), one);
    add_part(made, std::move(one));
  }
  return decided(std::move(made));
}

Condition::Node ConditionBuilder::within(const ExpressionNode& node) {
  Node made = begun(node);
  made.kind = ValueKind::truth;
  Node left = value(node.parts[0]);
  Node right = value(node.parts[1]);
  // If the type is not known, a path may have several values, and each message decides.
  bool is_certain = left.what != What::path || left.type;
  if (left.has_several && is_certain) {
    refuse_condition(fmt::format("{} has several values; \"in\" takes one", left.shown));
  }
  if (right.what != What::path && right.kind != ValueKind::text) {
    refuse_condition(
        fmt::format("{} is neither a list nor a text; \"in\" takes one of them", right.shown));
  }
  require_comparable(left, right);
  made.parts.push_back(std::move(left));
  made.parts.push_back(std::move(right));
  made.slot = add_single();
  return decided(std::move(made));
}

/// What is calculated with times, where a number is seconds:
///
///     time - time                          a duration
///     time + amount, amount + time         a time; an amount is a duration or a number
///     time - amount                        a time
///     amount / duration, amount // amount  a number
///     other amounts, one a duration        a duration
Condition::Node ConditionBuilder::arithmetic(const ExpressionNode& node) {
  Node made = begun(node);
  made.sign = node.sign;
  Node left = value(node.parts[0]);
  Node right = value(node.parts[1]);
  for (const Node* part : {&left, &right}) {
    if (is_numeric(part->kind) || is_time(part->kind)) continue;
    refuse_condition(fmt::format("{} is {}, with which nothing can be calculated", part->shown,
                                 name_of(part->kind)));
  }
  bool is_difference =
      node.sign == '-' && left.kind == ValueKind::time && right.kind == ValueKind::time;
  bool is_shifted =
      (node.sign == '-' && left.kind == ValueKind::time) ||
      (node.sign == '+' && (left.kind == ValueKind::time) != (right.kind == ValueKind::time));
  bool has_time = left.kind == ValueKind::time || right.kind == ValueKind::time;
  bool has_duration = left.kind == ValueKind::duration || right.kind == ValueKind::duration;
  bool is_unknown = left.kind == ValueKind::unknown || right.kind == ValueKind::unknown;
  if (has_time && !is_difference && !is_shifted) {
    refuse_condition(fmt::format("{}: of times there are only differences; calculate with to_sec()",
                                 made.shown));
  }
  bool is_ratio = (node.sign == '/' && right.kind == ValueKind::duration) || node.sign == 'd';
  made.kind = is_difference               ? ValueKind::duration
              : is_unknown                ? ValueKind::unknown
              : has_time                  ? ValueKind::time
              : has_duration && !is_ratio ? ValueKind::duration
                                          : ValueKind::number;
  add_part(made, std::move(left));
  add_part(made, std::move(right));
  return decided(std::move(made));
}

}  // namespace kitbag
