#include "payload/expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "kitbag/text.h"
#include "payload/expression_text.h"

// or         := and (("||" | "or") and)*           and := not (("&&" | "and") not)*
// not        := ("!" | "not") not | comparison
// comparison := sum (("==" | "!=" | "<" | "<=" | ">" | ">=") sum)* | sum "=~" text
//             | sum ["not"] "in" ("[" sum ("," sum)* "]" | "(" sum ("," sum)* ")" | sum)
// sum        := product (("+" | "-") product)*     product := sign (("*" | "/" | "//" | "%") sign)*
// sign       := ("-" | "+") sign | value
// value      := number [unit] | "text" | 'text' | true | false | name | call | "(" or ")"
// call       := function "(" or ("," or)* ")" | value "." function "(" ... ")"
// name       := topic | type | time | path         path := word ("." word | "[" number "]" | "[]")*
//
// Much of Python is understood as it is, since people bring the expressions of `rosbag filter`:
// and, or, not, in, True, `m.` in front of fields, `t.to_sec()`, `text.startswith("a")`.
//
// Conditions come from requests to a server too. Their length, depth and number of parts are
// limited, so that neither the parser nor the evaluation runs out of stack, and a message costs at
// most kMostNodes steps for each element. Regular expressions are RE2's, whose time grows with the
// text only: a backtracking one could keep a server busy (decision 004).

namespace kitbag {

namespace {

using What = ExpressionNode::What;

/// Nobody writes larger or deeper conditions.
constexpr std::size_t kMostNodes = 1000;
constexpr std::size_t kMostDepth = 100;

struct Operator {
  std::string_view sign;
  Relation relation;
};
// Longer ones first.
constexpr std::array<Operator, 6> kRelations = {{{"==", Relation::equal},
                                                 {"!=", Relation::different},
                                                 {"<=", Relation::at_most},
                                                 {">=", Relation::at_least},
                                                 {"<", Relation::less},
                                                 {">", Relation::more}}};

std::size_t count_nodes(const ExpressionNode& node) {
  std::size_t count = 1;
  for (const ExpressionNode& part : node.parts) count += count_nodes(part);
  return count;
}

/// Without the copies that a list of initializers would make.
std::vector<ExpressionNode> both(ExpressionNode a, ExpressionNode b) {
  std::vector<ExpressionNode> parts;
  parts.reserve(2);
  parts.push_back(std::move(a));
  parts.push_back(std::move(b));
  return parts;
}
std::vector<ExpressionNode> alone(ExpressionNode a) {
  std::vector<ExpressionNode> parts;
  parts.push_back(std::move(a));
  return parts;
}

class ExpressionParser : private ExpressionText {
 public:
  explicit ExpressionParser(std::string_view text) : ExpressionText(text) {}

  ExpressionNode parse() {
    ExpressionNode root = any();
    begin();
    if (!is_at_end()) fail("an operator");
    return root;
  }

 private:
  using Node = ExpressionNode;

  /// Counts how deep the parser is while it lives.
  class Deeper {
   public:
    explicit Deeper(ExpressionParser& parser) : depth_(parser.depth_) {
      if (++depth_ > kMostDepth) parser.fail("fewer parentheses and signs");
    }
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    std::size_t& depth_;
  };

  Node made(What what, std::size_t begin, std::vector<Node> parts = {}) {
    if (++nodes_ > kMostNodes) throw_invalid("has too many parts");
    constexpr std::size_t kMostShown = 80;
    std::string_view shown = since(begin).substr(0, kMostShown);
    while (!shown.empty() && shown.back() == ' ') shown.remove_suffix(1);
    return {.what = what, .parts = std::move(parts), .shown = std::string(shown)};
  }

  Node any() {
    return joined(What::any, "||", "or", [this] { return all(); });
  }
  Node all() {
    return joined(What::all, "&&", "and", [this] { return negation(); });
  }

  template <class Part>
  Node joined(What what, std::string_view sign, std::string_view word, Part part) {
    std::size_t first = begin();
    std::vector<Node> parts;
    parts.push_back(part());
    while (take(sign) || take_word(word)) parts.push_back(part());
    if (parts.size() == 1) return std::move(parts.front());
    return made(what, first, std::move(parts));
  }

  Node negation() {
    std::size_t first = begin();
    bool is_sign = here() == '!' && here(1) != '=' && take("!");
    if (!is_sign && !take_word("not")) return comparison();
    Deeper deeper(*this);
    Node part = negation();
    return made(What::negation, first, alone(std::move(part)));
  }

  Node comparison() {
    std::size_t first = begin();
    Node left = sum();
    if (take("=~")) return match(first, std::move(left));
    std::size_t before = place();
    bool is_not = take_word("not");
    if (take_word("in")) {
      Node node = membership(first, std::move(left));
      return is_not ? made(What::negation, first, alone(std::move(node))) : node;
    }
    go_to(before);
    std::vector<Node> all;
    while (const Operator* found = take_relation()) {
      Node right = sum();
      // a < b < c is a < b && b < c. What is copied counts: nested, it would double at each level.
      Node next;
      if (is_at_relation()) {
        nodes_ += count_nodes(right);
        next = right;
      }
      all.push_back(made(What::comparison, first, both(std::move(left), std::move(right))));
      all.back().relation = found->relation;
      left = std::move(next);
    }
    if (all.empty()) return left;
    if (all.size() == 1) return std::move(all.front());
    return made(What::all, first, std::move(all));
  }

  bool is_at_relation() {
    std::size_t before = place();
    bool is_found = take_relation() != nullptr;
    go_to(before);
    return is_found;
  }
  const Operator* take_relation() {
    for (const Operator& each : kRelations) {
      if (take(each.sign)) return &each;
    }
    return nullptr;
  }

  Node match(std::size_t first, Node left) {
    begin();
    if (here() != '"' && here() != '\'') fail("a text with a regular expression after \"=~\"");
    std::string expression = quoted();
    RE2::Options options;
    options.set_log_errors(false);
    // Nested repetitions compile to any size, and the expression may be a stranger's.
    constexpr std::int64_t kMostMemory = 1 << 20;
    options.set_max_mem(kMostMemory);
    auto pattern = std::make_shared<const RE2>(expression, options);
    if (!pattern->ok()) throw_invalid(pattern->error());
    Node node = made(What::match, first, alone(std::move(left)));
    node.pattern = std::move(pattern);
    return node;
  }

  Node membership(std::size_t first, Node left) {
    std::size_t before = begin();
    // As in Python, "(1,)" and "(1, 2)" are lists and "(1)" is a value in parentheses. Which it is
    // shows only at the end, so a value is read twice. Its parts count twice, too: nested, they
    // would double at each level, and kMostNodes ends that.
    for (auto [open, close] : {std::pair{"[", "]"}, std::pair{"(", ")"}}) {
      if (!take(open)) continue;
      std::vector<Node> parts;
      parts.push_back(std::move(left));
      bool has_comma = false;
      do {
        begin();
        if (has_comma && here() == close[0]) break;  // as in Python's (1,)
        parts.push_back(sum());
      } while (take(",") && (has_comma = true));
      if (!take(close)) fail(fmt::format("\",\" or \"{}\"", close));
      if (*open == '[' || has_comma) return made(What::one_of, first, std::move(parts));
      left = std::move(parts.front());  // parentheses around one value
      go_to(before);
    }
    Node right = sum();
    return made(What::within, first, both(std::move(left), std::move(right)));
  }

  Node sum() {
    std::size_t first = begin();
    Node left = product();
    while (true) {
      begin();
      char sign = here();
      if (sign != '+' && sign != '-') return left;
      step();
      left = arithmetic(first, sign, std::move(left), product());
    }
  }

  Node product() {
    std::size_t first = begin();
    Node left = signed_value();
    while (true) {
      if (take("//")) {
        left = arithmetic(first, 'd', std::move(left), signed_value());
        continue;
      }
      char sign = here();
      if (sign != '*' && sign != '/' && sign != '%') return left;
      step();
      left = arithmetic(first, sign, std::move(left), signed_value());
    }
  }

  Node arithmetic(std::size_t first, char sign, Node left, Node right) {
    Node node = made(What::arithmetic, first, both(std::move(left), std::move(right)));
    node.sign = sign;
    return node;
  }

  Node signed_value() {
    std::size_t first = begin();
    bool is_negative = here() == '-';
    if (!is_negative && here() != '+') return value();
    step();
    Deeper deeper(*this);
    if (is_negative && is_digit(here())) {  // so that the smallest integer is one
      Node node = made(What::literal, first);
      node.literal = number(first);
      node.shown = since(first);
      return node;
    }
    Node part = signed_value();
    if (!is_negative) return part;
    Node zero = made(What::literal, first);
    zero.literal = std::int64_t{0};
    return arithmetic(first, '-', std::move(zero), std::move(part));
  }

  Node value() {
    std::size_t first = begin();
    char c = here();
    if (c == '"' || c == '\'') {
      std::string text = quoted();
      Node node = made(What::text, first);
      node.text = std::move(text);
      return node;
    }
    if (is_digit(c) || (c == '.' && is_digit(here(1)))) {
      Scalar literal = number(first);
      Node node = made(What::literal, first);
      node.literal = literal;
      return node;
    }
    Deeper deeper(*this);
    if (take("(")) {
      Node inside = any();
      if (!take(")")) fail("\")\"");
      return inside;
    }
    return name();
  }

  Node name() {
    std::size_t first = begin();
    std::string_view found = word();
    if (found.empty()) {
      fail(here() == '/' ? "a field, without its topic," : "a field, a number or a text");
    }
    if (here() == '(') return call(first, found);
    return named(first, found);
  }

  Node named(std::size_t first, std::string_view found) {
    auto what = [&] {
      if (found == "topic") return What::topic;
      if (found == "type") return What::type;
      if (found == "time") return What::time;
      bool is_truth = found == "true" || found == "True" || found == "false" || found == "False";
      return is_truth ? What::literal : What::path;
    }();
    Node node = made(what, first);
    node.shown = found;
    if (what == What::literal) node.literal = found == "true" || found == "True";
    if (found.starts_with("m.")) found.remove_prefix(2);
    if (what == What::path) node.path = field_steps(found);
    return node;
  }

  /// "abs(x)", "text.startswith('a')", "t.to_sec()"
  Node call(std::size_t first, std::string_view found) {
    // The name is that of the function and all in front of it, "pose.child.startswith" or
    // "math.sqrt".
    constexpr std::string_view kPythonsModule = "math.";
    std::size_t name_at = place() - found.size();
    if (found.starts_with(kPythonsModule)) found.remove_prefix(kPythonsModule.size());
    std::size_t dot = found.rfind('.');
    std::vector<Node> arguments;
    if (dot != std::string_view::npos) {
      std::string_view before = found.substr(0, dot);
      found.remove_prefix(dot + 1);
      arguments.push_back(before == "t" ? made(What::time, first) : named(first, before));
    }
    const ExpressionFunction* function = find_function(found);
    if (!function) {
      auto nearest = nearest_texts(found, function_names(), 3);
      go_to(name_at);
      fail(nearest.empty() ? fmt::format("a function ({})", fmt::join(function_names(), ", "))
                           : fmt::format("a function such as {}", fmt::join(nearest, ", ")));
    }
    take("(");
    if (!take(")")) {
      do {
        arguments.push_back(any());
      } while (take(","));
      if (!take(")")) fail("\",\" or \")\"");
    }
    if (arguments.size() < function->least || arguments.size() > function->most) {
      throw_invalid(fmt::format("{}() takes {} value{}, not {}", function->name,
                                function->least == function->most
                                    ? std::to_string(function->least)
                                    : fmt::format("{} to {}", function->least, function->most),
                                function->most == 1 ? "" : "s", arguments.size()));
    }
    Node node = made(What::call, first, std::move(arguments));
    node.function = function;
    return node;
  }

  std::size_t depth_ = 0;
  std::size_t nodes_ = 0;
};

void add_paths(const ExpressionNode& node, std::vector<FieldSteps>& paths) {
  bool is_new = std::find(paths.begin(), paths.end(), node.path) == paths.end();
  if (node.what == What::path && is_new) paths.push_back(node.path);
  for (const ExpressionNode& part : node.parts) add_paths(part, paths);
}

}  // namespace

ExpressionNode parse_expression(std::string_view text) {
  return ExpressionParser(text).parse();
}

std::vector<FieldSteps> paths_in(const ExpressionNode& node) {
  std::vector<FieldSteps> paths;
  add_paths(node, paths);
  return paths;
}

}  // namespace kitbag
