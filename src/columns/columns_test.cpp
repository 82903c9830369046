#include "kitbag/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "columns/test_tables.h"
#include "kitbag/error.h"
#include "kitbag/pipeline.h"
#include "kitbag/session.h"
#include "tests/support/arrow_values.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::Bytes;
using test::ListedSource;
using test::Printed;
using test::rows_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ColumnsTest : public ::testing::Test {
 protected:
  std::vector<std::string> rows(ColumnsRequest request) {
    request.on_warning = [this](const Error& warning) { warnings_.push_back(warning.message()); };
    auto table = columns(std::move(source_), request, session_);
    return rows_of(*table);
  }

  Session session_;
  std::unique_ptr<ListedSource> source_ = std::make_unique<ListedSource>();
  std::vector<std::string> warnings_;
};

const char* const kPoses =
    "Pose[] poses\nfloat64[] ranges\nfloat32[3] corner\nstring name\nbool[] flags\n"
    "================================================================================\n"
    "MSG: test/Pose\nPoint position\nstring frame\n"
    "================================================================================\n"
    "MSG: test/Point\nfloat64 x\nint32 y\n";

std::string poses(std::vector<std::pair<double, int>> points, std::vector<double> ranges) {
  Bytes bytes;
  bytes.put(static_cast<std::uint32_t>(points.size()));
  for (auto [x, y] : points) bytes.put(x).put(y).text("f" + std::to_string(y));
  bytes.put(static_cast<std::uint32_t>(ranges.size()));
  for (double range : ranges) bytes.put(range);
  for (float each : {0.5F, 1.5F, 2.5F}) bytes.put(each);
  bytes.text("n").put(2U).put<std::uint8_t>(1).put<std::uint8_t>(0);
  return bytes;
}

TEST_F(ColumnsTest, PathsChooseFields) {
  source_->add_channel("/p", kPoses);
  source_->add(0, 10, poses({{1, 2}, {3, 4}}, {7, 8}));
  source_->add(0, 20, poses({}, {}));
  EXPECT_THAT(
      rows({.fields = {"poses[].position.x", "poses.frame", "ranges[1]", "corner[2]", "name"}}),
      ElementsAre("time=10 topic=/p poses[].position.x=[1,3] poses.frame=[f2,f4] ranges[1]=8 "
                  "corner[2]=2.5 name=n",
                  "time=20 topic=/p poses[].position.x=[] poses.frame=[] ranges[1]=null "
                  "corner[2]=2.5 name=n"));
}

TEST_F(ColumnsTest, ElementsOfStructuresAreDecoded) {
  source_->add_channel("/p", kPoses);
  source_->add(0, 10, poses({{1, 2}, {3, 4}}, {}));
  source_->add(0, 20, poses({{5, 6}}, {}));
  EXPECT_THAT(rows({.fields = {"poses[1].position", "poses[0].frame"}, .has_topic = false}),
              ElementsAre("time=10 poses[1].position={x:3,y:4} poses[0].frame=f2",
                          "time=20 poses[1].position=null poses[0].frame=f6"));
}

TEST_F(ColumnsTest, WithoutPathsStructuresStayStructures) {
  source_->add_channel("/p", kPoses);
  source_->add(0, 10, poses({{1, 2}}, {9}));
  EXPECT_THAT(rows({}), ElementsAre("time=10 topic=/p poses=[{position:{x:1,y:2},frame:f2}] "
                                    "ranges=[9] corner=[0.5,1.5,2.5] name=n flags=[true,false]"));
}

TEST_F(ColumnsTest, AFieldCanBeAskedForTwice) {
  source_->add_channel("/p", kPoses);
  source_->add(0, 10, poses({{1, 2}}, {}));
  EXPECT_THAT(rows({.fields = {"poses", "poses[].position", "poses[].position.y", "poses[0].frame",
                               "poses"},
                    .has_topic = false}),
              ElementsAre("time=10 poses=[{position:{x:1,y:2},frame:f2}] "
                          "poses[].position=[{x:1,y:2}] poses[].position.y=[2] "
                          "poses[0].frame=f2"));
}

const char* const kStamped =
    "Header header\nduration wait\nfloat64 v\n"
    "================================================================================\n"
    "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n";

std::string stamped(std::uint32_t seconds, std::uint32_t nanoseconds, double v) {
  return Bytes().put(1U).put(seconds).put(nanoseconds).text("map").put(-1).put(-5).put(v);
}

TEST_F(ColumnsTest, TimesAreNanoseconds) {
  source_->add_channel("/s", kStamped);
  source_->add(0, 10, stamped(2, 7, 0.5));
  EXPECT_THAT(rows({}), ElementsAre("time=10 topic=/s header={seq:1,stamp:2000000007,frame_id:map} "
                                    "wait=-1000000005 v=0.5"));
}

TEST_F(ColumnsTest, RowsHaveTheTimeThatIsAskedFor) {
  for (RowTime time : {RowTime::log_time, RowTime::publish_time, RowTime::header_stamp}) {
    source_ = std::make_unique<ListedSource>();
    source_->add_channel("/s", kStamped);
    source_->add_channel("/plain", "float64 v\n");
    source_->add(0, 10, stamped(2, 7, 0.5));
    source_->add(1, 20, Bytes().put(1.5));
    std::string first = time == RowTime::log_time       ? "10"
                        : time == RowTime::publish_time ? "11"
                                                        : "2000000007";
    std::string second = time == RowTime::publish_time ? "21" : "20";
    EXPECT_THAT(rows({.fields = {"v"}, .time = time, .has_topic = false}),
                ElementsAre("time=" + first + " v=0.5", "time=" + second + " v=1.5"));
  }
  EXPECT_THAT(warnings_, ElementsAre("/plain has no header.stamp; its times are log times"));
}

TEST_F(ColumnsTest, TopicsShareColumns) {
  source_->add_channel("/a",
                       "int32 n\nstring s\nPart p\n"
                       "========\nMSG: test/Part\nuint8 q\n");
  source_->add_channel("/b",
                       "int64 n\nbool extra\nPart p\n"
                       "========\nMSG: test/Part\nuint8 q\nfloat32 r\n");
  source_->add(0, 1, Bytes().put(5).text("x").put<std::uint8_t>(3));
  source_->add(1, 2, Bytes().put<std::int64_t>(1LL << 40).put(true).put<std::uint8_t>(4).put(0.5F));
  source_->add(0, 3, Bytes().put(6).text("y").put<std::uint8_t>(5));
  EXPECT_THAT(rows({}),
              ElementsAre("time=1 topic=/a n=5 s=x p={q:3,r:null} extra=null",
                          "time=2 topic=/b n=1099511627776 s=null p={q:4,r:0.5} extra=true",
                          "time=3 topic=/a n=6 s=y p={q:5,r:null} extra=null"));
  EXPECT_THAT(warnings_,
              ElementsAre(HasSubstr("the field n of /b"), HasSubstr("the field p of /b")));
}

TEST_F(ColumnsTest, WhatHasNoCommonTypeIsJson) {
  source_->add_channel("/a", "int32 n\n");
  source_->add_channel("/b", "string n\n");
  source_->add(0, 1, Bytes().put(5));
  source_->add(1, 2, Bytes().text("five"));
  EXPECT_THAT(rows({.has_topic = false}), ElementsAre("time=1 n=5", "time=2 n=\"five\""));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("the column is JSON")));
}

TEST_F(ColumnsTest, ColumnsSayThatTheyAreJson) {
  source_->add_channel("/a", "int32 n\nstring text\n");
  source_->add_channel("/b", "string n\nstring text\n");
  auto table = columns(std::move(source_), {.has_topic = false}, session_);
  test::Released<ArrowSchema> schema;
  table->schema(&schema);
  const ArrowSchema& json = *schema->children[1];
  EXPECT_STREQ(json.format, "u");
  ASSERT_NE(json.metadata, nullptr);
  // Pairs of texts, each after its length: how many pairs there are, and the first.
  std::string_view metadata(json.metadata, 42);
  EXPECT_EQ(metadata.substr(8, 20), "ARROW:extension:name");
  EXPECT_EQ(metadata.substr(32, 10), "arrow.json");
  EXPECT_EQ(schema->children[2]->metadata, nullptr);
}

TEST_F(ColumnsTest, NamesOfColumnsDiffer) {
  source_->add_channel("/a", "int32 time\nint32 topic\nint32 time_\n");
  source_->add(0, 1, Bytes().put(5).put(6).put(7));
  EXPECT_THAT(rows({}), ElementsAre("time=1 topic=/a time_=5 topic_=6 time__=7"));
}

TEST_F(ColumnsTest, TopicsWithoutTheFieldsAreLeftOut) {
  source_->add_channel("/a", "int32 n\n");
  source_->add_channel("/b", "int32 m\n");
  source_->add(0, 1, Bytes().put(5));
  source_->add(1, 2, Bytes().put(6));
  EXPECT_THAT(rows({.fields = {"n"}}), ElementsAre("time=1 topic=/a n=5"));
  EXPECT_THAT(warnings_, ElementsAre("/b has none of the fields; the topic is left out"));
}

TEST_F(ColumnsTest, AFieldThatNobodyHasIsAnError) {
  source_->add_channel("/s", kStamped);
  source_->add_channel("/p", kPoses);
  try {
    rows({.fields = {"header.stmp"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.message(), HasSubstr("no selected topic has a field header.stmp; similar "
                                           "fields: header.stamp"));
  }
}

TEST_F(ColumnsTest, InvalidPathsAreErrors) {
  for (const char* path : {"", ".", "a.", ".a", "a..b", "a[", "a[x]", "a]", "[1]", "a[1"}) {
    source_ = std::make_unique<ListedSource>();
    source_->add_channel("/a", "int32 n\n");
    EXPECT_ERROR(invalid, rows({.fields = {path}})) << path;
  }
}

TEST_F(ColumnsTest, DamagedMessagesAreHandledAsAsked) {
  TranscodeReport report;
  for (OnError on_error : {OnError::stop, OnError::skip, OnError::raw}) {
    source_ = std::make_unique<ListedSource>();
    source_->add_channel("/s", kStamped);
    source_->add(0, 1, stamped(2, 7, 0.5));
    source_->add(0, 2, stamped(2, 7, 0.5).substr(0, 17));
    source_->add(0, 3, stamped(2, 7, 1.5));
    ColumnsRequest request;
    request.fields = {"header.frame_id", "v"};
    request.has_topic = false;
    request.on_error = on_error;
    request.report = &report;
    if (on_error == OnError::stop) {
      EXPECT_ERROR(truncated, rows(request));
    } else if (on_error == OnError::skip) {
      EXPECT_THAT(rows(request), ElementsAre("time=1 header.frame_id=map v=0.5",
                                             "time=3 header.frame_id=map v=1.5"));
    } else {
      EXPECT_THAT(rows(request), ElementsAre("time=1 header.frame_id=map v=0.5",
                                             "time=2 header.frame_id=null v=null",
                                             "time=3 header.frame_id=map v=1.5"));
    }
  }
  EXPECT_EQ(report.topics["/s"].skipped, 1U);
  EXPECT_EQ(report.topics["/s"].raw, 1U);
  EXPECT_THAT(report.topics["/s"].first_error, HasSubstr("header.frame_id"));
}

TEST_F(ColumnsTest, TextsAreUtf8) {
  TranscodeReport report;
  source_->add_channel("/t", "string s\n");
  source_->add(0, 1, Bytes().text("a\xff\xc3\xa9"));
  ColumnsRequest request;
  request.has_topic = false;
  request.report = &report;
  EXPECT_THAT(rows(request), ElementsAre("time=1 s=a\xef\xbf\xbd\xc3\xa9"));
  EXPECT_EQ(report.topics["/t"].replaced_texts, 1U);
}

TEST_F(ColumnsTest, BatchesEndWhereTheyShould) {
  source_->add_channel("/t", "uint8[] b\n");
  for (int i = 0; i < 1000; ++i) source_->add(0, i, Bytes().text(std::string(1000, 'x')));
  auto table = columns(std::move(source_), {.batch_rows = 300}, session_);
  std::vector<std::int64_t> lengths;
  for (;;) {
    test::Released<ArrowArray> batch;
    if (!table->next(&batch)) break;
    lengths.push_back(batch->length);
  }
  EXPECT_THAT(lengths, ElementsAre(300, 300, 300, 100));
}

TEST_F(ColumnsTest, ABatchHasRows) {
  source_->add_channel("/t", "string s\n");
  EXPECT_ERROR(invalid, rows({.batch_rows = 0}));
}

TEST_F(ColumnsTest, ABatchOutlivesWhatMadeIt) {
  test::Released<ArrowArray> batch;
  test::Released<ArrowSchema> schema;
  {
    Session session;
    auto source = std::make_unique<ListedSource>();
    source->add_channel("/t", "string s\n");
    source->add(0, 1, Bytes().text("kept"));
    auto table = columns(std::move(source), {}, session);
    table->schema(&schema);
    ASSERT_TRUE(table->next(&batch));
  }
  EXPECT_THAT(Printed(*schema, *batch).rows, ElementsAre("time=1 topic=/t s=kept"));
}

/// Consumers may take a child out of a batch and release the batch.
TEST_F(ColumnsTest, AChildCanBeTakenOut) {
  source_->add_channel("/t", "string s\n");
  source_->add(0, 1, Bytes().text("kept"));
  auto table = columns(std::move(source_), {}, session_);
  test::Released<ArrowArray> child;
  {
    test::Released<ArrowArray> batch;
    ASSERT_TRUE(table->next(&batch));
    *&child = *batch->children[2];
    batch->children[2]->release = nullptr;
  }
  EXPECT_EQ(test::bytes_at(*child, 0), "kept");
}

TEST_F(ColumnsTest, StreamsSayWhatIsWrong) {
  source_->add_channel("/s", kStamped);
  source_->add(0, 1, "short");
  test::Released<ArrowArrayStream> stream;
  to_arrow_stream(columns(std::move(source_), {}, session_), {}, &stream);
  test::Released<ArrowSchema> schema;
  EXPECT_EQ(stream->get_schema(&stream, &schema), 0);
  EXPECT_STREQ(schema->format, "+s");
  test::Released<ArrowArray> batch;
  EXPECT_EQ(stream->get_next(&stream, &batch), EIO);
  EXPECT_THAT(stream->get_last_error(&stream), HasSubstr("/s"));
}

TEST_F(ColumnsTest, StreamsCanBeStopped) {
  source_->add_channel("/t", "string s\n");
  source_->add(0, 1, Bytes().text("x"));
  std::stop_source stop;
  stop.request_stop();
  test::Released<ArrowArrayStream> stream;
  to_arrow_stream(columns(std::move(source_), {}, session_), stop.get_token(), &stream);
  test::Released<ArrowArray> batch;
  EXPECT_EQ(stream->get_next(&stream, &batch), EINTR);
}

TEST_F(ColumnsTest, ABagIsReadOnlyWhereItHasTheFields) {
  auto bag = session_.open("demo://?seconds=2");
  std::vector<std::string> left_out;
  ColumnsRequest request;
  request.fields = {"voltage"};
  request.on_warning = [&](const Error& warning) { left_out.push_back(warning.message()); };
  auto table = columns(*bag, {}, request, session_);
  EXPECT_THAT(rows_of(*table), ElementsAre(HasSubstr("topic=/battery voltage=25.1"),
                                           HasSubstr("topic=/battery voltage=25.1")));
  EXPECT_GT(left_out.size(), 5U);
}

TEST_F(ColumnsTest, AChannelThatComesLaterCannotChangeTheColumns) {
  source_->add_channel("/list", "float64[] v\nint32 n\n");
  ListedSource& source = *source_;
  ColumnsRequest request;
  request.on_warning = [this](const Error& warning) { warnings_.push_back(warning.message()); };
  auto table = columns(std::move(source_), request, session_);
  source.add_channel("/number", "int32 v\nint32 n\n");
  source.add(1, 1, Bytes().put(5).put(6));
  EXPECT_THAT(rows_of(*table), ElementsAre("time=1 topic=/number v=null n=6"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("v of /number (test/Type) has another type")));
}

TEST_F(ColumnsTest, TopicsOfABagAreNoExpressions) {
  source_->add_channel("/a+b", "int32 n\n");
  source_->add_channel("/aab", "int32 m\n");
  source_->add(0, 1, Bytes().put(5));
  auto writer = session_.create("memory://columns_test/plus.mcap");
  run(*source_, *writer, *session_.clock());
  writer->close();
  auto bag = session_.open("memory://columns_test/plus.mcap");
  EXPECT_THAT(rows_of(*columns(*bag, {}, {.fields = {"n"}}, session_)),
              ElementsAre("time=1 topic=/a+b n=5"));
}

}  // namespace
}  // namespace kitbag
