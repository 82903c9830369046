#include "language/protobuf/parser.h"

#include <gtest/gtest.h>

#include <cmath>

#include "language/protobuf/language.h"
#include "language/protobuf/test_descriptors.h"
#include "tests/support/thrown_by.h"

namespace kitbag::protobuf::test {
namespace {

TypePtr parsed(const std::string& name, const std::string& set) {
  return parse({name, "protobuf", set});
}

/// The message T of a file with that content.
TypePtr of_file(const std::string& parts) {
  return parsed("T", file("t.proto", parts));
}

const std::string kEnum = sized(number::kFileEnum, enum_body("E", "FIRST", 7));

TEST(ProtobufParser, ScalarsHaveKindsAndWords) {
  std::string fields;
  for (int i = 1; i <= 18; ++i) {
    auto type = static_cast<FieldType>(i);
    bool has_name = type == FieldType::group || type == FieldType::message;
    if (has_name || type == FieldType::enumeration) continue;
    fields += field("f" + std::to_string(i), static_cast<std::uint32_t>(i), type);
  }
  TypePtr type = of_file(message("T", fields));
  std::string told;
  for (const Field& each : type->fields) {
    told += each.word + "=" + kitbag::type_name(*each.type) + " ";
    EXPECT_TRUE(each.is_optional);
  }
  EXPECT_EQ(told,
            "double=float64 float=float32 int64=int64 uint64=uint64 int32=int32 fixed64=uint64 "
            "fixed32=uint32 bool=bool string=string bytes=uint8[] uint32=uint32 sfixed32=int32 "
            "sfixed64=int64 sint32=int32 sint64=int64 ");
}

TEST(ProtobufParser, PresenceFollowsTheSyntax) {
  std::string oneof = sized(number::kMessageOneof, sized(number::kOneofName, "one"));
  std::string parts = field("plain", 1, FieldType::int32) +
                      field("must", 2, FieldType::int32, label(Label::required)) +
                      field("list", 3, FieldType::int32, label(Label::repeated)) +
                      field("one_of", 4, FieldType::int32, numbered(number::kFieldOneof, 0)) +
                      field("inner", 5, FieldType::message, type_name(".T")) +
                      field("said", 6, FieldType::int32, numbered(17, 1)) + oneof;
  auto told = [](const TypePtr& type) {
    std::string text;
    for (const Field& each : type->fields) text += each.is_optional ? '1' : '0';
    return text;
  };
  EXPECT_EQ(told(of_file(message("T", parts))), "100111");
  EXPECT_EQ(told(of_file(message("T", parts) + proto3())), "000111");
}

TEST(ProtobufParser, DefaultsAreLiterals) {
  TypePtr type =
      of_file(kEnum + message("T", field("a", 1, FieldType::int32, default_value("-0x10")) +
                                       field("b", 2, FieldType::uint64,
                                             default_value("18446744073709551615")) +
                                       field("c", 3, FieldType::real32, default_value("0.1")) +
                                       field("d", 4, FieldType::real64, default_value("-inf")) +
                                       field("e", 5, FieldType::boolean, default_value("true")) +
                                       field("f", 6, FieldType::text, default_value("\xffx")) +
                                       field("g", 7, FieldType::bytes, default_value("\\000")) +
                                       untyped("h", 8, "E", default_value("FIRST")) +
                                       field("i", 9, FieldType::real32, default_value("nan")) +
                                       field("j", 10, FieldType::sfixed64, default_value("-5")) +
                                       field("k", 11, FieldType::fixed32, default_value("5"))));
  auto value = [&](std::size_t index) { return type->fields[index].default_value; };
  EXPECT_EQ(value(0), Literal{std::int64_t{-16}});
  EXPECT_EQ(value(1), Literal{std::uint64_t{UINT64_MAX}});
  EXPECT_EQ(value(2), Literal{static_cast<double>(0.1F)});
  EXPECT_EQ(value(3), Literal{-INFINITY});
  EXPECT_EQ(value(4), Literal{true});
  EXPECT_EQ(value(5), Literal{std::string("\xffx")});
  EXPECT_EQ(value(6), std::nullopt);
  EXPECT_EQ(value(7), Literal{std::int64_t{7}});
  EXPECT_TRUE(std::isnan(std::get<double>(value(8)->value)));
  EXPECT_EQ(value(9), Literal{std::int64_t{-5}});
  EXPECT_EQ(value(10), Literal{std::uint64_t{5}});
}

TEST(ProtobufParser, NamesAreLookedUpFromTheInsideOut) {
  std::string outer =
      message("T", nested("A", nested("B", untyped("t", 1, "T"))) + untyped("inner", 1, "A.B") +
                       untyped("whole", 2, ".p.A") + untyped("package", 3, "p.A") +
                       untyped("number", 4, "E", label(Label::repeated)));
  std::string set = file("t.proto", package("p") + outer + message("A") + kEnum);
  TypePtr type = parsed("p.T", set);
  EXPECT_EQ(type->fields[0].type->name, "p.T.A.B");
  EXPECT_EQ(type->fields[0].type->fields[0].type, type.get());
  EXPECT_EQ(type->fields[1].type->name, "p.A");
  EXPECT_EQ(type->fields[2].type->name, "p.A");
  EXPECT_EQ(type->fields[3].word, "enum");
  EXPECT_EQ(type->fields[3].type->element->enumerators[0].name, "FIRST");
  EXPECT_EQ(parsed("p.T.A.B", set)->name, "p.T.A.B");
}

TEST(ProtobufParser, TheFirstPartOfANameDecides) {
  std::string set = file(
      "t.proto", message("A", nested("B")) + message("T", nested("A") + untyped("f", 1, "A.B")));
  EXPECT_ERROR(corrupt, parsed("T", set));
}

TEST(ProtobufParser, FilesComeInAnyOrderAndPassOnWhatTheyImportPublicly) {
  std::string set = file("a", import("b") + package("p") + message("T", untyped("f", 1, "q.C"))) +
                    file("b", import("c") + numbered(number::kFilePublicImport, 0)) +
                    file("c", package("q") + message("C", field("x", 1, FieldType::int32)));
  EXPECT_EQ(parsed("p.T", set)->fields[0].type->name, "q.C");
}

TEST(ProtobufParser, WhatIsImportedComesBeforeWhatIsNot) {
  std::string set = file("a", import("b") + package("p") + message("T", untyped("f", 1, "q.C"))) +
                    file("b", package("q") + message("C", field("x", 1, FieldType::int32)));
  std::string hidden = file("c", package("p.q") + message("C"));
  EXPECT_EQ(parsed("p.T", set + hidden)->fields[0].type->name, "q.C");
  std::string alone = file("a", package("p") + message("T", untyped("f", 1, "q.C")));
  EXPECT_EQ(parsed("p.T", alone + hidden)->fields[0].type->name, "p.q.C");
}

TEST(ProtobufParser, OfTwoFilesWithOneNameTheLastCounts) {
  std::string set = file("t", message("T", field("a", 1, FieldType::int32))) +
                    file("t", message("T", field("b", 1, FieldType::int32)));
  EXPECT_EQ(parsed("T", set)->fields[0].name, "b");
}

TEST(ProtobufParser, MapsAndGroupsAreMessages) {
  std::string entry =
      nested("MEntry", field("key", 1, FieldType::text) + field("value", 2, FieldType::int32) +
                           sized(number::kMessageOptions, numbered(number::kMapEntryOption, 1)));
  TypePtr type = of_file(message(
      "T", entry + nested("G") +
               field("m", 1, FieldType::message, type_name(".T.MEntry") + label(Label::repeated)) +
               field("g", 2, FieldType::group, type_name(".T.G"))));
  EXPECT_EQ(type->fields[0].type->kind, Kind::sequence);
  EXPECT_EQ(type->fields[0].type->element->name, "T.MEntry");
  EXPECT_EQ(type->fields[1].word, "group");
  EXPECT_TRUE(type->fields[1].is_optional);
}

TEST(ProtobufParser, TimesHaveRoles) {
  std::string parts = field("seconds", 1, FieldType::int64) + field("nanos", 2, FieldType::int32);
  std::string set = file(
      "t", package("google.protobuf") + message("Timestamp", parts) + message("Duration", parts));
  EXPECT_EQ(parsed("google.protobuf.Timestamp", set)->role, Role::time);
  EXPECT_EQ(parsed("google.protobuf.Duration", set)->role, Role::duration);
}

TEST(ProtobufParser, TypesOfOtherWorldsAreInOptions) {
  std::string option =
      sized(number::kFieldOptions, sized(kTypeOption, "int8[3] byte B") + numbered(kTypeOption, 5));
  std::string constant =
      sized(number::kMessageOptions, sized(kConstantOption, "int8 DEBUG=byte=1"));
  TypePtr type = of_file(
      message("T", field("f", 1, FieldType::int32, label(Label::repeated) + option) + constant));
  EXPECT_EQ(kitbag::type_name(*type->fields[0].type), "int8[3]");
  EXPECT_EQ(type->fields[0].alias.word, "byte");
  EXPECT_EQ(type->fields[0].alias.name, "B");
  EXPECT_EQ(type->constants.at(0).name, "DEBUG");
}

TEST(ProtobufParser, TheLastValueCountsAndForeignFieldsAreSkipped) {
  std::string more = sized(number::kFieldName, "last") + sized(number::kFieldNumber, "text") +
                     numbered(number::kFieldType, 99) + sized(1000, "foreign");
  TypePtr type = of_file(message("T", field("first", 1, FieldType::text, more)));
  EXPECT_EQ(type->fields[0].name, "last");
  EXPECT_EQ(type->fields[0].id, 1U);
  EXPECT_EQ(type->fields[0].word, "string");
}

TEST(ProtobufParser, MessagesInManyFilesTakeNoStack) {
  std::string parts;
  for (int i = 0; i < 30'000; ++i) {
    parts += message("M" + std::to_string(i), untyped("f", 1, "M" + std::to_string(i + 1)));
  }
  EXPECT_ERROR(corrupt, parsed("M0", file("t", parts + message("M30000"))));
}

}  // namespace
}  // namespace kitbag::protobuf::test
