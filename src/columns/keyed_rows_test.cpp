#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/row_reader.h"
#include "codec/json/codec.h"
#include "codec/protobuf/codec.h"
#include "columns/row_visitor.h"
#include "columns/test_columns.h"
#include "kitbag/error.h"
#include "kitbag/session.h"

// Payloads that encoders of kitbag do not write: fields in any order, given twice, left out. What
// is read by fields is what the decoder says.

namespace kitbag {
namespace {

using test::Selected;

enum class Outcome { read, left_to_decoder, refused };

std::ostream& operator<<(std::ostream& out, Outcome outcome) {
  constexpr std::array<const char*, 3> kNames = {"read", "left to the decoder", "refused"};
  return out << kNames.at(static_cast<std::size_t>(outcome));
}

class KeyedRows : public ::testing::Test {
 protected:
  KeyedRows() {
    Type& inner = builder_.add(Kind::structure, "test.Inner");
    inner.fields = {{.name = "x", .type = &builtin_type(Kind::float64), .id = 1},
                    {.name = "n", .type = &builtin_type(Kind::int32), .id = 2}};
    Type& time = builder_.add(Kind::structure, "google.protobuf.Timestamp");
    time.role = Role::time;
    time.fields = {{.name = "seconds", .type = &builtin_type(Kind::int64), .id = 1},
                   {.name = "nanos", .type = &builtin_type(Kind::int32), .id = 2}};
    Type& state = builder_.add(Kind::enumeration, "test.State");
    state.enumerators = {{"IDLE", 3}, {"MOVING", 4}};
    Type& outer = builder_.add(Kind::structure, "test.Outer");
    outer.fields = {
        {.name = "a", .type = &builtin_type(Kind::int32), .id = 1},
        {.name = "inner", .type = &inner, .id = 2},
        {.name = "text", .type = &builtin_type(Kind::text), .id = 3},
        {.name = "list", .type = &builder_.sequence(builtin_type(Kind::int32)), .id = 4},
        {.name = "bytes", .type = &builder_.sequence(builtin_type(Kind::uint8)), .id = 5},
        {.name = "stamp", .type = &time, .id = 6},
        {.name = "state", .type = &state, .id = 7},
        {.name = "maybe", .type = &builtin_type(Kind::int32), .id = 8, .is_optional = true},
        {.name = "inners", .type = &builder_.sequence(inner), .id = 9},
        {.name = "hash",
         .type = &builder_.array(builtin_type(Kind::uint8), 4),
         .id = 10,
         .is_optional = true},
        {.name = "group", .type = &inner, .id = 5000, .is_optional = true, .word = "group"},
    };
    outer.fields.push_back({.name = "seven", .type = &builtin_type(Kind::int32), .id = 12});
    outer.fields.back().default_value = Literal{std::int64_t{7}};
    type_ = builder_.finish(outer);
  }

  /// What comes of reading `paths`; values that are read are checked against those of the decoder.
  Outcome read(const Codec& codec, const std::vector<std::string>& paths,
               std::string_view payload) const {
    Selected read(*type_, paths);
    Selected visited(*type_, paths);
    auto reader = codec.row_reader(type_, read.target());
    EXPECT_TRUE(reader);
    auto visitor = make_row_visitor(visited.target(), session_);
    visitor->begin();
    bool is_decoded = true;
    try {
      codec.decoder(type_)->decode(as_bytes(payload), *visitor);
    } catch (const Error&) {
      is_decoded = false;
    }
    if (!reader->read(as_bytes(payload))) {
      return is_decoded ? Outcome::left_to_decoder : Outcome::refused;
    }
    if (is_decoded) {
      EXPECT_EQ(read.rows(), visited.rows());
    }
    return Outcome::read;
  }

  Outcome protobuf(const std::vector<std::string>& paths, std::string_view payload) const {
    return read(protobuf::codec(), paths, payload);
  }
  Outcome json(const std::vector<std::string>& paths, std::string_view payload) const {
    return read(json::codec(), paths, payload);
  }

  const std::vector<std::string> all_ = {"a",     "inner", "text",   "list",  "bytes", "stamp",
                                         "state", "maybe", "inners", "group", "seven", "hash"};
  Session session_;
  TypeBuilder builder_;
  TypePtr type_;
};

std::string bytes(std::initializer_list<int> values) {
  std::string all;
  for (int value : values) all += static_cast<char>(value);
  return all;
}

TEST_F(KeyedRows, ProtobufFieldsThatAreAbsentHaveTheirDefaults) {
  EXPECT_EQ(protobuf({"a", "inner", "text", "list", "bytes", "stamp", "state", "maybe", "inners",
                      "group", "seven", "list[2]", "inners[0].x", "inner.n", "inners[].n"},
                     bytes({0x52, 4, 1, 2, 3, 4})),
            Outcome::read);
  EXPECT_EQ(protobuf({"hash"}, bytes({0x08, 1})), Outcome::refused);
}

TEST_F(KeyedRows, TheLastValueOfAProtobufFieldCounts) {
  std::string hash = bytes({0x52, 4, 1, 2, 3, 4});
  EXPECT_EQ(protobuf(all_, hash + bytes({0x08, 5, 0x08, 6})), Outcome::read);
  EXPECT_EQ(protobuf({"text"}, hash + bytes({0x1a, 1, 'x', 0x1a, 2, 'y', 'z'})), Outcome::read);
  EXPECT_EQ(protobuf({"bytes", "a"}, hash + bytes({0x2a, 1, 1, 0x08, 3, 0x2a, 2, 7, 8})),
            Outcome::read);
}

TEST_F(KeyedRows, ProtobufMessagesInPiecesAreLeftToTheDecoder) {
  std::string hash = bytes({0x52, 4, 1, 2, 3, 4});
  std::string pieces = bytes({0x12, 2, 0x10, 1, 0x12, 2, 0x10, 2});
  EXPECT_EQ(protobuf({"inner.n"}, hash + pieces), Outcome::left_to_decoder);
  EXPECT_EQ(protobuf({"a"}, hash + pieces), Outcome::read);
}

TEST_F(KeyedRows, ProtobufListsArePackedOrNotOrBoth) {
  std::string hash = bytes({0x52, 4, 1, 2, 3, 4});
  EXPECT_EQ(protobuf({"list", "list[1]", "list[5]"},
                     hash + bytes({0x20, 1, 0x08, 9, 0x22, 3, 2, 3, 4, 0x20, 5})),
            Outcome::read);
  EXPECT_EQ(protobuf({"list"}, hash + bytes({0x22, 2, 1, 0x80})), Outcome::refused);
  EXPECT_EQ(protobuf({"inners[].n", "inners[1].n", "a"},
                     hash + bytes({0x4a, 2, 0x10, 1, 0x08, 3, 0x4a, 0, 0x4a, 2, 0x10, 2})),
            Outcome::read);
}

TEST_F(KeyedRows, ProtobufFieldsThatAreNotOfTheTypeAreSkipped) {
  std::string hash = bytes({0x52, 4, 1, 2, 3, 4});
  // Field 100 as a group with a number in it, field 1 as a text, and field 5000, a group.
  std::string others = bytes({0xa3, 6, 0x08, 1, 0xa4, 6, 0x0a, 1, 'x'});
  std::string group = bytes({0xc3, 0xb8, 2, 0x10, 5, 0xc4, 0xb8, 2});
  EXPECT_EQ(protobuf(all_, others + hash + group), Outcome::read);
  EXPECT_EQ(protobuf({"group.n", "a"}, group + hash + bytes({0x08, 1})), Outcome::read);
  EXPECT_EQ(protobuf({"a"}, hash + bytes({0xa3, 6, 0x08, 1, 0xac, 6})), Outcome::refused);
  EXPECT_EQ(protobuf({"a"}, hash + bytes({0x00, 1})), Outcome::refused);
  EXPECT_EQ(protobuf({"a"}, hash + bytes({0x0f})), Outcome::refused);
}

TEST_F(KeyedRows, ProtobufTimesAreOneNumber) {
  std::string hash = bytes({0x52, 4, 1, 2, 3, 4});
  EXPECT_EQ(protobuf({"stamp", "stamp.nanos"}, hash + bytes({0x32, 4, 0x10, 7, 0x08, 2})),
            Outcome::read);
  EXPECT_EQ(protobuf({"stamp"}, hash + bytes({0x32, 2, 0x10, 7})), Outcome::read);
  EXPECT_EQ(protobuf({"stamp"}, hash + bytes({0x32, 10, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                              0xff, 0xff, 0x7f})),
            Outcome::refused);
}

TEST_F(KeyedRows, JsonKeysComeInAnyOrder) {
  EXPECT_EQ(json({"a", "text", "inner.x"},
                 R"( { "text" : "b" , "inner" : { "n":1, "x" : 2.5, "y":[{}]} , "a":-3 } )"),
            Outcome::read);
}

TEST_F(KeyedRows, TheFirstOfTwoEqualJsonKeysCounts) {
  EXPECT_EQ(json({"a"}, R"({"a":1,"a":2})"), Outcome::read);
  EXPECT_EQ(json({"a", "text"}, R"({"a":1,"a":"x","text":"t","a":3})"), Outcome::read);
  EXPECT_EQ(json({"inner.x", "a"}, R"({"inner":{"x":1,"x":2,"n":5},"inner":{"x":3},"a":4})"),
            Outcome::read);
}

TEST_F(KeyedRows, JsonKeysWithEscapesAreLeftToTheDecoder) {
  EXPECT_EQ(json({"text"}, R"({"\u0061":1,"text":"x"})"), Outcome::left_to_decoder);
}

TEST_F(KeyedRows, JsonObjectsAreLeftEarly) {
  EXPECT_EQ(json({"inner.x", "a"}, R"({"inner":{"x":1,"y":"}{\"]","z":[[{"q":1}]]},"a":4})"),
            Outcome::read);
  EXPECT_EQ(json({"inners[].x", "inners[1].x", "a"},
                 R"({"inners":[{"x":1,"n":[2]},{"n":3,"x":2},{"n":1}],"a":5})"),
            Outcome::read);
  // Nothing is looked at behind the last wanted value, nor in what is skipped but its brackets.
  EXPECT_EQ(json({"a"}, R"({"text":[oops],"a":1,)"), Outcome::read);
  EXPECT_EQ(json({"a", "text"}, R"({"text":"x","a":1)"), Outcome::read);
  EXPECT_EQ(json({"a", "text"}, R"({"text":"x","b":1)"), Outcome::refused);
}

TEST_F(KeyedRows, JsonFieldsThatAreAbsentHaveTheirDefaults) {
  EXPECT_EQ(json({"a", "inner", "text", "list", "bytes", "stamp", "state", "maybe", "inners",
                  "group", "seven", "hash", "list[2]", "inners[0].x"},
                 "{}"),
            Outcome::read);
  EXPECT_EQ(json({"maybe", "a"}, R"({"maybe":null,"a":1})"), Outcome::read);
  EXPECT_EQ(json({"a"}, R"({"a":null})"), Outcome::refused);
}

TEST_F(KeyedRows, JsonTextsHaveEscapes) {
  for (const char* text : {R"("\"\\\/\b\f\n\r\t")", R"("\u00e9\u20AC\ud83d\ude00\u0000")",
                           R"("a\\")", "\"\xc3\xa9\"", "\"\xff\"", R"("")"}) {
    EXPECT_EQ(json({"text"}, std::string(R"({"text":)") + text + "}"), Outcome::read) << text;
  }
  for (const char* text : {R"("\x")", R"("\u12g4")", R"("\ud83d")", R"("\ud83d\u0041")", "\"\n\"",
                           R"("\u12)", "\"", "1", "null"}) {
    EXPECT_EQ(json({"text"}, std::string(R"({"text":)") + text + "}"), Outcome::refused) << text;
  }
}

TEST_F(KeyedRows, JsonNumbersAreReadOrRefusedAsTheDecoderDoes) {
  for (const char* number :
       {"0", "-0", "1e3", "1.5", "-0.0", "2E-2", "18446744073709551615",
        "123456789012345678901234567890", "null", R"("NaN")", R"("Infinity")", R"("-Infinity")"}) {
    EXPECT_EQ(json({"inner.x"}, std::string(R"({"inner":{"x":)") + number + "}}"), Outcome::read)
        << number;
  }
  for (const char* number : {"01", "+1", ".5", "5.", "1e", "NaN", "inf", "1e999", R"("nan")",
                             "true", "0x1", "-", "[]"}) {
    EXPECT_EQ(json({"inner.x"}, std::string(R"({"inner":{"x":)") + number + "}}"), Outcome::refused)
        << number;
  }
  for (const char* number : {"1.0", "1e3", "2147483648", "-2147483649", "\"1\"", "true", "00"}) {
    EXPECT_EQ(json({"a"}, std::string(R"({"a":)") + number + "}"), Outcome::refused) << number;
  }
  EXPECT_EQ(json({"a"}, R"({"a":-2147483648})"), Outcome::read);
  // So small that it takes the decoder.
  EXPECT_EQ(json({"inner.x"}, R"({"inner":{"x":1e-999}})"), Outcome::left_to_decoder);
}

TEST_F(KeyedRows, JsonBytesAreBase64OrNumbers) {
  for (const char* value : {R"("AQID\/w==")", "[1, 2,255]", "[]", R"("")"}) {
    EXPECT_EQ(json({"bytes", "bytes[1]"}, std::string(R"({"bytes":)") + value + "}"), Outcome::read)
        << value;
  }
  for (const char* value : {R"("AQI")", "[256]", "[-1]", "[1,]", "[1 2]", R"(["a"])", "{}"}) {
    EXPECT_EQ(json({"bytes"}, std::string(R"({"bytes":)") + value + "}"), Outcome::refused)
        << value;
  }
  EXPECT_EQ(json({"hash"}, R"({"hash":[1,2,3,4]})"), Outcome::read);
  EXPECT_EQ(json({"hash"}, R"({"hash":[1,2,3]})"), Outcome::refused);
}

TEST_F(KeyedRows, JsonEnumerationsAreNamesOrNumbers) {
  EXPECT_EQ(json({"state"}, R"({"state":"MOVING"})"), Outcome::read);
  EXPECT_EQ(json({"state"}, R"({"state":17})"), Outcome::read);
  EXPECT_EQ(json({"state"}, R"({"state":"FLYING"})"), Outcome::refused);
}

TEST_F(KeyedRows, JsonTimesAreOneNumber) {
  EXPECT_EQ(json({"stamp", "a"}, R"({"stamp":{"nanos":7,"seconds":2},"a":1})"), Outcome::read);
  EXPECT_EQ(json({"stamp"}, R"({"stamp":{"nanos":7,"seconds":9223372036854775807}})"),
            Outcome::refused);
}

}  // namespace
}  // namespace kitbag
