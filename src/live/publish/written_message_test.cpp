#include <gmock/gmock.h>

#include <memory>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/publish_message.h"
#include "kitbag/value.h"
#include "tests/support/manual_clock.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

class WrittenMessageTest : public testing::Test {
 protected:
  WrittenMessage message(const std::string& type, std::vector<std::string> texts) {
    WrittenMessage made;
    made.topic = "/test";
    made.type = type;
    made.texts = std::move(texts);
    made.definitions = {{kStandardDefinitions}};
    return made;
  }
  /// The one message that is due, decoded; nothing if none is.
  Value next(Source& source) {
    Batch batch;
    EXPECT_TRUE(source.read(batch, {{}, clock_->steady()}));
    if (batch.empty()) return {};
    const Message& one = std::as_const(batch).messages().front();
    times_.push_back(one.log_time);
    return reader_.read(one);
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(Time(1000s));
  Session session_{standard_registry(), clock_};
  ValueReader reader_{session_};
  std::vector<Time> times_;
};

TEST_F(WrittenMessageTest, IsGivenOnce) {
  auto source = written_message(message("std_msgs/String", {"data: hello"}), session_);
  ASSERT_EQ(source->channels()->size(), 1U);
  const Channel& channel = *source->channels()->front();
  EXPECT_EQ(channel.topic, "/test");
  EXPECT_EQ(channel.type(), "std_msgs/msg/String");
  EXPECT_EQ(channel.encoding, "cdr");
  EXPECT_FALSE(is_latched(channel));
  EXPECT_EQ(next(*source).get<std::string>("data"), "hello");
  Batch batch;
  EXPECT_FALSE(source->read(batch, {}));
}

TEST_F(WrittenMessageTest, OfRos1IfThatIsPreferred) {
  WrittenMessage written = message("std_msgs/msg/String", {});
  written.encoding = "ros1";
  written.is_latched = true;
  auto source = written_message(written, session_);
  const Channel& channel = *source->channels()->front();
  EXPECT_EQ(channel.encoding, "ros1");
  EXPECT_EQ(channel.type(), "std_msgs/String");
  EXPECT_EQ(channel.metadata.at("md5sum"), "992ce8a1687cec8c8bd883ec73ca41d1");
  EXPECT_TRUE(is_latched(channel));
  EXPECT_EQ(next(*source).get<std::string>("data"), "");
}

TEST_F(WrittenMessageTest, IsGivenAtItsRate) {
  WrittenMessage written = message("std_msgs/Header", {"{stamp: now, frame_id: base}"});
  written.count = 3;
  written.rate_hz = 4;
  auto source = written_message(written, session_);
  EXPECT_EQ(next(*source).get("stamp").nanoseconds(), to_ns(Time(1000s)));
  EXPECT_TRUE(next(*source).is_nothing());
  clock_->advance(250ms);
  EXPECT_EQ(next(*source).get("stamp").nanoseconds(), to_ns(Time(1000s) + 250ms));
  clock_->advance(10s);  // what is late is not made up for
  EXPECT_EQ(next(*source).get<std::string>("frame_id"), "base");
  Batch batch;
  EXPECT_FALSE(source->read(batch, {}));
  EXPECT_THAT(times_, ElementsAre(Time(1000s), Time(1000s) + 250ms, Time(1010s) + 250ms));
}

TEST_F(WrittenMessageTest, AStopEndsTheWait) {
  WrittenMessage written = message("std_msgs/Empty", {});
  written.count = UINT64_MAX;
  auto source = written_message(written, session_);
  EXPECT_TRUE(next(*source).is_structure());
  std::stop_source stop;
  stop.request_stop();
  Batch batch;
  EXPECT_TRUE(source->read(batch, {stop.get_token(), kNever}));
  EXPECT_TRUE(batch.empty());
}

TEST_F(WrittenMessageTest, MistakesAreFoundBeforeAnythingIsSent) {
  EXPECT_ERROR(not_found, written_message(message("std_msgs/Strin", {}), session_));
  EXPECT_ERROR(not_found, written_message(message("../x", {}), session_));
  auto error = test::thrown_by(
      [&] { written_message(message("geometry_msgs/Twist", {"linear: {x: fast}"}), session_); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
  EXPECT_NE(error.message().find("linear.x"), std::string::npos) << error.message();
  WrittenMessage written = message("std_msgs/Empty", {});
  written.rate_hz = 0;
  EXPECT_ERROR(invalid, written_message(written, session_));
}

}  // namespace
}  // namespace kitbag
