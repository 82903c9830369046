#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/protobuf_wire.h"
#include "kitbag/error.h"
#include "language/protobuf/parser.h"
#include "language/protobuf/test_descriptors.h"
#include "tests/support/thrown_by.h"

// What is refused, as protobuf's own library does, and with which words.

namespace kitbag::protobuf::test {
namespace {

struct Case {
  std::string set;
  std::string says;
  ErrorCode code = ErrorCode::corrupt;
};

void expect_refused(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    try {
      parse({"T", "protobuf", each.set});
      ADD_FAILURE() << "not refused: " << each.says;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), each.code) << error.what();
      EXPECT_EQ(error.message(), "definition of T: " + each.says);
    }
  }
}

std::string of(const std::string& parts) {
  return file("t.proto", parts);
}
std::string with(const std::string& fields) {
  return of(message("T", fields));
}

std::string deep(std::size_t levels) {
  std::string inner = sized(number::kMessageName, "M");
  for (std::size_t i = 1; i < levels; ++i) {
    inner = sized(number::kMessageName, "M") + sized(number::kMessageMessage, inner);
  }
  return of(sized(number::kFileMessage, inner) + message("T"));
}

TEST(RefusedDescriptors, TextThatIsNoSet) {
  const std::string no_set = "it is not a FileDescriptorSet";
  std::string set = with(field("f", 1, FieldType::int32));
  expect_refused({{set.substr(0, set.size() - 1), no_set},
                  {set + '\x0b', no_set},
                  {set + std::string("\x02\x00", 2), no_set},
                  {std::string(kMaxSetBytes + 1, '\0'), "it has more than 16777216 bytes"},
                  {deep(kMaxDepth), no_set},
                  {of(std::string(1 << 20, '\x0b')), no_set},
                  {"", "its FileDescriptorSet does not contain the message", ErrorCode::not_found},
                  {of(sized(number::kFileEnum, enum_body("T", "V"))),
                   "its FileDescriptorSet does not contain the message", ErrorCode::not_found}});
}

TEST(RefusedDescriptors, ImportsThatAreNotThereOrGoRound) {
  expect_refused(
      {{of(import("google/protobuf/timestamp.proto")),
        "t.proto: google/protobuf/timestamp.proto: it imports this file, which is not in the set"},
       {of(import("t.proto")), "t.proto: t.proto: files import each other"},
       {file("z", import("b")) + file("a", import("b")) + file("b", import("c")) +
            file("c", import("b")),
        "c: b: files import each other"},
       {of(numbered(number::kFilePublicImport, 0)),
        "t.proto: t.proto: its public import 0 does not exist"},
       {of(sized(number::kFileSyntax, "editions")),
        "t.proto: its syntax is editions, not proto2 or proto3", ErrorCode::unsupported}});
}

TEST(RefusedDescriptors, FilesThatAreImportedWithoutEnd) {
  std::string set;
  for (int i = 0; i < 2000; ++i) {
    std::string imports =
        i == 0 ? "" : import(std::to_string(i - 1)) + numbered(number::kFilePublicImport, 0);
    set += file(std::to_string(i), imports);
  }
  expect_refused({{set, "its files import each other more than 1000000 times", ErrorCode::limit}});
}

TEST(RefusedDescriptors, Names) {
  std::string twice = field("f", 1, FieldType::int32) + field("f", 2, FieldType::int32);
  std::string enum_e = sized(number::kFileEnum, enum_body("E", "V"));
  expect_refused(
      {{of(message("a-b")), "t.proto: a-b: it is not a valid name"},
       {of(package("a..b")), "t.proto: a.: it is not a valid name"},
       {of(package("a.")), "t.proto: a.: it is not a valid name"},
       {with(field("\xff", 1, FieldType::int32)), "t.proto: T.?: it is not a valid name"},
       {with(twice), "t.proto: T.f: the name is already defined in t.proto"},
       {of(message("T")) + file("u", message("T")), "u: T: the name is already defined in t.proto"},
       {of(enum_e + message("V")), "t.proto: V: the name is already defined in t.proto"},
       {of(message("p")) + file("u", package("p")), "u: p: the name is already defined in t.proto"},
       {of(message("")), "a message has no name"},
       {with(sized(number::kMessageField, "")), "a field has no name"},
       {of(sized(number::kFileEnum, "")), "an enum has no name"},
       {of(sized(number::kFileEnum, enum_body("E") + sized(number::kEnumValue, ""))),
        "a value of an enum has no name"},
       {of(sized(number::kFileEnum, enum_body("E"))), "t.proto: E: an enum needs values"},
       {with(sized(number::kMessageEnum, enum_body("E"))), "t.proto: T.E: an enum needs values"}});
}

TEST(RefusedDescriptors, LongNames) {
  auto says = [](const std::string& name) {
    return "t.proto: " + name + ": the name has more than 512 bytes or 64 parts";
  };
  std::string longest(512, 'p');
  EXPECT_EQ(parse({"T", "protobuf", of(message(longest) + message("T"))})->name, "T");
  EXPECT_ERROR(limit, parse({"T", "protobuf", of(message(longest + "p"))}));
  EXPECT_EQ(parse({"T", "protobuf", deep(64)})->name, "T");
  expect_refused({{deep(65), says("M"), ErrorCode::limit},
                  {deep(kMaxDepth - 1), says("M"), ErrorCode::limit}});
}

TEST(RefusedDescriptors, TooManyNames) {
  const std::string too_many = "it declares more than 524288 names";
  std::string values = sized(number::kEnumName, "E");
  for (std::size_t i = 0; i < kMaxDeclarations; ++i) {
    values += sized(number::kEnumValue, sized(number::kValueName, "V"));
  }
  expect_refused({{of(sized(number::kFileEnum, values)), too_many, ErrorCode::limit},
                  {of(sized(number::kFilePublicImport, std::string(kMaxDeclarations + 1, '\0'))),
                   too_many, ErrorCode::limit}});
  std::string packages;
  for (std::size_t i = 0; i <= kMaxDeclarations / 64; ++i) {
    std::string name = std::to_string(i);
    for (int part = 1; part < 64; ++part) name += ".p";
    packages += file(std::to_string(i), package(name));
  }
  expect_refused({{packages, too_many, ErrorCode::limit}});
}

// Work that grows with the square of the set would take minutes.
TEST(RefusedDescriptors, HostileSetsAreReadInTime) {
  constexpr int kMany = 50'000;
  std::string values = sized(number::kEnumName, "E");
  std::string fields;
  for (int i = 0; i < kMany; ++i) {
    std::string name = "n" + std::to_string(i);
    values += sized(number::kEnumValue, sized(number::kValueName, name));
    fields += untyped(name, static_cast<std::uint32_t>(20'000 + i), "E", default_value("n49999"));
  }
  std::string set = of(sized(number::kFileEnum, values) + message("U", fields) + message("T"));
  EXPECT_EQ(parse({"T", "protobuf", set})->name, "T");
  std::string waiting;
  std::string imports;
  for (int i = 0; i < kMany; ++i) {
    waiting += file("w" + std::to_string(i), import("z"));
    imports += import("sound");
  }
  expect_refused({{waiting + file("sound", "") + file("z", imports + import("z")),
                   "z: z: files import each other"}});
}

TEST(RefusedDescriptors, NumbersOfFields) {
  for (std::uint32_t number : {0U, 19'000U, 19'999U, 536'870'912U}) {
    expect_refused({{with(field("f", number, FieldType::int32)),
                     fmt::format("t.proto: T.f: {} is not a valid field number", number)}});
  }
  for (std::uint32_t number : {1U, 18'999U, 20'000U, 536'870'911U}) {
    TypePtr type = parse({"T", "protobuf", with(field("f", number, FieldType::int32))});
    EXPECT_EQ(type->fields[0].id, number);
  }
  expect_refused({{with(field("f", 1, FieldType::int32) + field("g", 1, FieldType::int32)),
                   "t.proto: T.g: the number 1 is already used"},
                  {with(field("f", 1, FieldType::int32, numbered(number::kFieldOneof, 0))),
                   "t.proto: T.f: its oneof 0 does not exist"},
                  {with(field("f", 1, FieldType::int32, numbered(number::kFieldOneof, UINT64_MAX))),
                   "t.proto: T.f: its oneof -1 does not exist"}});
}

TEST(RefusedDescriptors, TypesOfFields) {
  const std::string kind = "t.proto: T.f: its type has another kind than its type name";
  expect_refused({{with(untyped("f", 1, "Missing")), "t.proto: T.f: there is no type Missing"},
                  {with(untyped("f", 1, ".T.f")), "t.proto: T.f: there is no type .T.f"},
                  {with(untyped("f", 1, "")), "t.proto: T.f: there is no type "},
                  {with(untyped("f", 1, "T.")), "t.proto: T.f: there is no type T."},
                  {with(untyped("f", 1, ".")), "t.proto: T.f: there is no type ."},
                  {with(field("f", 1, FieldType::enumeration, type_name("T"))), kind},
                  {with(field("f", 1, FieldType::int32, type_name("T"))), kind},
                  {with(field("f", 1, FieldType::message)), kind},
                  {with(nested("N", sized(number::kMessageEnum, enum_body("E", "V"))) +
                        field("f", 1, FieldType::message, type_name("N.E"))),
                   kind}});
}

TEST(RefusedDescriptors, Defaults) {
  auto refused = [](FieldType type, const std::string& text) {
    return Case{with(field("f", 1, type, default_value(text))),
                fmt::format("t.proto: T.f: its default value {} is none", text)};
  };
  std::string enum_e = sized(number::kFileEnum, enum_body("E", "V"));
  const std::string none = "t.proto: T.f: it may not have a default value";
  std::string one = default_value("1");
  expect_refused({refused(FieldType::int32, "x"),
                  refused(FieldType::uint64, "1x"),
                  refused(FieldType::real32, "1,5"),
                  refused(FieldType::boolean, "1"),
                  refused(FieldType::sint64, ""),
                  refused(FieldType::fixed64, "0x"),
                  {of(enum_e + message("T", untyped("f", 1, "E", default_value("W")))),
                   "t.proto: T.f: its default value W is none"},
                  {with(untyped("f", 1, "T", one)), none},
                  {with(field("f", 1, FieldType::int32, one + label(Label::repeated))), none},
                  {of(message("T", field("f", 1, FieldType::int32, one)) + proto3()), none}});
}

TEST(RefusedDescriptors, MapsWithoutAKey) {
  std::string option = sized(number::kMessageOptions, numbered(number::kMapEntryOption, 1));
  auto map_of = [&](const std::string& entry) {
    return Case{
        with(nested("Entry", entry + option) + untyped("f", 1, "Entry", label(Label::repeated))),
        "t.proto: T.f: its map has no key and value, or a key of a type that is not "
        "allowed"};
  };
  std::string value = field("value", 2, FieldType::int32);
  expect_refused({map_of(untyped("key", 1, ".T") + value),
                  map_of(field("key", 1, FieldType::real64) + value), map_of(value),
                  map_of(field("key", 1, FieldType::bytes) + value)});
}

}  // namespace
}  // namespace kitbag::protobuf::test
