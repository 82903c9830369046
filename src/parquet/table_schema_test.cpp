#include "parquet/table_schema.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "arrow/column_type.h"
#include "kitbag/error.h"
#include "tests/support/code_of.h"

// What old and new writers say of the same columns.

namespace kitbag::parquet {
namespace {

using arrow::ColumnType;

using test::code_of;

StoredElement group(std::string name, std::int32_t repetition, std::int32_t children,
                    Logical logical = Logical::none) {
  StoredElement element;
  element.name = std::move(name);
  element.repetition = repetition;
  element.children = children;
  element.logical = logical;
  return element;
}

StoredElement number(std::string name, std::int32_t repetition) {
  StoredElement element;
  element.name = std::move(name);
  element.repetition = repetition;
  element.type = StoredType::int32;
  return element;
}

/// "list<int32?>": a column as a text; ? is nullable.
std::string shape(const ColumnType& type) {
  std::string text = type.format;
  if (type.format == "+l") text = "list";
  if (type.format == "+s") text = "struct";
  if (!type.children.empty()) {
    text += '<';
    for (const ColumnType& child : type.children) {
      text += (text.back() == '<' ? "" : ",") + child.name + ":" + shape(child);
    }
    text += '>';
  }
  return text + (type.is_nullable ? "?" : "");
}

std::string shape_of(std::vector<StoredElement> elements) {
  elements.insert(elements.begin(), group("root", 0, 1));
  return shape(make_table_schema(elements).type.children.front());
}

TEST(TableSchema, ListsOfAllAges) {
  constexpr int kRequired = 0;
  constexpr int kOptional = 1;
  constexpr int kRepeated = 2;
  auto list = group("x", kOptional, 1, Logical::list);
  EXPECT_EQ(shape_of({list, group("list", kRepeated, 1), number("element", kOptional)}),
            "list<item:i?>?");
  EXPECT_EQ(shape_of({list, group("bag", kRepeated, 1), number("array_element", kRequired)}),
            "list<item:i>?");
  EXPECT_EQ(shape_of({list, number("element", kRepeated)}), "list<item:i>?");
  EXPECT_EQ(shape_of({list, group("element", kRepeated, 2), number("a", kRequired),
                      number("b", kOptional)}),
            "list<item:struct<a:i,b:i?>>?");
  EXPECT_EQ(shape_of({list, group("array", kRepeated, 1), number("a", kRequired)}),
            "list<item:struct<a:i>>?");
  EXPECT_EQ(shape_of({list, group("x_tuple", kRepeated, 1), number("a", kRequired)}),
            "list<item:struct<a:i>>?");
  EXPECT_EQ(shape_of({number("x", kRepeated)}), "list<item:i>");
  EXPECT_EQ(shape_of({group("x", kRepeated, 1), number("a", kOptional)}),
            "list<item:struct<a:i?>>");
  EXPECT_EQ(shape_of({group("x", kRequired, 1, Logical::map), group("key_value", kRepeated, 2),
                      number("key", kRequired), number("value", kOptional)}),
            "list<item:struct<key:i,value:i?>>");
}

TEST(TableSchema, ElementsThatMakeNoTree) {
  auto fails = [](std::vector<StoredElement> elements) {
    return code_of([&] { make_table_schema(elements); });
  };
  EXPECT_EQ(fails({}), ErrorCode::corrupt);
  EXPECT_EQ(fails({group("root", 0, 2), number("a", 0)}), ErrorCode::corrupt);
  EXPECT_EQ(fails({group("root", 0, 1), number("a", 0), number("b", 0)}), ErrorCode::corrupt);
  EXPECT_EQ(fails({group("root", 0, 1), group("a", 0, 0)}), ErrorCode::corrupt);
  EXPECT_EQ(fails({group("root", 0, 0)}), ErrorCode::unsupported);
  std::vector<StoredElement> deep(500, group("a", 2, 1));
  EXPECT_EQ(fails(deep), ErrorCode::limit);
}

}  // namespace
}  // namespace kitbag::parquet
