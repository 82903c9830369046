#include "language/protobuf/printer.h"

#include <gtest/gtest.h>

#include "language/protobuf/language.h"
#include "language/protobuf/test_descriptors.h"

namespace kitbag::protobuf::test {
namespace {

TEST(ProtobufPrinter, FieldsAreInTheOrderOfTheirNumbers) {
  TypeBuilder builder;
  Type& inner = builder.add(Kind::structure, "p.Inner");
  Type& type = builder.add(Kind::structure, "p.T");
  type.fields.push_back({.name = "inner", .type = &inner, .id = 1});
  type.fields.push_back(
      {.name = "maybe", .type = &builtin_type(Kind::uint8), .id = 2, .is_optional = true});
  type.constants.push_back({.kind = Kind::int8, .name = "A", .text = "1", .word = "byte"});
  std::string option = sized(number::kFieldOptions, sized(kTypeOption, "uint8?"));
  std::string optional = label(Label::optional);
  std::string fields =
      sized(number::kMessageField,
            sized(1, "inner") + numbered(3, 1) + optional + numbered(5, 11) + sized(6, ".p.Inner") +
                sized(number::kFieldOptions, sized(kTypeOption, "message"))) +
      sized(number::kMessageField, sized(1, "maybe") + numbered(3, 2) + optional + numbered(5, 13) +
                                       option + numbered(9, 0) + numbered(17, 1));
  std::string constants = sized(number::kMessageOptions, sized(kConstantOption, "int8 A=byte=1"));
  std::string oneof = sized(number::kMessageOneof, sized(number::kOneofName, "_maybe"));
  EXPECT_EQ(print(*builder.finish(type)),
            file("p/Inner.proto", package("p") + message("Inner") + proto3()) +
                file("p/T.proto", package("p") + import("p/Inner.proto") +
                                      message("T", fields + constants + oneof) + proto3()));
}

}  // namespace
}  // namespace kitbag::protobuf::test
