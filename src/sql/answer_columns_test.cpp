#include "sql/answer_columns.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "tests/support/arrow_values.h"
#include "tests/support/thrown_by.h"

namespace kitbag::sql {
namespace {

using test::Released;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kRowsOfBatch = 65'536;

/// An answer with one column, `x`, whose values are computed.
class Computed final : public Answer {
 public:
  Computed(std::int64_t rows, std::function<Value(std::int64_t row)> value, std::string type = {})
      : rows_(rows), value_(std::move(value)), type_(std::move(type)) {}

  std::vector<std::string> names() const override { return {"x"}; }
  bool next() override { return ++row_ < rows_; }
  Value value(std::size_t /*column*/) const override { return value_(row_); }
  std::string declared_type(std::size_t /*column*/) const override { return type_; }

 private:
  std::int64_t rows_;
  std::function<Value(std::int64_t row)> value_;
  std::string type_;
  std::int64_t row_ = -1;
};

struct Listed {
  std::string format;
  std::vector<std::string> values = {};
  std::vector<std::int64_t> batches = {};
};

std::string text_of(char format, const ArrowArray& column, std::int64_t row) {
  if (format == 'n' || test::is_null(column, row)) return "null";
  if (format == 'l') return std::to_string(test::element<std::int64_t>(column, 1, row));
  if (format == 'g') return std::to_string(test::element<double>(column, 1, row));
  return std::string(test::bytes_at(column, row));
}

Listed listed(Answer& answer) {
  auto columns = columns_of(answer);
  Released<ArrowSchema> schema;
  columns->schema(&schema);
  EXPECT_STREQ(schema->format, "+s");
  EXPECT_STREQ(schema->children[0]->name, "x");
  Listed all{schema->children[0]->format};
  for (;;) {
    Released<ArrowArray> batch;
    if (!columns->next(&batch, {})) return all;
    all.batches.push_back(batch->length);
    for (std::int64_t row = 0; row < batch->length; ++row) {
      all.values.push_back(text_of(all.format[0], *batch->children[0], row));
    }
  }
}

Listed listed(std::vector<Value> values, const std::string& type = {}) {
  auto rows = static_cast<std::int64_t>(values.size());
  Computed answer(
      rows, [&](std::int64_t row) { return values.at(static_cast<std::size_t>(row)); }, type);
  return listed(answer);
}

std::string refusal(Answer& answer) {
  return test::thrown_by([&] { listed(answer); }).what();
}

std::string refusal(std::vector<Value> values) {
  return test::thrown_by([&] { listed(std::move(values)); }).what();
}

constexpr std::monostate kNull;

TEST(AnswerColumns, HaveTheTypeOfTheirValues) {
  Listed found = listed({std::int64_t{1}, kNull, std::int64_t{-3}});
  EXPECT_EQ(found.format, "l");
  EXPECT_THAT(found.values, ElementsAre("1", "null", "-3"));
  found = listed({kNull, 1.5});
  EXPECT_EQ(found.format, "g");
  EXPECT_THAT(found.values, ElementsAre("null", "1.500000"));
  found = listed({kNull, std::string_view("a"), kNull, std::string_view("")});
  EXPECT_EQ(found.format, "u");
  EXPECT_THAT(found.values, ElementsAre("null", "a", "null", ""));
  found = listed({kNull, as_bytes("\xff")});
  EXPECT_EQ(found.format, "z");
  EXPECT_THAT(found.values, ElementsAre("null", "\xff"));
}

TEST(AnswerColumns, HaveTextsInUtf8) {
  EXPECT_THAT(listed({std::string_view("a\xff")}).values, ElementsAre("a\xef\xbf\xbd"));
}

TEST(AnswerColumns, WithoutValuesHaveTheDeclaredType) {
  for (const auto& [type, format] : std::vector<std::pair<std::string, std::string>>{
           {"", "n"}, {"INTEGER", "l"}, {"REAL", "g"}, {"TEXT", "u"}, {"BLOB", "z"}, {"X", "n"}}) {
    Listed found = listed({kNull, kNull}, type);
    EXPECT_EQ(found.format, format);
    EXPECT_THAT(found.values, ElementsAre("null", "null"));
  }
  Listed none = listed({}, "REAL");
  EXPECT_EQ(none.format, "g");
  EXPECT_THAT(none.batches, IsEmpty());
}

TEST(AnswerColumns, TakeIntegersAmongRealNumbers) {
  Listed found = listed({std::int64_t{1}, kNull, 2.5, std::int64_t{3}});
  EXPECT_EQ(found.format, "g");
  EXPECT_THAT(found.values, ElementsAre("1.000000", "null", "2.500000", "3.000000"));
  constexpr std::int64_t kNoReal = (std::int64_t{1} << 53) + 1;
  EXPECT_THAT(refusal({2.5, kNoReal}),
              HasSubstr("the integer 9007199254740993, which float64 cannot"));
  EXPECT_THAT(refusal({kNoReal, 2.5}),
              HasSubstr("the integer 9007199254740993, which float64 cannot"));
  EXPECT_THAT(refusal({2.5, INT64_MAX}), HasSubstr("the integer 9223372036854775807"));
  EXPECT_EQ(listed({2.5, kNoReal - 1}).format, "g");
  EXPECT_EQ(listed({2.5, INT64_MIN}).format, "g");
}

TEST(AnswerColumns, ChangeNoNumberInAnyOrder) {
  constexpr std::int64_t kInexact = (std::int64_t{1} << 53) + 1;
  for (std::int64_t integer : {std::int64_t{3}, kInexact}) {
    const std::vector<std::pair<Value, std::string>> cells = {
        {kNull, "null"},
        {integer, fmt::format("{}.000000", integer)},
        {2.5, "2.500000"},
        {std::numeric_limits<double>::infinity(), "inf"}};
    std::vector<std::size_t> order = {0, 1, 2, 3};
    do {
      std::vector<Value> values;
      std::vector<std::string> texts;
      for (std::size_t each : order) {
        values.push_back(cells[each].first);
        texts.push_back(cells[each].second);
      }
      if (integer == kInexact) {
        EXPECT_THAT(refusal(values), HasSubstr("9007199254740993, which float64 cannot"));
        continue;
      }
      Listed found = listed(values);
      EXPECT_EQ(found.format, "g");
      EXPECT_EQ(found.values, texts);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(AnswerColumns, RefuseValuesOfOtherTypes) {
  EXPECT_THAT(refusal({std::int64_t{1}, std::string_view("a")}),
              HasSubstr("the column \"x\" has a text in row 2 and an integer before; use CAST"));
  EXPECT_THAT(refusal({std::string_view("a"), as_bytes("a")}), HasSubstr("bytes in row 2"));
  EXPECT_THAT(refusal({std::string_view("a"), 1.5}), HasSubstr("a real number in row 2"));
}

TEST(AnswerColumns, KeepTheTypeOfTheFirstBatch) {
  const std::int64_t rows = kRowsOfBatch + 2;
  auto with_last = [&](const Value& first, const Value& last) {
    return Computed(rows, [=](std::int64_t row) { return row < kRowsOfBatch ? first : last; });
  };
  Computed reals = with_last(1.5, std::int64_t{2});
  Listed found = listed(reals);
  EXPECT_THAT(found.batches, ElementsAre(kRowsOfBatch, 2));
  EXPECT_EQ(found.values.back(), "2.000000");
  Computed nulls = with_last(std::int64_t{1}, kNull);
  EXPECT_EQ(listed(nulls).values.back(), "null");
  Computed integers = with_last(std::int64_t{1}, 2.0);
  EXPECT_THAT(refusal(integers), HasSubstr("a real number in row 65537 and an integer before"));
  Computed late = with_last(kNull, std::string_view("a"));
  EXPECT_THAT(refusal(late), HasSubstr("is NULL in the first rows"));
}

TEST(AnswerColumns, EndABatchThatHasBecomeLarge) {
  const std::string text(9 << 20, 'a');
  Computed answer(5, [&](std::int64_t) { return std::string_view(text); });
  EXPECT_THAT(listed(answer).batches, ElementsAre(2, 2, 1));
}

}  // namespace
}  // namespace kitbag::sql
