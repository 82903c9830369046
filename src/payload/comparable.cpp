#include "payload/comparable.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/text.h"

// Kinds are compared before the first message, so that a condition which can never hold is an error
// and not an empty result:
//
//     number, truth    with each other: true is 1
//     duration         with a number too, which is seconds
//     time             with a time only; to_sec() makes a number of it
//     text             with a text
//     unknown          with everything: each message decides
//
// A text beside a time, a duration or an enumeration is a way to write one, as in `state ==
// "MOVING"`. It becomes that value here, once for a channel, so that messages compare numbers.

namespace kitbag {

void refuse_condition(std::string text) {
  throw Error(ErrorCode::invalid, std::move(text));
}

std::string_view name_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::truth:
      return "true or false";
    case ValueKind::number:
      return "a number";
    case ValueKind::text:
      return "a text";
    case ValueKind::time:
      return "a time";
    case ValueKind::duration:
      return "a duration";
    case ValueKind::unknown:
      break;
  }
  return "unknown";
}

bool is_numeric(ValueKind kind) {
  return kind == ValueKind::number || kind == ValueKind::truth || kind == ValueKind::unknown;
}
bool is_time(ValueKind kind) {
  return kind == ValueKind::time || kind == ValueKind::duration;
}

ValueKind kind_of(const Type& type) {
  if (type.role == Role::time) return ValueKind::time;
  if (type.role == Role::duration) return ValueKind::duration;
  if (type.kind == Kind::boolean) return ValueKind::truth;
  if (is_text(type.kind)) return ValueKind::text;
  return is_scalar(type.kind) ? ValueKind::number : ValueKind::unknown;
}

ValueKind kind_of(const Scalar& value) {
  if (std::holds_alternative<bool>(value)) return ValueKind::truth;
  if (is_number(value)) return ValueKind::number;
  if (std::holds_alternative<Time>(value)) return ValueKind::time;
  return std::holds_alternative<Duration>(value) ? ValueKind::duration : ValueKind::text;
}

namespace {

using What = ExpressionNode::What;

/// Texts that stand for a time, a duration or a name of an enumeration become what they stand for.
void fit_text(Condition::Node& text, const Condition::Node& other) {
  if (text.what != What::text) return;
  try {
    if (other.kind == ValueKind::time) {
      TimePoint point = parse_time(text.text);
      if (point.from != TimePoint::From::epoch) {
        refuse_condition(
            fmt::format("{}: a condition takes absolute times; select a range of times from the "
                        "start of the bag",
                        text.shown));
      }
      text.literal = Time(point.offset);
    } else if (other.kind == ValueKind::duration) {
      text.literal = parse_duration(text.text);
    } else if (other.type && other.type->kind == Kind::enumeration) {
      std::vector<std::string> names;
      for (const Enumerator& each : other.type->enumerators) {
        names.push_back(each.name);
        if (each.name == text.text) text.literal = each.value;
      }
      if (text.literal.index() == 0) {
        auto nearest = nearest_texts(text.text, names, 3);
        refuse_condition(fmt::format("{} has no value {}{}", other.shown, text.shown,
                                     nearest.empty() ? "" : "; similar: " + nearest.front()));
      }
    } else {
      return;
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid) throw;
    refuse_condition(
        fmt::format("{} is {}: {}", other.shown, name_of(other.kind), error.message()));
  }
  text.what = What::literal;
  text.kind = kind_of(text.literal);
}

}  // namespace

void require_comparable(Condition::Node& a, Condition::Node& b) {
  fit_text(a, b);
  fit_text(b, a);
  if (a.kind == ValueKind::unknown || b.kind == ValueKind::unknown || a.kind == b.kind) return;
  if (is_numeric(a.kind) && is_numeric(b.kind)) return;
  bool has_duration = a.kind == ValueKind::duration || b.kind == ValueKind::duration;
  if (has_duration && (is_numeric(a.kind) || is_numeric(b.kind))) return;  // of seconds
  const Condition::Node& time = a.kind == ValueKind::time ? a : b;
  const Condition::Node& other = a.kind == ValueKind::time ? b : a;
  if (time.kind == ValueKind::time && other.kind != ValueKind::text) {
    refuse_condition(
        fmt::format("{0} is a time and {1} is {2}; compare it with a time such as "
                    "\"2026-01-01T00:00:00Z\", or its seconds: to_sec({0})",
                    time.shown, other.shown, name_of(other.kind)));
  }
  // The words `topic` and `type` stand for those of the channel, so a field that is called so needs
  // the prefix.
  std::string hint;
  for (const Condition::Node* node : {&a, &b}) {
    if (node->what == What::text && (node->shown == "topic" || node->shown == "type")) {
      hint = fmt::format("; a field of this name is m.{}", node->shown);
    }
  }
  refuse_condition(fmt::format("{} is {} and {} is {}, so they cannot be compared{}", a.shown,
                               name_of(a.kind), b.shown, name_of(b.kind), hint));
}

}  // namespace kitbag
