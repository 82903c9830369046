#include "transport/ros2/services/parameters.h"

#include <gmock/gmock.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"
#include "transport/ros2/messages.h"

namespace kitbag::ros2 {
namespace {

class Ros2Parameters : public testing::Test {
 protected:
  Payload call(const std::string& name, Payload request) {
    for (const Service& service : services_) {
      if (service.name != name) continue;
      WireReader reader(request);
      WireWriter reply;
      service.answer(reader, reply, {});
      return reply.take();
    }
    throw Error(ErrorCode::not_found, name);
  }
  static Payload texts(const std::vector<std::string>& values) {
    WireWriter writer;
    writer.count(values.size());
    for (const std::string& value : values) writer.text(value);
    return writer.take();
  }

  std::vector<Service> services_ = parameter_services({{"use_sim_time", true}});
};

TEST_F(Ros2Parameters, TheyAreListed) {
  WireWriter request;
  request.count(0);
  request.number<std::uint64_t>(0);
  Payload reply = call("list_parameters", request.take());
  WireReader all(reply);
  ASSERT_EQ(all.count(1), 1U);
  EXPECT_EQ(all.text(), "use_sim_time");
  EXPECT_EQ(all.count(1), 0U);
  Payload others = call("list_parameters", texts({"use"}));
  EXPECT_EQ(WireReader(others).count(1), 0U);
}

TEST_F(Ros2Parameters, TheyHaveValuesAndTypes) {
  Payload values = call("get_parameters", texts({"use_sim_time"}));
  WireReader value(values);
  ASSERT_EQ(value.count(1), 1U);
  EXPECT_EQ(value.number<std::uint8_t>(), 1U);
  EXPECT_TRUE(value.flag());
  Payload unknown = call("get_parameters", texts({"use_sim_time", "speed"}));
  EXPECT_EQ(WireReader(unknown).count(1), 0U);
  Payload types = call("get_parameter_types", texts({"speed", "use_sim_time"}));
  WireReader type(types);
  ASSERT_EQ(type.count(1), 2U);
  EXPECT_EQ(type.number<std::uint8_t>(), 0U);
  EXPECT_EQ(type.number<std::uint8_t>(), 1U);
  Payload descriptions = call("describe_parameters", texts({"use_sim_time"}));
  WireReader description(descriptions);
  ASSERT_EQ(description.count(1), 1U);
  EXPECT_EQ(description.text(), "use_sim_time");
}

TEST_F(Ros2Parameters, NobodySetsThem) {
  WireWriter request;
  request.count(1);
  request.text("use_sim_time");
  request.number<std::uint8_t>(9);
  request.flag(false);
  request.number<std::int64_t>(0);
  request.real(0);
  request.text("");
  request.count(0);
  request.count(0);
  request.count(0);
  request.count(0);
  request.count(1);
  request.text("a string");
  Payload wanted = request.take();
  Payload replies = call("set_parameters", wanted);
  WireReader reply(replies);
  ASSERT_EQ(reply.count(1), 1U);
  EXPECT_FALSE(reply.flag());
  EXPECT_THAT(reply.text(), testing::HasSubstr("cannot be set"));
  Payload whole = call("set_parameters_atomically", wanted);
  EXPECT_FALSE(WireReader(whole).flag());
  for (std::size_t size = 4; size < wanted.size(); ++size) {
    Payload cut(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_ERROR(truncated, call("set_parameters", cut)) << size;
  }
}

}  // namespace
}  // namespace kitbag::ros2
