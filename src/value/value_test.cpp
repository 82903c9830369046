#include "kitbag/value.h"

#include <gmock/gmock.h>

#include <array>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using testing::ElementsAre;

constexpr const char* kText = R"(float64 x 1.5
int8 small
uint8 state
uint8 OFF=0
string<=5 name
bool is_on
float32[3] fixed
uint8[] data
int32[<=4] few
Part[] parts
builtin_interfaces/Time stamp
===
MSG: test_msgs/Part
string word "none"
uint16[] numbers
)";

class Values : public testing::Test {
 protected:
  static Channel channel_of(const std::string& text, const std::string& encoding = "cdr") {
    std::string divided = text;
    std::string line(80, '=');
    for (std::size_t at = divided.find("===\n"); at != std::string::npos;
         at = divided.find("===\n", at + line.size())) {
      divided.replace(at, 3, line);
    }
    return {"/test", encoding,
            std::make_shared<Schema>(Schema{"test_msgs/msg/Test", "ros2msg", divided})};
  }

  /// What is read of the payload that is made of a value.
  Value round(const Channel& channel, const Value& value) {
    ValueWriter writer(channel, session_);
    ByteView bytes = writer.write(value);
    payload_.assign(bytes.begin(), bytes.end());
    return reader_.read({&channel, 0, 0, {}, {}, payload_});
  }

  Session session_{standard_registry()};
  ValueReader reader_{session_};
  std::vector<std::byte> payload_;
  Channel channel_ = channel_of(kText);
  ValueWriter writer_{channel_, session_};
};

TEST_F(Values, AreWhatWasSet) {
  Value value = writer_.make();
  value.set("small", -3);
  value.set("name", "robot");
  value.set("is_on", true);
  value.set("fixed[1]", 0.25);
  value.set("data", std::string("\x01\xff", 2));
  value.set("few", Value::List{1, 2, 3});
  value.resize("parts", 2);
  value.set("parts[1].word", "last");
  value.set("parts[1].numbers", Value::List{65535});
  value.set("stamp", 1'700'000'000'000'000'001);
  Value read = round(channel_, value);
  EXPECT_EQ(read.get<double>("x"), 1.5);
  EXPECT_EQ(read.get<int>("small"), -3);
  EXPECT_EQ(read.get<std::string>("name"), "robot");
  EXPECT_TRUE(read.get<bool>("is_on"));
  EXPECT_EQ(read.get<float>("fixed[1]"), 0.25F);
  EXPECT_EQ(read.get("fixed").size(), 3);
  EXPECT_EQ(as_text(read.get("data").numbers().bytes), "\x01\xff");
  EXPECT_EQ(read.get("few").numbers().size(), 3);
  EXPECT_EQ(read.get<int>("few[2]"), 3);
  EXPECT_EQ(read.get<std::string>("parts[0].word"), "none");
  EXPECT_EQ(read.get<std::string>("parts[1].word"), "last");
  EXPECT_EQ(read.get<int>("parts[1].numbers[0]"), 65535);
  EXPECT_EQ(read.get("stamp").nanoseconds(), 1'700'000'000'000'000'001);
  EXPECT_EQ(read, fit(value, read.type()));
}

TEST_F(Values, ThatAreCopiedStayWhatTheyAre) {
  Value value = writer_.make();
  value.resize("parts", 1);
  Value copy = value;
  copy.set("parts[0].word", "other");
  copy.set("fixed[0]", 7);
  EXPECT_EQ(value.get<std::string>("parts[0].word"), "none");
  EXPECT_EQ(value.get<double>("fixed[0]"), 0);
  EXPECT_EQ(copy.get<std::string>("parts[0].word"), "other");
  EXPECT_EQ(round(channel_, copy).get<double>("fixed[0]"), 7);
}

TEST_F(Values, OfAStructureWithoutATypeAreFoundByName) {
  Value part = Value::structure({{"word", "a"}});
  Value value = Value::structure({{"parts", Value::List{part, part}}, {"x", 3}});
  value.set("stamp.sec", 7);
  Value read = round(channel_, value);
  EXPECT_EQ(read.get<double>("x"), 3);
  EXPECT_EQ(read.get<std::string>("parts[1].word"), "a");
  EXPECT_EQ(read.get("parts[1].numbers").size(), 0);
  EXPECT_EQ(read.get("stamp").nanoseconds(), 7'000'000'000);
}

TEST_F(Values, OfAUnionHaveTheBranchThatWasSet) {
  const char* idl = R"(union Reading switch (long) {
  case 1: double metres;
  case 2: case 3: string text;
};
struct Test { Reading reading; @optional long extra; };
)";
  Channel channel{"/test", "cdr", std::make_shared<Schema>(Schema{"Test", "omgidl", idl})};
  ValueWriter writer(channel, session_);
  Value value = writer.make();
  value.set("reading.text", "far");
  EXPECT_EQ(value.get<int>("reading.$discriminator"), 2);
  value.set("reading.metres", 2.5);
  Value read = round(channel, value);
  EXPECT_EQ(read.get<int>("reading.$discriminator"), 1);
  EXPECT_EQ(read.get<double>("reading.metres"), 2.5);
  EXPECT_TRUE(read.get("reading.text").is_nothing());
  EXPECT_TRUE(read.get("extra").is_nothing());
  value.set("extra", 4);
  EXPECT_EQ(round(channel, value).get<int>("extra"), 4);
  value.set("extra", Value());
  EXPECT_TRUE(round(channel, value).get("extra").is_nothing());
  auto wrong = Value::structure({{"$discriminator", 1}, {"text", "a"}});
  EXPECT_EQ(test::thrown_by([&] { value.set("reading", wrong); }).message(),
            "reading.text: not the branch that 1 selects");
}

TEST_F(Values, OfAUnionInJsonMayNameTheirBranch) {
  const char* idl = R"(enum Kind { NEAR, FAR };
union Reading switch (Kind) { case NEAR: double metres; case FAR: string text; };
struct Test { Reading reading; };
)";
  Channel channel{"/test", "json", std::make_shared<Schema>(Schema{"Test", "omgidl", idl})};
  std::string_view json = R"({"reading":{"$discriminator":"FAR","text":"a"}})";
  Value read = reader_.read({&channel, 0, 0, {}, {}, as_bytes(json)});
  EXPECT_EQ(read.get<std::string>("reading.text"), "a");
}

TEST_F(Values, ThatDoNotFitAreRefusedWithTheirPath) {
  Value value = writer_.make();
  auto refusal = [&](const char* path, const Value& wrong) {
    return test::thrown_by([&] { value.set(path, wrong); }).message();
  };
  EXPECT_EQ(refusal("small", 128), "small: expected int8, got 128");
  EXPECT_EQ(refusal("small", 0.5), "small: expected int8, got 0.5");
  EXPECT_EQ(refusal("state", -1), "state: expected uint8, got -1");
  EXPECT_EQ(refusal("is_on", 1), "is_on: expected a boolean, got 1");
  EXPECT_EQ(refusal("name", "longer"), "name: a text of 6 bytes, and string<=5 holds 5");
  EXPECT_EQ(refusal("fixed", Value::List{1, 2}), "fixed: expected float32[3], got a list of 2");
  EXPECT_EQ(refusal("few", Value::List{1, 2, 3, 4, 5}),
            "few: expected int32[<=4], got a list of 5");
  EXPECT_EQ(refusal("few", Value::List{1, "a"}), "few[1]: expected int32, got \"a\"");
  EXPECT_EQ(refusal("parts", Value::List{Value::structure({{"wrd", 1}})}),
            "parts[0]: no field \"wrd\"; similar: word");
  EXPECT_EQ(refusal("nme", 1), "no field \"nme\"; similar: name");
  EXPECT_EQ(refusal("parts[0].word", 1), "no element \"parts[0]\"; the list has 0");
  EXPECT_EQ(refusal("x.y", 1), "no field \"x.y\": x is 1.5");
  EXPECT_EQ(refusal("a..b", 1), "invalid field path \"a..b\"");
  EXPECT_EQ(test::thrown_by([&] { value.resize("fixed", 2); }).message(),
            "fixed: float32[3] cannot have 2 elements");
}

TEST_F(Values, OfAnotherTypeAreNotConvertedSilently) {
  Value value = writer_.make();
  auto refusal = [&](auto convert) { return test::thrown_by(convert).message(); };
  value.set("x", 1e300);
  EXPECT_EQ(refusal([&] { value.get<int>("x"); }), "expected an integer, got 1e+300");
  value.set("small", -1);
  EXPECT_EQ(refusal([&] { value.get<unsigned>("small"); }), "-1 is not between 0 and 4294967295");
  EXPECT_EQ(refusal([&] { value.get<std::string>("small"); }), "expected a text, got -1");
  EXPECT_EQ(refusal([&] { value.get("parts").numbers(); }),
            "expected a list of numbers, got a list of 0");
  EXPECT_EQ(Value(UINT64_MAX).as<std::uint64_t>(), UINT64_MAX);
  EXPECT_EQ(refusal([&] { Value(UINT64_MAX).as<std::int64_t>(); }),
            "18446744073709551615 is not between -9223372036854775808 and 9223372036854775807");
}

TEST_F(Values, ReferToThePayloadIfItIsKept) {
  Value value = writer_.make();
  value.set("data", std::string(100, 'a'));
  ByteView bytes = writer_.write(value);
  auto payload = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  Message message{&channel_, 0, 0, {}, {}, *payload};
  ByteView copied = reader_.read(message).get("data").numbers().bytes;
  EXPECT_TRUE(copied.data() < payload->data() ||
              copied.data() >= payload->data() + payload->size());
  Value view = reader_.read(message, payload);
  std::weak_ptr<const void> alive = payload;
  payload.reset();
  EXPECT_FALSE(alive.expired());
  EXPECT_EQ(as_text(view.get("data").numbers().bytes), std::string(100, 'a'));
  view = Value();
  EXPECT_TRUE(alive.expired());
}

/// As protobuf has them, if a list is not packed.
TEST_F(Values, OfAListThatComesInPiecesAreAll) {
  TypeBuilder types;
  const Type& list = types.sequence(builtin_type(Kind::uint16));
  TypePtr type = types.finish(list);
  std::array one = {std::byte{1}, std::byte{0}};
  std::array two = {std::byte{2}, std::byte{0}, std::byte{3}, std::byte{0}};
  ValueBuilder builder;
  builder.begin(one, std::make_shared<int>());
  builder.begin_array(list, 3);
  builder.packed(*list.element, one);
  builder.packed(*list.element, two);
  builder.packed(*list.element, one);
  builder.end_array();
  EXPECT_EQ(builder.end(), fit(Value::List{1, 2, 3, 1}, list));
}

TEST_F(Values, OfADamagedPayloadSayWhere) {
  payload_.assign(20, std::byte{1});
  Error error = test::thrown_by([&] { reader_.read({&channel_, 0, 0, {}, {}, payload_}); });
  EXPECT_THAT(error.message(), testing::HasSubstr("/test at 1970-01-01"));
}

TEST_F(Values, WithoutASchemaAreStructuresOfTheirOwn) {
  Channel json{"/json", "json"};
  Value value = Value::structure({{"a", 1}, {"b", Value::List{true, "c", Value()}}});
  Value read = round(json, value);
  EXPECT_EQ(read, value);
  EXPECT_EQ(read.name(1), "b");
  EXPECT_TRUE(read.get("b[2]").is_nothing());
  EXPECT_FALSE(read.find("b[3]"));
  EXPECT_FALSE(read.find("c.d"));
}

TEST_F(Values, OfAChannelThatChangesItsTypeAreOfTheNewOne) {
  auto changing = std::make_unique<Channel>(channel_of("uint8 a\n"));
  std::array payload = {std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0}, std::byte{7}};
  Value first = reader_.read({changing.get(), 0, 0, {}, {}, payload});
  *changing = channel_of("int8 b\n");
  Value second = reader_.read({changing.get(), 0, 0, {}, {}, payload});
  EXPECT_EQ(first.name(0), "a");
  EXPECT_EQ(second.name(0), "b");
}

}  // namespace
}  // namespace kitbag
