#include "kitbag/field.h"

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <thread>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/struct_writer.h"
#include "kitbag/transcode.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {

enum class Gear : std::uint8_t { park = 0, drive = 3 };

struct Point {
  double x = 0;
  float y = 0;
  bool operator==(const Point&) const = default;
};

struct Pose {
  Time stamp{};
  Duration age{};
  Point point;
  std::string name;
  bool is_on = false;
  Gear gear = Gear::park;
  std::int8_t small = 0;
  std::uint64_t large = 0;
  std::vector<std::byte> data;
  std::vector<float> ranges;
  std::array<double, 3> fixed{};
  std::vector<Point> points;
  std::vector<std::string> words;
  std::vector<bool> bits;
  bool operator==(const Pose&) const = default;
};

template <>
struct Describe<Point> {
  static constexpr std::string_view name = "my_msgs/Point";
  static constexpr std::tuple fields{Member{"x", &Point::x}, Member{"y", &Point::y}};
};

template <>
struct Describe<Pose> {
  static constexpr std::string_view name = "my_msgs/Pose";
  static constexpr std::tuple fields{Member{"stamp", &Pose::stamp}, Member{"age", &Pose::age},
                                     Member{"point", &Pose::point}, Member{"name", &Pose::name},
                                     Member{"is_on", &Pose::is_on}, Member{"gear", &Pose::gear},
                                     Member{"small", &Pose::small}, Member{"large", &Pose::large},
                                     Member{"data", &Pose::data},   Member{"ranges", &Pose::ranges},
                                     Member{"fixed", &Pose::fixed}, Member{"points", &Pose::points},
                                     Member{"words", &Pose::words}, Member{"bits", &Pose::bits}};
};

/// A part of a Pose, under names of its own.
struct Part {
  Point point;
  std::optional<std::string> name;
};

template <>
struct Describe<Part> {
  static constexpr std::string_view name = "other/Part";
  static constexpr std::tuple fields{Member{"name", &Part::name}, Member{"point", &Part::point}};
};

/// A header as ROS 2 has it.
struct Header {
  Time stamp{};
  std::string frame_id;
  bool operator==(const Header&) const = default;
};
struct Stamped {
  Header header;
  std::uint8_t data = 0;
  bool operator==(const Stamped&) const = default;
};
template <>
struct Describe<Header> {
  static constexpr std::string_view name = "std_msgs/Header";
  static constexpr std::tuple fields{Member{"stamp", &Header::stamp},
                                     Member{"frame_id", &Header::frame_id}};
};
template <>
struct Describe<Stamped> {
  static constexpr std::string_view name = "my_msgs/Stamped";
  static constexpr std::tuple fields{Member{"header", &Stamped::header},
                                     Member{"data", &Stamped::data}};
};

namespace {

using test::thrown_by;
using testing::ElementsAre;
using testing::HasSubstr;

Pose some_pose() {
  return {.stamp = from_ns(1'700'000'000'000'000'001),
          .age = std::chrono::nanoseconds(-5),
          .point = {1.5, -2.25F},
          .name = "robot",
          .is_on = true,
          .gear = Gear::drive,
          .small = -3,
          .large = 1ULL << 60,
          .data = {std::byte{1}, std::byte{255}},
          .ranges = {0.5F, 2.0F, 8.0F},
          .fixed = {1, 2, 3},
          .points = {{1, 2}, {3, 4}},
          .words = {"a", "", "c"},
          .bits = {true, false}};
}

class Fields : public testing::TestWithParam<std::string> {
 protected:
  template <class T>
  void write(const std::string& path, const std::vector<T>& messages) {
    StructWriter writer(session_.create(path), GetParam(), session_);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      writer.write("/pose", from_ns(static_cast<std::int64_t>(i)), messages[i]);
    }
    writer.close();
  }

  TemporaryFolder folder_;
  Session session_;
};

TEST_P(Fields, OfStructsComeBack) {
  std::string path = folder_.path("x.mcap");
  Pose empty;
  write<Pose>(path, {some_pose(), empty});
  std::vector<Pose> read;
  for (const Message& message : session_.open(path)->messages()) {
    read.push_back(message.as<Pose>());
  }
  EXPECT_THAT(read, ElementsAre(some_pose(), empty));
}

TEST_P(Fields, AreOfTheTypesOfCxx) {
  std::string path = folder_.path("x.mcap");
  write<Pose>(path, {some_pose(), some_pose()});
  std::size_t count = 0;
  auto bag = session_.open(path);
  for (const Message& m : bag->messages({.topics = {"/pose"}})) {
    ++count;
    EXPECT_EQ(m.field<double>("point.x"), 1.5);
    EXPECT_EQ(m.field<float>("point.y"), -2.25F);
    EXPECT_EQ(m.field<std::string>("name"), "robot");
    EXPECT_TRUE(m.field<bool>("is_on"));
    EXPECT_EQ(m.field<int>("small"), -3);
    EXPECT_EQ(m.field<double>("small"), -3);
    EXPECT_EQ(m.field<std::uint64_t>("large"), 1ULL << 60);
    EXPECT_EQ(m.field<Gear>("gear"), Gear::drive);
    EXPECT_EQ(m.field<Time>("stamp"), some_pose().stamp);
    EXPECT_EQ(m.field<std::int64_t>("stamp"), 1'700'000'000'000'000'001);
    EXPECT_EQ(m.field<Duration>("age"), std::chrono::nanoseconds(-5));
    EXPECT_THAT(m.field<std::vector<float>>("ranges"), ElementsAre(0.5F, 2.0F, 8.0F));
    EXPECT_THAT(m.field<std::vector<double>>("ranges"), ElementsAre(0.5, 2, 8));
    EXPECT_THAT((m.field<std::array<double, 3>>("fixed")), ElementsAre(1, 2, 3));
    EXPECT_THAT(m.field<std::vector<int>>("data"), ElementsAre(1, 255));
    EXPECT_EQ(m.field<std::vector<std::byte>>("data"), some_pose().data);
    EXPECT_THAT(m.field<std::vector<std::string>>("words"), ElementsAre("a", "", "c"));
    EXPECT_THAT(m.field<std::vector<bool>>("bits"), ElementsAre(true, false));
    EXPECT_EQ(m.field<double>("ranges[2]"), 8);
    EXPECT_EQ(m.field<double>("points[1].x"), 3);
    EXPECT_EQ(m.field<Point>("points[0]"), (Point{1, 2}));
    EXPECT_EQ(m.field<Value>("point").get<double>("x"), 1.5);
    EXPECT_EQ(m.as<Part>().point, (Point{1.5, -2.25F}));
    EXPECT_EQ(m.as<Part>().name, "robot");
  }
  EXPECT_EQ(count, 2);
}

TEST_P(Fields, ThatDoNotFitAreErrors) {
  std::string path = folder_.path("x.mcap");
  write<Pose>(path, {some_pose()});
  auto bag = session_.open(path);
  for (const Message& m : bag->messages()) {
    Error unknown = thrown_by([&] { m.field<double>("point.z"); });
    EXPECT_EQ(unknown.code(), ErrorCode::not_found);
    EXPECT_EQ(unknown.message(), "/pose: no field \"point.z\"; fields: x, y");
    EXPECT_THAT(thrown_by([&] { m.field<double>("rangs"); }).message(),
                HasSubstr("no field \"rangs\"; similar: ranges"));
    EXPECT_EQ(thrown_by([&] { m.field<double>("ranges[3]"); }).message(),
              "/pose: no element \"ranges[3]\"; the list has 3");
    EXPECT_EQ(thrown_by([&] { m.field<double>("fixed[3]"); }).code(), ErrorCode::not_found);
    EXPECT_EQ(thrown_by([&] { m.field<double>("a..b"); }).code(), ErrorCode::invalid);
    Error wrong = thrown_by([&] { m.field<int>("point.x"); });
    EXPECT_EQ(wrong.code(), ErrorCode::invalid);
    EXPECT_EQ(wrong.message(), "/pose: point.x: expected an integer, got 1.5");
    EXPECT_EQ(thrown_by([&] { m.field<std::int8_t>("large"); }).code(), ErrorCode::invalid);
    EXPECT_EQ(thrown_by([&] { m.field<std::string>("point"); }).code(), ErrorCode::invalid);
    EXPECT_EQ(thrown_by([&] { m.field<std::vector<double>>("name"); }).code(), ErrorCode::invalid);
    EXPECT_THAT(thrown_by([&] { m.field<std::array<double, 2>>("fixed"); }).message(),
                HasSubstr("expected a list of 2, got one of 3"));
    EXPECT_THAT(thrown_by([&] { m.as<Stamped>(); }).message(), HasSubstr("no field \"header\""));
  }
}

TEST_P(Fields, AreReadOfManyChannels) {
  std::string first = folder_.path("a.mcap");
  std::string second = folder_.path("b.mcap");
  write<Pose>(first, {some_pose()});
  write<Point>(second, {{7, 8}});
  FieldReader<double> x("point.x");
  FieldReader<std::span<const float>> ranges("ranges");
  FieldReader<double> plain("x");
  for (int round = 0; round < 3; ++round) {  // channels come and go
    for (const Message& m : session_.open(first)->messages()) {
      EXPECT_EQ(x(m), 1.5);
      EXPECT_THAT(ranges(m), ElementsAre(0.5F, 2.0F, 8.0F));
      EXPECT_EQ(thrown_by([&] { plain(m); }).code(), ErrorCode::not_found);
    }
    for (const Message& m : session_.open(second)->messages()) {
      EXPECT_EQ(plain(m), 7);
      EXPECT_EQ(thrown_by([&] { x(m); }).code(), ErrorCode::not_found);
    }
  }
}

TEST_P(Fields, AreReadFromAnyThread) {
  std::string path = folder_.path("x.mcap");
  write<Pose>(path, std::vector<Pose>(100, some_pose()));
  auto bag = session_.open(path);
  std::atomic<int> right = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (const Message& m : bag->messages()) {
        right += m.field<double>("point.x") == 1.5 && m.field<std::string>("name") == "robot" &&
                 m.field<Value>("point").get<double>("x") == 1.5;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, 400);
}

INSTANTIATE_TEST_SUITE_P(, Fields, testing::Values("ros1", "cdr", "protobuf", "json"),
                         [](const auto& instance) { return instance.param; });

TEST(StructWriter, WritesDefinitionsThatOthersRead) {
  TemporaryFolder folder;
  Session session;
  std::string path = folder.path("x.bag");
  StructWriter writer(session.create(path), "ros1", session);
  Stamped stamped{{from_ns(1'000'000'002), "map"}, 7};
  writer.write("/stamped", from_ns(5), stamped);
  EXPECT_THAT(thrown_by([&] { writer.write("/stamped", from_ns(6), Point()); }).message(),
              HasSubstr("/stamped has messages of another struct"));
  writer.close();
  auto bag = session.open(path);
  const Channel& channel = *bag->summary().channels->front();
  EXPECT_EQ(channel.type(), "my_msgs/Stamped");
  EXPECT_THAT(channel.schema->text, HasSubstr("Header header\nuint8 data\n"));
  EXPECT_EQ(channel.metadata.at("md5sum").size(), 32);
  for (const Message& m : bag->messages()) {
    EXPECT_EQ(m.data.size(), 4 + 8 + 4 + 3 + 1);  // with the counter that ROS 1 has
    EXPECT_EQ(m.field<int>("header.seq"), 0);
    EXPECT_EQ(m.as<Stamped>(), stamped);
  }
}

TEST(StructWriter, RefusesWhatAnEncodingCannotHold) {
  TemporaryFolder folder;
  Session session;
  StructWriter unknown(session.create(folder.path("x.mcap")), "xml", session);
  EXPECT_THAT(thrown_by([&] { unknown.write("/a", from_ns(1), Point()); }).message(),
              HasSubstr("unknown encoding \"xml\""));
  StructWriter ros1(session.create(folder.path("y.mcap")), "ros1", session);
  Stamped early{{from_ns(-1), "map"}, 7};
  EXPECT_EQ(thrown_by([&] { ros1.write("/a", from_ns(1), early); }).code(), ErrorCode::invalid);
}

TEST(FieldValue, OfMessagesWithoutASessionIsDecodedByTheBuiltInParts) {
  Channel channel{"/a", "json"};
  Message message{&channel, 0, 0, {}, {}, as_bytes(std::string_view(R"({"a":{"b":[1,2.5]}})"))};
  EXPECT_EQ(message.field<double>("a.b[1]"), 2.5);
  EXPECT_EQ(message.field<std::optional<int>>("a.b[0]"), 1);
  Channel opaque{"/b", "pcap"};
  message.channel = &opaque;
  EXPECT_THAT(thrown_by([&] { message.field<int>("a"); }).message(),
              HasSubstr("/b: no definition of its type"));
}

}  // namespace
}  // namespace kitbag
