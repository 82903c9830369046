#include "kitbag/type.h"

#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

Type& structure(TypeBuilder& builder, const std::vector<const Type*>& parts) {
  Type& type = builder.add(Kind::structure, "test/T");
  for (const Type* part : parts) {
    type.fields.push_back(
        {.name = std::string(1, static_cast<char>('a' + type.fields.size())), .type = part});
  }
  return type;
}

TEST(TypeLayout, FieldsThatLieAtMultiplesOfTheirSizeAreFlat) {
  TypeBuilder builder;
  const Type& f64 = builtin_type(Kind::float64);
  TypePtr type = builder.finish(structure(builder, {&f64, &builder.array(f64, 3)}));
  EXPECT_EQ(type->flat_bytes, 32U);
  EXPECT_EQ(type->flat_alignment, 8U);
  EXPECT_EQ(type->fields[1].index, 1U);
}

TEST(TypeLayout, PaddingIsNotFlat) {
  for (auto [first, second] : {std::pair{Kind::uint8, Kind::uint32},     // padding between
                               std::pair{Kind::uint32, Kind::uint8}}) {  // padding at the end
    TypeBuilder builder;
    TypePtr type =
        builder.finish(structure(builder, {&builtin_type(first), &builtin_type(second)}));
    EXPECT_EQ(type->flat_bytes, 0U);
    EXPECT_EQ(type->least_bytes, 5U);
  }
}

TEST(TypeLayout, TextsListsAndOptionalFieldsAreNotFlat) {
  TypeBuilder builder;
  const Type& number = builtin_type(Kind::int32);
  EXPECT_EQ(builtin_type(Kind::text).flat_bytes, 0U);
  EXPECT_EQ(builder.finish(builder.sequence(number))->flat_bytes, 0U);
  Type& type = structure(builder, {&number});
  type.fields[0].is_optional = true;
  EXPECT_EQ(builder.finish(type)->flat_bytes, 0U);
}

TEST(TypeLayout, AHugeArrayIsNotFlatAndItsLeastDoesNotOverflow) {
  TypeBuilder builder;
  const Type& huge = builder.array(builtin_type(Kind::float64), UINT32_MAX);
  TypePtr type = builder.finish(builder.array(huge, UINT32_MAX));
  EXPECT_EQ(type->flat_bytes, 0U);
  EXPECT_EQ(type->least_bytes, UINT32_MAX);
}

TEST(TypeLayout, TypesThatContainThemselvesComeToAnEnd) {
  TypeBuilder builder;
  Type& type = structure(builder, {&builtin_type(Kind::int32)});
  type.fields.push_back({.name = "more", .type = &builder.sequence(type)});
  EXPECT_EQ(builder.finish(type)->flat_bytes, 0U);
  EXPECT_TRUE(same_shape(type, type));
}

TEST(TypeLayout, TooDeepIsRefused) {
  TypeBuilder builder;
  const Type* type = &builtin_type(Kind::int32);
  for (std::size_t i = 0; i < 3 * kMaxTypeDepth; ++i) type = &structure(builder, {type});
  EXPECT_ERROR(corrupt, builder.finish(*type));
}

TEST(SameShape, LooksAtEverythingButTheNamesOfTypes) {
  TypeBuilder builder;
  Type& a = structure(builder, {&builtin_type(Kind::int32)});
  Type& b = structure(builder, {&builtin_type(Kind::int32)});
  b.name = "other/Name";
  EXPECT_TRUE(same_shape(a, b));
  b.fields[0].name = "other";
  EXPECT_FALSE(same_shape(a, b));
  b.fields[0].name = a.fields[0].name;
  b.fields[0].type = &builtin_type(Kind::uint32);
  EXPECT_FALSE(same_shape(a, b));
}

TEST(TypeName, IsAsPeopleWriteIt) {
  TypeBuilder builder;
  const Type& number = builtin_type(Kind::float64);
  EXPECT_EQ(type_name(builder.array(number, 36)), "float64[36]");
  EXPECT_EQ(type_name(builder.sequence(number)), "float64[]");
  EXPECT_EQ(type_name(builder.sequence(number, 5)), "float64[<=5]");
  EXPECT_EQ(type_name(builder.text(Kind::text, 9)), "string<=9");
}

TEST(TypeLayout, WhatExpandsWithoutEndIsRefused) {
  TypeBuilder builder;
  const Type* inner = &structure(builder, {});
  for (int level = 0; level < 12; ++level) {
    inner = &structure(builder, std::vector<const Type*>(10, inner));
  }
  EXPECT_EQ(test::thrown_by([&] { builder.finish(*inner); }).code(), ErrorCode::limit);
}

TEST(TypeLayout, ThousandsOfFieldsAreNot) {
  TypeBuilder builder;
  const Type& f64 = builtin_type(Kind::float64);
  const Type& wide = structure(builder, std::vector<const Type*>(300, &f64));
  TypePtr type = builder.finish(structure(builder, std::vector<const Type*>(300, &wide)));
  EXPECT_EQ(type->fields.size(), 300U);
}

TEST(TypeLayout, CountsTheValuesOfADefault) {
  TypeBuilder builder;
  const Type& f64 = builtin_type(Kind::float64);
  const Type& inner = structure(builder, {&f64, &builder.sequence(f64)});
  const Type& array = builder.array(inner, 4);
  const Type& huge = builder.array(array, UINT64_MAX);
  TypePtr type = builder.finish(structure(builder, {&array, &f64}));
  EXPECT_EQ(type->default_values, 1U + (1 + 4 * 3) + 1);
  EXPECT_EQ(huge.default_values, UINT32_MAX);
}

TEST(KindNamed, IsTheScalarOrTextOfThatName) {
  for (Kind kind : {Kind::boolean, Kind::uint8, Kind::octet, Kind::wide_char, Kind::wide_text}) {
    EXPECT_EQ(kind_named(kind_name(kind)), kind);
  }
  for (const char* name : {"", "bool ", "enum", "struct", "array", "any"}) {
    EXPECT_EQ(kind_named(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace kitbag
