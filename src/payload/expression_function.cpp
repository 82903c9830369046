#include "payload/expression_function.h"

#include <array>
#include <cmath>

// Functions have the names that they have in Python. What is given to one that it cannot take, such
// as a text from a field whose type is not known, makes no value, and the comparison around it does
// not hold: a single message is no reason to end a query.
//
// A function that reduces a list is called with the result so far and the next value, and no list
// is made. That is right for min, max and sum. The others need more than the result, so Reduction
// adds up the squares for norm and takes the root at the end, and divides at the end for mean. With
// several arguments, as in max(a, b), they are called once, with all of them.

namespace kitbag {

namespace {

using Form = ExpressionFunction::Form;
using Domain = ExpressionFunction::Domain;
using Values = std::span<const Scalar>;

Scalar of_real(Values values, double (*function)(double)) {
  if (!is_number(values[0])) return {};
  return function(real_of(values[0]));
}
Scalar of_reals(Values values, double (*function)(double, double)) {
  if (!is_number(values[0]) || !is_number(values[1])) return {};
  return function(real_of(values[0]), real_of(values[1]));
}
Scalar of_texts(Values values, bool (*test)(std::string_view, std::string_view)) {
  const auto* a = std::get_if<std::string_view>(&values[0]);
  const auto* b = std::get_if<std::string_view>(&values[1]);
  if (!a || !b) return {};
  return test(*a, *b);
}
Scalar of_test(Values values, bool (*test)(double)) {
  if (!is_number(values[0])) return {};
  return test(real_of(values[0]));
}

Scalar absolute(Values values) {
  Scalar zero = std::int64_t{0};
  if (std::holds_alternative<Duration>(values[0])) zero = Duration::zero();
  return holds(Relation::less, values[0], zero) ? calculated('-', zero, values[0]) : values[0];
}

bool is_nan(const Scalar& value) {
  const auto* real = std::get_if<double>(&value);
  return real && std::isnan(*real);
}

/// The smallest or largest; what is no number does not count.
Scalar chosen(Values values, Relation relation) {
  Scalar result;
  for (const Scalar& value : values) {
    bool is_first = result.index() == 0 || is_nan(result);
    if (is_first || holds(relation, value, result)) result = value;
  }
  return result;
}

Scalar sum_of(Values values) {
  Scalar sum = values[0];
  for (const Scalar& value : values.subspan(1)) sum = calculated('+', sum, value);
  return sum;
}
Scalar mean_of(Values values) {
  return calculated('/', sum_of(values), static_cast<double>(values.size()));
}
Scalar norm_of(Values values) {
  double squares = 0;
  for (const Scalar& value : values) squares += real_of(value) * real_of(value);
  return std::sqrt(squares);
}

Scalar ns_of(Values values) {
  if (const auto* time = std::get_if<Time>(&values[0])) return to_ns(*time);
  if (const auto* duration = std::get_if<Duration>(&values[0])) return duration->count();
  return {};
}
Scalar seconds_of(Values values) {
  Scalar ns = ns_of(values);
  return ns.index() == 0 ? ns : Scalar(real_of(ns) / 1e9);
}

constexpr std::size_t kMostArguments = 16;

constexpr ExpressionFunction of_a_number(std::string_view name, Scalar (*of)(Values)) {
  return {name, Form::each, Domain::numbers, Domain::numbers, 1, 1, of};
}
constexpr ExpressionFunction of_two_numbers(std::string_view name, Scalar (*of)(Values)) {
  return {name, Form::each, Domain::numbers, Domain::numbers, 2, 2, of};
}
constexpr ExpressionFunction test_of(std::string_view name, Scalar (*of)(Values)) {
  return {name, Form::each, Domain::numbers, Domain::any, 1, 1, of};
}
constexpr ExpressionFunction of_a_list(std::string_view name, Domain domain, Scalar (*of)(Values)) {
  return {name, Form::reduce, domain, domain, 1, kMostArguments, of};
}
constexpr ExpressionFunction test_of_texts(std::string_view name, Scalar (*of)(Values)) {
  return {name, Form::each, Domain::texts, Domain::any, 2, 2, of};
}
constexpr ExpressionFunction of_a_time(std::string_view name, Scalar (*of)(Values)) {
  return {name, Form::each, Domain::times, Domain::numbers, 1, 1, of};
}

const std::array kFunctions = {
    ExpressionFunction{"abs", Form::each, Domain::amounts, Domain::amounts, 1, 1, absolute},
    of_a_number("sqrt", [](Values values) { return of_real(values, std::sqrt); }),
    of_a_number("floor", [](Values values) { return of_real(values, std::floor); }),
    of_a_number("ceil", [](Values values) { return of_real(values, std::ceil); }),
    // nearbyint() rounds halves to the even neighbor, as Python does.
    of_a_number("round", [](Values values) { return of_real(values, std::nearbyint); }),
    of_a_number("sin", [](Values values) { return of_real(values, std::sin); }),
    of_a_number("cos", [](Values values) { return of_real(values, std::cos); }),
    of_a_number("tan", [](Values values) { return of_real(values, std::tan); }),
    of_two_numbers("atan2", [](Values values) { return of_reals(values, std::atan2); }),
    of_a_number("exp", [](Values values) { return of_real(values, std::exp); }),
    of_a_number("log", [](Values values) { return of_real(values, std::log); }),
    of_two_numbers("pow", [](Values values) { return of_reals(values, std::pow); }),
    test_of("isnan", [](Values values) { return of_test(values, std::isnan); }),
    test_of("isinf", [](Values values) { return of_test(values, std::isinf); }),
    of_a_list("min", Domain::amounts, [](Values values) { return chosen(values, Relation::less); }),
    of_a_list("max", Domain::amounts, [](Values values) { return chosen(values, Relation::more); }),
    of_a_list("sum", Domain::numbers, sum_of),
    of_a_list("mean", Domain::numbers, mean_of),
    of_a_list("norm", Domain::numbers, norm_of),
    ExpressionFunction{"len", Form::length, Domain::any, Domain::numbers, 1, 1, nullptr},
    test_of_texts("startswith",
                  [](Values values) {
                    return of_texts(values, [](auto a, auto b) { return a.starts_with(b); });
                  }),
    test_of_texts("endswith",
                  [](Values values) {
                    return of_texts(values, [](auto a, auto b) { return a.ends_with(b); });
                  }),
    of_a_time("to_sec", seconds_of),
    of_a_time("to_nsec", ns_of),
};

}  // namespace

const ExpressionFunction* find_function(std::string_view name) {
  for (const ExpressionFunction& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kFunctions));
  for (const ExpressionFunction& function : kFunctions) names.emplace_back(function.name);
  return names;
}

void Reduction::add(const Scalar& value) {
  if (value.index() == 0) return;
  ++count_;
  if (function_.name == "norm") {
    squares_ += real_of(value) * real_of(value);
  } else if (count_ == 1) {
    so_far_ = value;
  } else {
    std::array<Scalar, 2> pair = {so_far_, value};
    so_far_ = function_.name == "mean" ? sum_of(pair) : function_.of(pair);  // divided at the end
  }
}

Scalar Reduction::result() const {
  if (count_ == 0) return {};
  if (function_.name == "norm") return std::sqrt(squares_);
  if (function_.name == "mean") return calculated('/', so_far_, static_cast<double>(count_));
  return so_far_;
}

}  // namespace kitbag
