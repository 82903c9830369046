#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "payload/expression_function.h"
#include "payload/field_steps.h"
#include "payload/scalar.h"

namespace re2 {
class RE2;
}

namespace kitbag {

/// A part of a condition.
struct ExpressionNode {
  enum class What : std::uint8_t {
    all,         ///< A && B ...
    any,         ///< A || B ...
    negation,    ///< !A
    comparison,  ///< A < B
    match,       ///< A =~ 'EXPRESSION'
    one_of,      ///< A in [B, C, ...]
    within,      ///< A in B: an element of a list, or a part of a text
    arithmetic,  ///< A + B
    call,        ///< abs(A)
    literal,     ///< a number, true, false, a time or a duration
    text,        ///< "text"
    path,        ///< a field
    topic,
    type,
    time,  ///< the log time
  };

  What what = What::literal;
  std::vector<ExpressionNode> parts = {};
  Relation relation = Relation::equal;                ///< of a comparison
  char sign = '+';                                    ///< of arithmetic, as for calculated()
  const ExpressionFunction* function = nullptr;       ///< of a call
  std::shared_ptr<const re2::RE2> pattern = nullptr;  ///< of a match
  Scalar literal = {};
  std::string text = {};
  FieldSteps path = {};
  std::string shown = {};  ///< how the condition writes it, for messages to people
};

/// Parses a condition; docs/expressions.md describes the language. Throws Error (invalid) with the
/// place where it cannot be understood, and for one that is longer or deeper than people write.
ExpressionNode parse_expression(std::string_view text);

/// Returns the paths that a condition names, each once.
std::vector<FieldSteps> paths_in(const ExpressionNode& node);

}  // namespace kitbag
