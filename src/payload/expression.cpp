#include "payload/expression.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "kitbag/error.h"

// or    := and ("||" and)*           and   := not ("&&" not)*
// not   := "!" not | "(" or ")" | comparison
// comparison := value (("==" | "!=" | "<" | "<=" | ">" | ">=" | "=~") value)?
// value := number | "text" | 'text' | true | false | path
// path  := name ("." name | "[" number "]")*
//
// A path gives all values that it leads to, and a comparison is true if it is for one of them, on
// either side: `ranges < 0.1` asks for any range. So `a != 1` is not the opposite of `a == 1`, and
// `!(a == 1)` is true where no element is 1. If there is no value, no comparison holds.
//
// Integers compare exactly with integers, also above 2^63 with negative ones; with a real both are
// doubles. Texts and numbers are never equal. NaN is different from everything, itself included.
//
// Regular expressions are RE2's, whose time grows with the text only: conditions come from requests
// to a server too, and a backtracking one could keep it busy (decision 004).

namespace kitbag {

/// What a comparison asks for.
enum class Relation { equal, different, less, at_most, more, at_least, matches };

namespace {

/// Deeper parentheses are no condition that a person has written.
constexpr std::size_t kMaxDepth = 100;

struct Operator {
  std::string_view sign;
  Relation relation;
};
// Longer ones first.
constexpr std::array<Operator, 7> kOperators = {{{"==", Relation::equal},
                                                 {"!=", Relation::different},
                                                 {"<=", Relation::at_most},
                                                 {">=", Relation::at_least},
                                                 {"=~", Relation::matches},
                                                 {"<", Relation::less},
                                                 {">", Relation::more}}};

/// -1, 0, 1: a before b, equal, behind; 2: neither, as with a NaN or unlike kinds.
template <class T>
int order_of(const T& a, const T& b) {
  if (a < b) return -1;
  return b < a ? 1 : a == b ? 0 : 2;
}

bool is_number(const Scalar& value) {
  return std::holds_alternative<std::int64_t>(value) ||
         std::holds_alternative<std::uint64_t>(value) || std::holds_alternative<double>(value);
}

double real_of(const Scalar& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* natural = std::get_if<std::uint64_t>(&value)) {
    return static_cast<double>(*natural);
  }
  return std::get<double>(value);
}

/// An integer as sign and magnitude, so that those of both signs compare exactly.
std::pair<bool, std::uint64_t> integer_of(const Scalar& value) {
  if (const auto* natural = std::get_if<std::uint64_t>(&value)) return {true, *natural};
  auto integer = std::get<std::int64_t>(value);
  return {integer >= 0, static_cast<std::uint64_t>(integer)};
}

int order_of(const Scalar& a, const Scalar& b) {
  if (is_number(a) && is_number(b)) {
    bool is_real = std::holds_alternative<double>(a) || std::holds_alternative<double>(b);
    return is_real ? order_of(real_of(a), real_of(b)) : order_of(integer_of(a), integer_of(b));
  }
  const auto* text = std::get_if<std::string>(&a);
  const auto* other_text = std::get_if<std::string>(&b);
  if (text && other_text) return order_of(*text, *other_text);
  const auto* truth = std::get_if<bool>(&a);
  const auto* other_truth = std::get_if<bool>(&b);
  if (truth && other_truth) return order_of(*truth, *other_truth);
  return 2;
}

bool holds(Relation relation, const Scalar& a, const Scalar& b) {
  int order = order_of(a, b);
  switch (relation) {
    case Relation::equal:
      return order == 0;
    case Relation::different:
      return order != 0 && a.index() != 0;
    case Relation::less:
      return order == -1;
    case Relation::at_most:
      return order == -1 || order == 0;
    case Relation::more:
      return order == 1;
    case Relation::at_least:
      return order == 1 || order == 0;
    case Relation::matches:
      return false;
  }
  return false;
}

}  // namespace

struct Expression::Node {
  enum class What { all, any, negation, comparison, value } what = What::value;
  std::vector<std::unique_ptr<Node>> parts = {};
  Relation relation = Relation::equal;
  std::unique_ptr<RE2> pattern = nullptr;  ///< of `=~`
  std::optional<std::size_t> path = std::nullopt;
  Scalar literal = {};

  std::vector<Scalar> values(const FieldValues& fields) const {
    return path ? fields[*path] : std::vector<Scalar>{literal};
  }

  bool is_true(const FieldValues& fields) const {
    auto part_is_true = [&](const std::unique_ptr<Node>& part) { return part->is_true(fields); };
    switch (what) {
      case What::all:
        return std::all_of(parts.begin(), parts.end(), part_is_true);
      case What::any:
        return std::any_of(parts.begin(), parts.end(), part_is_true);
      case What::negation:
        return !parts[0]->is_true(fields);
      case What::comparison:
        return compares(fields);
      case What::value: {
        auto all = values(fields);
        return std::any_of(all.begin(), all.end(),
                           [](const Scalar& one) { return one == Scalar(true); });
      }
    }
    return false;
  }

  bool compares(const FieldValues& fields) const {
    for (const Scalar& a : parts[0]->values(fields)) {
      if (pattern) {
        const auto* text = std::get_if<std::string>(&a);
        if (text && RE2::PartialMatch(*text, *pattern)) return true;
        continue;
      }
      for (const Scalar& b : parts[1]->values(fields)) {
        if (holds(relation, a, b)) return true;
      }
    }
    return false;
  }
};

namespace {

using Node = Expression::Node;
using NodePtr = std::unique_ptr<Node>;

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::vector<std::string>& paths)
      : text_(text), paths_(paths) {}

  NodePtr parse() {
    NodePtr root = any();
    skip_blanks();
    if (at_ < text_.size()) fail("an operator");
    return root;
  }

 private:
  [[noreturn]] void fail(std::string_view wanted) const {
    std::string found = at_ < text_.size() ? fmt::format("\"{}\"", text_.substr(at_)) : "the end";
    throw Error(ErrorCode::invalid,
                fmt::format("invalid condition \"{}\": expected {} at character {}, got {}", text_,
                            wanted, at_ + 1, found));
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }

  NodePtr any() {
    if (++depth_ > kMaxDepth) fail("fewer parentheses");
    NodePtr node = joined(Node::What::any, "||", [this] { return all(); });
    --depth_;
    return node;
  }
  NodePtr all() {
    return joined(Node::What::all, "&&", [this] { return negation(); });
  }

  template <class Part>
  NodePtr joined(Node::What what, std::string_view sign, Part part) {
    NodePtr first = part();
    if (!take(sign)) return first;
    auto node = std::make_unique<Node>();
    node->what = what;
    node->parts.push_back(std::move(first));
    do {
      node->parts.push_back(part());
    } while (take(sign));
    return node;
  }

  NodePtr negation() {
    if (take("!")) {
      if (++depth_ > kMaxDepth) fail("fewer negations");
      auto node = std::make_unique<Node>();
      node->what = Node::What::negation;
      node->parts.push_back(negation());
      --depth_;
      return node;
    }
    if (take("(")) {
      NodePtr inside = any();
      if (!take(")")) fail("\")\"");
      return inside;
    }
    return comparison();
  }

  NodePtr comparison() {
    NodePtr left = value();
    for (const Operator& each : kOperators) {
      if (!take(each.sign)) continue;
      auto node = std::make_unique<Node>();
      node->what = Node::What::comparison;
      node->relation = each.relation;
      node->parts.push_back(std::move(left));
      node->parts.push_back(value());
      if (each.relation == Relation::matches) compile_pattern(*node);
      return node;
    }
    return left;
  }

  void compile_pattern(Node& node) const {
    const auto* text = std::get_if<std::string>(&node.parts[1]->literal);
    if (!text) fail("a text with a regular expression after \"=~\"");
    node.pattern = std::make_unique<RE2>(*text, RE2::Quiet);
    if (node.pattern->ok()) return;
    throw Error(ErrorCode::invalid,
                fmt::format("invalid condition \"{}\": {}", text_, node.pattern->error()));
  }

  NodePtr value() {
    skip_blanks();
    auto node = std::make_unique<Node>();
    char c = at_ < text_.size() ? text_[at_] : '\0';
    if (c == '"' || c == '\'') {
      node->literal = quoted();
    } else if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.') {
      node->literal = number();
    } else {
      name(*node);
    }
    return node;
  }

  std::string quoted() {
    char quote = text_[at_++];
    std::string value;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      bool is_escape = text_[at_] == '\\' && at_ + 1 < text_.size() &&
                       (text_[at_ + 1] == quote || text_[at_ + 1] == '\\');
      if (is_escape) ++at_;
      value += text_[at_];
    }
    if (at_ == text_.size()) fail("a closing quote");
    ++at_;
    return value;
  }

  Scalar number() {
    const char* begin = text_.data() + at_ + (text_[at_] == '+' ? 1 : 0);
    const char* end = text_.data() + text_.size();
    double real = 0;
    auto parsed = std::from_chars(begin, end, real);
    if (parsed.ec != std::errc() || parsed.ptr == begin) fail("a number");
    at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
    std::int64_t integer = 0;
    auto whole = std::from_chars(begin, parsed.ptr, integer);
    if (whole.ec == std::errc() && whole.ptr == parsed.ptr) return integer;
    std::uint64_t natural = 0;
    whole = std::from_chars(begin, parsed.ptr, natural);
    if (whole.ec == std::errc() && whole.ptr == parsed.ptr) return natural;
    return real;
  }

  void name(Node& node) {
    auto is_part = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '.' || c == '[' || c == ']' || c == '$';
    };
    std::size_t begin = at_;
    while (at_ < text_.size() && is_part(text_[at_])) ++at_;
    std::string word(text_.substr(begin, at_ - begin));
    if (word.empty()) fail("a field, a number or a text");
    if (word == "true" || word == "false") {
      node.literal = word == "true";
      return;
    }
    auto known = std::find(paths_.begin(), paths_.end(), word);
    node.path = static_cast<std::size_t>(known - paths_.begin());
    if (known == paths_.end()) paths_.push_back(word);
  }

  std::string_view text_;
  std::vector<std::string>& paths_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

Expression::Expression(const std::string& text) : root_(ExpressionParser(text, paths_).parse()) {}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;

bool Expression::is_true(const FieldValues& values) const {
  return root_->is_true(values);
}

}  // namespace kitbag
