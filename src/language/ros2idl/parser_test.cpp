#include "language/ros2idl/parser.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/error.h"

namespace kitbag::ros2idl {
namespace {

using ::testing::HasSubstr;

TypePtr parsed(const std::string& text, const std::string& language = "ros2idl") {
  return parse({"p/msg/T", language, text});
}

std::string error_of(const std::string& text) {
  try {
    parsed(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Ros2Idl, EveryKindOfMember) {
  TypePtr type = parsed(R"(// a comment
#pragma prefix "org"
module p { module msg {
  module T_Constants { const long MOST = 5; const string NAME = "a" "b"; };
  typedef float Floats[3][2];
  /* another */
  @verbatim (language="comment", text="not; a { member")
  struct T {
    @default (value=-3) long a;
    @key unsigned long long b;
    sequence<sequence<octet, 4>> c;
    string<T_Constants::MOST + 2 * (3 - 1)> d;
    Floats e;
    @optional wstring f, g;
  };
}; };)");
  ASSERT_EQ(type->fields.size(), 7U);
  EXPECT_EQ(type->fields[0].default_value, Literal{std::int64_t{-3}});
  EXPECT_TRUE(type->fields[1].is_key);
  EXPECT_EQ(type->fields[1].type->kind, Kind::uint64);
  EXPECT_EQ(type->fields[2].type->element->length, 4U);
  EXPECT_EQ(type->fields[3].type->length, 9U);
  EXPECT_EQ(type_name(*type->fields[4].type), "float32[2][3]");
  EXPECT_TRUE(type->fields[6].is_optional);
  EXPECT_EQ(type->constants[1].text, "ab");
  EXPECT_EQ(type->extensibility, Extensibility::fixed);
}

TEST(Ros2Idl, UnionsAndEnumerations) {
  TypePtr type = parsed(R"(module p { module msg {
    @bit_bound(8) enum Color { RED, @value(5) GREEN, BLUE };
    union U switch (Color) { case RED: case BLUE: long a; default: string b; };
    struct T { U u; };
  }; };)");
  const Type& tagged = *type->fields[0].type;
  EXPECT_EQ(tagged.fields[0].type->base, Kind::int8);
  EXPECT_EQ(find_branch(tagged, 6)->name, "a");
  EXPECT_EQ(find_branch(tagged, 5)->name, "b");
}

TEST(Ros2Idl, InheritanceIdsAndExtensibility) {
  TypePtr type = parsed(R"(module p { module msg {
    struct Base { @id(7) long a; long b; };
    @mutable struct T : Base { long c; @hashid("color") long d; };
  }; };)");
  ASSERT_EQ(type->fields.size(), 4U);
  EXPECT_EQ(type->extensibility, Extensibility::by_id);
  EXPECT_EQ(type->fields[1].id, 8U);
  EXPECT_EQ(type->fields[2].id, 9U);
  EXPECT_EQ(type->fields[3].id, 0x0fa5dd70U);  // the example of XTypes 1.3, 7.3.1.2.1.1
}

TEST(Ros2Idl, WhatHasNoAnnotationIsAppendableInDds) {
  const char* text = "module p { module msg { struct T { long a; }; }; };";
  EXPECT_EQ(parsed(text, "omgidl")->extensibility, Extensibility::appendable);
  EXPECT_EQ(parsed(text)->extensibility, Extensibility::fixed);
}

TEST(Ros2Idl, FilesInAnyOrder) {
  std::string text;
  auto add = [&](const char* name, const char* file) {
    text += fmt::format("{:=<80}\nIDL: {}\n{}\n", "", name, file);
  };
  add("p/msg/T", "module p { module msg { struct T { p::msg::A a; p::msg::B b; }; }; };");
  add("p/msg/B", "module p { module msg { struct B { long x; }; }; };");
  add("p/msg/A", "module p { module msg { struct A { B b; }; }; };");
  TypePtr type = parsed(text);
  EXPECT_EQ(type->fields[0].type->fields[0].type->name, "p/msg/B");
}

TEST(Ros2Idl, ParentsAndConstantsOfAFileThatComesLater) {
  std::string text;
  auto add = [&](const char* name, const char* file) {
    text += fmt::format("{:=<80}\nIDL: {}\n{}\n", "", name, file);
  };
  add("p/msg/T", "module p { module msg { struct T : Base { long a; }; }; };");
  add("p/msg/Base", "module p { module msg { struct Base { long x[p::msg::MOST]; }; }; };");
  add("p/msg/Most", "module p { module msg { const long MOST = 3; }; };");
  TypePtr type = parsed(text);
  ASSERT_EQ(type->fields.size(), 2U);
  EXPECT_EQ(type->fields[0].type->length, 3U);
  EXPECT_EQ(type->fields[1].name, "a");
}

/// A structure whose file waits has no members so far.
TEST(Ros2Idl, AStructureOfAFileThatWaitsIsNotKnown) {
  std::string text;
  auto add = [&](const char* name, const char* file) {
    text += fmt::format("{:=<80}\nIDL: {}\n{}\n", "", name, file);
  };
  add("p/msg/A", "module p { module msg { struct A { long x; Later y; }; }; };");
  add("p/msg/T", "module p { module msg { struct T : A { A a; }; }; };");
  add("p/msg/Later", "module p { module msg { struct Later { long z; }; }; };");
  TypePtr type = parsed(text);
  ASSERT_EQ(type->fields.size(), 3U);
  EXPECT_EQ(type->fields[2].type->fields.size(), 2U);
}

TEST(Ros2Idl, OperatorsBindAsInC) {
  TypePtr type = parsed(R"(module p { module msg {
    const long SHIFTED = 1 << 2 + 1;
    const long DIVIDED = -6 / -2;
    const long BITS = 1 | 6 & 12 ^ 2;
    const long BACK = 64 >> 2;
    struct T { long a[SHIFTED]; long b[DIVIDED]; long c[BITS]; long d[BACK]; long e[~(-8)];
               sequence<sequence<long, 3>> f; sequence<long, (8 >> 1)> g; };
  }; };)");
  std::vector<std::string> types;
  for (const Field& field : type->fields) types.push_back(type_name(*field.type));
  EXPECT_THAT(types, ::testing::ElementsAre("int32[8]", "int32[3]", "int32[7]", "int32[16]",
                                            "int32[7]", "int32[<=3][]", "int32[<=4]"));
}

/// A file that waits for a type of another one is parsed twice.
TEST(Ros2Idl, ConstantsOfAFileThatWaitsAreThereOnce) {
  std::string text;
  auto add = [&](const char* name, const char* file) {
    text += fmt::format("{:=<80}\nIDL: {}\n{}\n", "", name, file);
  };
  add("p/msg/T",
      "module p { module msg { module T_Constants { const long ONE = 1; }; "
      "struct T { p::msg::A a; }; }; };");
  add("p/msg/A", "module p { module msg { struct A { long x; }; }; };");
  TypePtr type = parsed(text);
  ASSERT_EQ(type->constants.size(), 1U);
  EXPECT_EQ(type->constants[0].name, "ONE");
}

TEST(Ros2Idl, AMessageWithoutFieldsIsEmpty) {
  EXPECT_TRUE(parsed("module p { module msg { struct T { "
                     "uint8 structure_needs_at_least_one_member; }; }; };")
                  ->fields.empty());
}

TEST(Ros2Idl, ErrorsNameTheLine) {
  EXPECT_THAT(error_of("module p {\nstruct T { long a }; };"), HasSubstr("line 2"));
  EXPECT_THAT(error_of("module p { struct T { Other a; }; };"), HasSubstr("Other is missing"));
  EXPECT_THAT(error_of("module p { const long A = SIZE; };"), HasSubstr("SIZE is missing"));
  EXPECT_THAT(error_of("module p { struct T { long double a; }; };"), HasSubstr("long double"));
  EXPECT_THAT(error_of("module p { struct T { long a[0]; }; };"),
              HasSubstr("0 is not a valid length"));
  EXPECT_THAT(error_of("module p { const long A = 1 / 0; };"), HasSubstr("division by zero"));
  EXPECT_THAT(error_of("module p { struct T {"), HasSubstr("not closed"));
  EXPECT_THAT(error_of("module q { struct Q { long a; }; };"),
              HasSubstr("no definition of p/msg/T"));
  EXPECT_NE(error_of(std::string(100000, '(')), "");
  EXPECT_NE(error_of(fmt::format("const long A = {:(<100000}", "")), "");
}

}  // namespace
}  // namespace kitbag::ros2idl
