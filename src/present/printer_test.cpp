#include <gmock/gmock.h>

#include "kitbag/print.h"
#include "present/base64.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Base64, MatchesTheVectorsOfTheStandard) {
  EXPECT_EQ(base64(as_bytes("")), "");
  EXPECT_EQ(base64(as_bytes("f")), "Zg==");
  EXPECT_EQ(base64(as_bytes("fo")), "Zm8=");
  EXPECT_EQ(base64(as_bytes("foo")), "Zm9v");
  EXPECT_EQ(base64(as_bytes("foob")), "Zm9vYg==");
  EXPECT_EQ(base64(as_bytes("fooba")), "Zm9vYmE=");
  EXPECT_EQ(base64(as_bytes("foobar")), "Zm9vYmFy");
  EXPECT_EQ(base64(as_bytes("\xff\xff\xfe")), "///+");
}

/// Messages of a text and a number, or of what only looks like it.
class PrinterTest : public ::testing::Test {
 protected:
  PrinterTest() {
    channel_->topic = "/chat\"ter";
    channel_->encoding = "ros1";
    channel_->schema =
        std::make_shared<const Schema>(Schema{"pkg/T", "ros1msg", "string text\nuint16 number\n"});
  }

  Message message(std::string_view payload) const {
    return {channel_.get(),   7, 0, from_ns(1'500'000'000'000'000'001), from_ns(5),
            as_bytes(payload)};
  }
  std::string printed(const PrintOptions& options, const std::vector<std::string>& payloads) {
    std::string text;
    auto sink = printer(options, {[&](std::string_view more) { text += more; }}, report_, session_);
    Batch batch;
    for (const std::string& payload : payloads) batch.add(message(payload));
    sink->write(std::move(batch));
    sink->close();
    return text;
  }

  static inline const std::string kPayload{"\2\0\0\0=x\1\2", 8};
  static inline const std::string kShort{"\2\0\0\0=", 5};
  Session session_;
  std::shared_ptr<Channel> channel_ = std::make_shared<Channel>();
  TranscodeReport report_;
};

TEST_F(PrinterTest, AMessageAsJson) {
  EXPECT_EQ(to_json(message(kPayload), session_),
            R"({"topic":"/chat\"ter","type":"pkg/T","log_time_ns":1500000000000000001,)"
            R"("publish_time_ns":5,"sequence":7,"size":8,"data":{"text":"=x","number":513}})");
  EXPECT_THAT(to_json(message(kShort), session_),
              HasSubstr(R"("size":5,"data_base64":"AgAAAD0=")"));
  PrintOptions some;
  some.fields = {"number"};
  EXPECT_THAT(to_json(message(kPayload), session_, some), HasSubstr(R"("data":{"number":513}})"));
  some.on_error = OnError::stop;
  EXPECT_EQ(test::thrown_by([&] { to_json(message(kShort), session_, some); }).code(),
            ErrorCode::truncated);
}

TEST_F(PrinterTest, WhatCannotBeDecodedIsCountedAndLeavesNothingBehind) {
  for (PrintFormat format : {PrintFormat::json, PrintFormat::yaml, PrintFormat::csv}) {
    report_ = {};
    PrintOptions options;
    options.format = format;
    std::string whole = printed(options, {kPayload, kPayload});
    EXPECT_EQ(printed(options, {kPayload, kShort, kPayload}), whole);
    EXPECT_EQ(report_.topics.at(channel_->topic).skipped, 1U);
  }
}

TEST_F(PrinterTest, WhatCameBeforeAnErrorIsPrinted) {
  PrintOptions options;
  options.on_error = OnError::stop;
  std::string text;
  auto sink = printer(options, {[&](std::string_view more) { text += more; }}, report_, session_);
  Batch batch;
  batch.add(message(kPayload));
  batch.add(message(kShort));
  EXPECT_ERROR(truncated, sink->write(std::move(batch)));
  EXPECT_EQ(text, to_json(message(kPayload), session_) + "\n");
}

TEST_F(PrinterTest, CsvHasAColumnForEachField) {
  PrintOptions options;
  options.format = PrintFormat::csv;
  EXPECT_EQ(printed(options, {kPayload}),
            "log_time_ns,publish_time_ns,topic,text,number\n"
            "1500000000000000001,5,\"/chat\"\"ter\",=x,513\n");
  options.escapes_formulas = true;
  EXPECT_THAT(printed(options, {kPayload}), HasSubstr(",'=x,513\n"));
}

TEST_F(PrinterTest, CsvHasItsColumnNamesIfTheFirstMessageCannotBeDecoded) {
  PrintOptions options;
  options.format = PrintFormat::csv;
  for (const char* field : {"", "number"}) {
    if (*field) options.fields = {field};
    EXPECT_EQ(printed(options, {kShort, kShort, kPayload, kPayload}),
              printed(options, {kPayload, kPayload}));
  }
}

TEST_F(PrinterTest, CsvSaysWhichTopicHasTheColumns) {
  auto other = std::make_shared<Channel>(*channel_);
  other->topic = "/other";
  other->schema = std::make_shared<const Schema>(Schema{"pkg/Other", "ros1msg", "uint8 a\n"});
  other->slot = 1;
  PrintOptions options;
  options.format = PrintFormat::csv;
  std::string text;
  auto sink = printer(options, {[&](std::string_view more) { text += more; }}, report_, session_);
  Message strange = message("\1");
  strange.channel = other.get();
  Batch batch;
  for (const Message& each : {message(kPayload), strange, strange}) batch.add(each);
  sink->write(std::move(batch));
  sink->close();
  EXPECT_EQ(text, printed(options, {kPayload}));
  EXPECT_EQ(report_.topics.at("/other").skipped, 2U);
  EXPECT_EQ(report_.topics.at("/other").columns_of, channel_->topic);
  EXPECT_FALSE(report_.topics.contains(channel_->topic));
}

TEST_F(PrinterTest, IntegersOf64BitsAreStringsIfAskedFor) {
  channel_->schema = std::make_shared<const Schema>(
      Schema{"pkg/T", "ros1msg", "int64 a\nuint64[2] b\nint32 c\nduration d\n"});
  std::string payload(8, '\xff');
  payload += std::string(16, '\1') + std::string("\5\0\0\0", 4) + std::string(8, '\0');
  PrintOptions options;
  EXPECT_THAT(printed(options, {payload}), HasSubstr(R"("a":-1,"b":[72340172838076673,)"));
  options.quotes_int64 = true;
  for (PrintFormat format :
       {PrintFormat::json, PrintFormat::flat_json, PrintFormat::flat_json_lines}) {
    options.format = format;
    EXPECT_THAT(printed(options, {payload}),
                HasSubstr(R"("a":"-1","b":["72340172838076673","72340172838076673"],"c":5,)"
                          R"("d":{"sec":0,"nsec":0})"));
  }
  options.format = PrintFormat::csv;
  EXPECT_THAT(printed(options, {payload}), HasSubstr(",-1,72340172838076673,"));
}

TEST_F(PrinterTest, FlatJsonIsElementsOrLines) {
  PrintOptions options;
  options.format = PrintFormat::flat_json;
  std::string object = printed(options, {kPayload});
  EXPECT_EQ(object,
            R"({"topic":"/chat\"ter","text":"=x","number":513,"__stamp":1500000000.000000001,)"
            R"("__latched":false})");
  EXPECT_EQ(printed(options, {kPayload, kPayload}), object + ",\n" + object);
  options.format = PrintFormat::flat_json_lines;
  EXPECT_EQ(printed(options, {kPayload, kPayload}), object + "\n" + object + "\n");
}

TEST_F(PrinterTest, YamlIsADocumentForEachMessage) {
  PrintOptions options;
  options.format = PrintFormat::yaml;
  std::string text = printed(options, {kPayload});
  EXPECT_THAT(text, StartsWith("topic: \"/chat\\\"ter\"\n"));
  EXPECT_THAT(text, HasSubstr("data:\n  text: \"=x\"\n  number: 513\n---\n"));
}

TEST_F(PrinterTest, RawIsThePayloadsAndHasNoFields) {
  PrintOptions options;
  options.format = PrintFormat::raw;
  EXPECT_EQ(printed(options, {kPayload, kShort}), kPayload + kShort);
  options.is_for_terminal = true;
  EXPECT_EQ(printed(options, {"a\x1b[2Jb"}), "a\\x1b[2Jb");
  options.fields = {"text"};
  EXPECT_EQ(test::thrown_by([&] { printed(options, {}); }).code(), ErrorCode::invalid);
}

}  // namespace
}  // namespace kitbag
