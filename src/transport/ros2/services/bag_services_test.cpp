#include "transport/ros2/services/bag_services.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "kitbag/live.h"
#include "kitbag/open.h"
#include "kitbag/session.h"
#include "tests/support/thrown_by.h"
#include "transport/ros2/services/bag_events.h"

namespace kitbag::ros2 {
namespace {

/// Sends nothing.
class NoPublisher final : public Publisher {
 public:
  bool await_subscribers(const Wait&) override { return true; }
  void write(Batch&&) override {}
  void close() override {}
};

class Ros2PlayerServices : public testing::Test {
 protected:
  Ros2PlayerServices() {
    BagPtr bag = session_.open("demo://?seconds=10&seed=7");
    options_.open = [bag](Time) { return bag->read(); };
    options_.begin = bag->summary().start;
    options_.end = bag->summary().end;
    options_.starts_paused = true;
    player_.emplace(options_, std::make_unique<NoPublisher>(), session_.clock());
    services_ = player_services(*player_);
  }

  /// The reply; what the request does not have is missing.
  Payload call(const std::string& name, Payload request = WireWriter().take()) {
    auto service = std::find_if(services_.begin(), services_.end(),
                                [&](const Service& each) { return each.name == name; });
    if (service == services_.end()) throw Error(ErrorCode::not_found, name);
    WireReader reader(request);
    WireWriter reply;
    service->answer(reader, reply, {});
    return reply.take();
  }
  bool flag(const std::string& name, Payload request = WireWriter().take()) {
    Payload reply = call(name, std::move(request));
    return WireReader(reply).flag();
  }
  static Payload numbers(std::initializer_list<std::int32_t> values) {
    WireWriter writer;
    for (std::int32_t value : values) writer.number(value);
    return writer.take();
  }
  double seconds() const {
    return std::chrono::duration<double>(player_->status().position - options_.begin).count();
  }

  Session session_;
  PlayOptions options_;
  std::optional<Player> player_;
  std::vector<Service> services_;
};

TEST_F(Ros2PlayerServices, PauseAndRate) {
  EXPECT_TRUE(flag("is_paused"));
  EXPECT_EQ(call("resume").size(), 4U + 1U) << "every structure has a member";
  EXPECT_FALSE(flag("is_paused"));
  call("toggle_paused");
  EXPECT_TRUE(flag("is_paused"));
  WireWriter rate;
  rate.real(0.5);
  EXPECT_TRUE(flag("set_rate", rate.take()));
  Payload told = call("get_rate");
  EXPECT_EQ(WireReader(told).real(), 0.5);
  WireWriter none;
  none.real(0);
  EXPECT_FALSE(flag("set_rate", none.take()));
}

TEST_F(Ros2PlayerServices, ASeekNeedsATime) {
  auto at = saturating_add(options_.begin, std::chrono::seconds(3)).time_since_epoch();
  auto whole = std::chrono::floor<std::chrono::seconds>(at);
  EXPECT_TRUE(flag("seek", numbers({static_cast<std::int32_t>(whole.count()),
                                    static_cast<std::int32_t>((at - whole).count())})));
  EXPECT_NEAR(seconds(), 3, 1e-6);
  EXPECT_ERROR(truncated, flag("seek"));
  EXPECT_ERROR(truncated, flag("seek", numbers({1})));
}

TEST_F(Ros2PlayerServices, APartOfOlderAndNewerReleases) {
  EXPECT_TRUE(flag("play", numbers({2, 0, 1, 0})));  // without the time until which
  EXPECT_FALSE(flag("is_paused"));
  EXPECT_GE(seconds(), 2);
  EXPECT_FALSE(flag("play", numbers({2, 0, 1, 0, 0, 0}))) << "it is playing";
  call("pause");
  EXPECT_TRUE(flag("play", numbers({4, 0, -1, 0, 0, 0})));
  EXPECT_GE(seconds(), 4);
  EXPECT_ERROR(truncated, flag("play", numbers({4, 0})));
}

TEST_F(Ros2PlayerServices, BurstsOfWhatIsNotPausedSendNothing) {
  call("resume");
  WireWriter count;
  count.number<std::uint64_t>(3);
  Payload sent = call("burst", count.take());
  EXPECT_EQ(WireReader(sent).number<std::uint64_t>(), 0U);
  EXPECT_FALSE(flag("play_next"));
  EXPECT_ERROR(truncated, call("burst"));
}

class NoDiscovery final : public Discovery {
 public:
  bool is_running() const override { return runs_; }
  void run(bool runs) override { runs_ = runs; }

 private:
  bool runs_ = true;
};

TEST(Ros2RecorderServices, TellWhatTheyCannotDo) {
  auto folder =
      std::filesystem::temp_directory_path() / ("kitbag_bag_services_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  {
    Session session;
    RecordOptions options;
    options.from = {"demo://?seconds=1"};
    options.target.path = folder / "x.mcap";
    Recorder recorder(options, session);
    NoDiscovery discovery;
    auto services = recorder_services(recorder, discovery, *session.clock());
    auto call = [&](const std::string& name, Payload request) {
      for (const Service& service : services) {
        if (service.name != name) continue;
        WireReader reader(request);
        WireWriter reply;
        service.answer(reader, reply, {});
        return reply.take();
      }
      throw Error(ErrorCode::not_found, name);
    };
    auto result = [&](const std::string& name, Payload request = WireWriter().take()) {
      Payload reply = call(name, std::move(request));
      WireReader reader(reply);
      auto code = reader.number<std::int32_t>();
      return std::to_string(code) + " " + reader.text();
    };
    EXPECT_THAT(result("split_bagfile"), testing::StartsWith("4 the open file cannot be split"));
    EXPECT_EQ(result("stop"), "1 this recorder cannot stop and begin again");
    EXPECT_EQ(result("start_discovery"), "1 discovery is already running");
    EXPECT_EQ(result("stop_discovery"), "0 ");
    EXPECT_FALSE(discovery.is_running());
    EXPECT_EQ(result("start_discovery"), "0 ");
    auto moment = [](std::int32_t mode) {
      WireWriter later;
      later.number<std::int32_t>(INT32_MAX);
      later.number<std::uint32_t>(0);
      later.number<std::int32_t>(mode);
      later.text("/imu");
      return later.take();
    };
    EXPECT_THAT(result("split_bagfile", moment(1)), testing::StartsWith("4 the open file cannot"));
    EXPECT_EQ(result("resume", moment(3)), "2 there is no mode 3");
    EXPECT_EQ(result("resume", moment(2)), "0 ");
    EXPECT_EQ(result("resume"), "0 ");
    Payload snapshot = call("snapshot", WireWriter().take());
    EXPECT_FALSE(WireReader(snapshot).flag());
  }
  std::filesystem::remove_all(folder);
}

TEST(Ros2BagEvents, SplitsHaveAbsolutePaths) {
  Payload event = split_event({"/a/x_0.mcap", "x_1.mcap"}, "/recorder");
  WireReader reader(event);
  EXPECT_EQ(reader.text(), "/a/x_0.mcap");
  EXPECT_EQ(reader.text(), std::filesystem::absolute("x_1.mcap"));
  EXPECT_EQ(reader.text(), "/recorder");
  Payload end = split_event({"s3://bags/x", ""}, "/recorder");
  WireReader last(end);
  EXPECT_EQ(last.text(), "s3://bags/x");
  EXPECT_EQ(last.text(), "");
  EXPECT_EQ(last.text(), "/recorder");
}

TEST(Ros2BagEvents, LossesAreToldOnce) {
  Feed feed(2 * (1000 + sizeof(Message)), OnFull::drop_newest, system_clock());
  ChannelPtr a = feed.add({.topic = "/a", .encoding = "cdr"});
  ChannelPtr b = feed.add({.topic = "/b", .encoding = "cdr"});
  LostMessages lost;
  EXPECT_FALSE(lost.next(feed, "/recorder"));
  std::vector<std::byte> data(1000);
  for (int i = 0; i < 5; ++i) feed.push({a.get(), 0, 0, Time{}, Time{}, data});
  feed.count_lost(*b, 7);
  auto event = lost.next(feed, "/recorder");
  ASSERT_TRUE(event);
  WireReader reader(*event);
  EXPECT_EQ(reader.text(), "/recorder");
  ASSERT_EQ(reader.count(1), 2U);
  EXPECT_EQ(reader.text(), "/a");
  EXPECT_EQ(reader.number<std::uint64_t>(), 0U);
  EXPECT_EQ(reader.number<std::uint64_t>(), feed.dropped()[a->slot]);
  EXPECT_GT(feed.dropped()[a->slot], 0U);
  EXPECT_EQ(reader.text(), "/b");
  EXPECT_EQ(reader.number<std::uint64_t>(), 7U);
  EXPECT_EQ(reader.number<std::uint64_t>(), 0U);
  EXPECT_FALSE(lost.next(feed, "/recorder"));
}

}  // namespace
}  // namespace kitbag::ros2
