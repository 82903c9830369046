#include "language/ros2msg/parser.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "language/ros2msg/full_text.h"
#include "language/ros2msg/types.h"
#include "tests/support/thrown_by.h"

namespace kitbag::ros2msg {
namespace {

using ::testing::HasSubstr;

Definition one(const std::string& text) {
  return parse("p/msg/T", text).at("p/msg/T");
}

std::string error_of(const std::string& text) {
  try {
    type_of("p/msg/T", parse("p/msg/T", text));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Ros2Msg, FieldsOfEveryForm) {
  auto fields = one("int32 a\nstring<=5 b\nuint8[3] c\nfloat64[<=7] d\nq/T[] e # why\n").fields;
  ASSERT_EQ(fields.size(), 5U);
  EXPECT_EQ(fields[1].text_bound, 5U);
  EXPECT_EQ(fields[2].array, Array::fixed);
  EXPECT_EQ(fields[2].length, 3U);
  EXPECT_EQ(fields[3].array, Array::bounded);
  EXPECT_EQ(fields[3].length, 7U);
  EXPECT_EQ(fields[4].type, "q/T");
  EXPECT_EQ(fields[4].array, Array::unbounded);
}

TEST(Ros2Msg, DefaultsAndConstants) {
  Definition definition =
      one("string name \"a # b\"  # comment\nint32[] list [1, -2]\nbool yes true\n"
          "uint8 X = 0x1F\nstring S='it\\'s'\n");
  EXPECT_EQ(definition.fields[0].default_text, "\"a # b\"");
  EXPECT_EQ(definition.constants[0].text, "0x1F");
  EXPECT_EQ(definition.constants[1].text, "it's");
  TypePtr type = type_of("p/msg/T", {{"p/msg/T", definition}});
  EXPECT_EQ(type->fields[0].default_value, Literal{std::string("a # b")});
  EXPECT_EQ(type->fields[1].default_value,
            (Literal{std::vector<Literal>{Literal{std::int64_t{1}}, Literal{std::int64_t{-2}}}}));
  EXPECT_EQ(type->fields[2].default_value, Literal{true});
}

TEST(Ros2Msg, QuotedTextsOfAListMayHoldQuotesAndCommas) {
  std::string text = R"(string[] names ["a\"b, c", 'd\', e', "f\\", "g"])";
  TypePtr type = type_of("p/msg/T", parse("p/msg/T", text + "\n"));
  std::vector<Literal> names = {Literal{std::string("a\"b, c")}, Literal{std::string("d', e")},
                                Literal{std::string("f\\")}, Literal{std::string("g")}};
  EXPECT_EQ(type->fields[0].default_value, Literal{names});
  TypePtr again = type_of("p/msg/T", parse("p/msg/T", print(*type)));
  EXPECT_EQ(again->fields[0].default_value, Literal{names}) << print(*type);
}

TEST(Ros2Msg, NestedTypesOfABag) {
  std::string text = fmt::format(
      "Own own\nstd_msgs/Header header\n{0:=<80}\nMSG: p/Own\nint8 x\n{0:=<80}\n"
      "MSG: std_msgs/msg/Header\nstring frame_id\n",
      "");
  TypePtr type = type_of("p/msg/T", parse("p/msg/T", text));
  EXPECT_EQ(type->fields[0].type->name, "p/msg/Own");
  EXPECT_EQ(type->fields[1].type->fields[0].name, "frame_id");
}

TEST(Ros2Msg, TimesAreKnownWithoutADefinition) {
  TypePtr type = type_of("p/msg/T", parse("p/msg/T", "builtin_interfaces/Time stamp\n"));
  EXPECT_EQ(type->fields[0].type->role, Role::time);
}

TEST(Ros2Msg, ServicesAreTheirMessages) {
  auto definitions = parse("p/srv/Add_Event", "int64 a\nint64 b\n---\nint64 sum\n");
  EXPECT_EQ(definitions.at("p/srv/Add_Request").fields.size(), 2U);
  EXPECT_EQ(definitions.at("p/srv/Add_Response").fields.size(), 1U);
  TypePtr event = type_of("p/srv/Add_Event", definitions);
  EXPECT_EQ(event->fields[1].type->length, 1U);
  EXPECT_EQ(event->fields[1].type->element->name, "p/srv/Add_Request");
}

TEST(Ros2Msg, ActionsAreTheirMessages) {
  auto definitions = parse("p/action/Go_FeedbackMessage", "int8 g\n---\nint8 r\n---\nint8 f\n");
  TypePtr feedback = type_of("p/action/Go_FeedbackMessage", definitions);
  EXPECT_EQ(feedback->fields[0].type->name, "unique_identifier_msgs/msg/UUID");
  EXPECT_EQ(feedback->fields[1].type->fields[0].name, "f");
  EXPECT_EQ(definitions.count("p/action/Go_SendGoal_Request"), 1U);
}

TEST(Ros2Msg, NamesOfRos1StandInComments) {
  Definition definition = one("int8 level  # in ROS 1: byte Level\nint8 A = 1  # in ROS 1: a\n");
  EXPECT_EQ(definition.fields[0].alias.name, "Level");
  EXPECT_EQ(definition.fields[0].alias.word, "byte");
  EXPECT_EQ(definition.constants[0].alias.name, "a");
  EXPECT_EQ(print(*type_of("p/msg/T", {{"p/msg/T", definition}})),
            "int8 A = 1  # in ROS 1: a\nint8 level  # in ROS 1: byte Level\n");
}

TEST(Ros2Msg, ErrorsNameTheLine) {
  EXPECT_THAT(error_of("int32 a\nint32\n"), HasSubstr("p/msg/T, line 2"));
  EXPECT_THAT(error_of("int32[x] a\n"), HasSubstr("is not a valid length"));
  EXPECT_THAT(error_of("int32 a\nint8 a\n"), HasSubstr("duplicate field 'a'"));
  EXPECT_THAT(error_of("int32<=3 a\n"), HasSubstr("cannot have a bound"));
  EXPECT_THAT(error_of("Other a\n"), HasSubstr("needs Other, which is missing"));
  EXPECT_THAT(error_of("T a\n"), HasSubstr("contains itself"));
  EXPECT_THAT(error_of("int32 a five\n"), HasSubstr("is not an integer"));
  EXPECT_THAT(error_of("int32[99999999999] a\n"), HasSubstr("is not a valid length"));
}

TEST(Ros2Msg, FullTextHasEachNestedTypeOnce) {
  auto find = [](const std::string& name) -> std::optional<std::string> {
    if (name == "p/msg/A") return "B one\nB two\n";
    if (name == "p/msg/B") return "int8 x\n";
    return std::nullopt;
  };
  std::string text = full_text("p/msg/T", "A a\nB b\n", find);
  EXPECT_EQ(type_of("p/msg/T", parse("p/msg/T", text))->fields.size(), 2U);
  EXPECT_EQ(text.find("MSG: p/B"), text.rfind("MSG: p/B"));
  EXPECT_ERROR(not_found, full_text("p/msg/T", "Missing m\n", find));
}

}  // namespace
}  // namespace kitbag::ros2msg
