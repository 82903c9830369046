#include "storage/rosbag/old/old_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/session.h"
#include "storage/rosbag/old/test_bag.h"
#include "storage/rosbag/old/v1_2.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::rosbag {
namespace {

using test::thrown_by;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Channel string_channel(const std::string& topic, std::map<std::string, std::string> metadata = {}) {
  metadata.try_emplace("md5sum", kStringMd5);
  auto schema = std::make_shared<Schema>(Schema{"std_msgs/String", "ros1msg", "string data\n"});
  return {topic, "ros1", schema, std::move(metadata), 0};
}

struct WrittenMessage {
  std::uint32_t slot;
  std::uint32_t sec;
  std::string data;
};

/// What a writer of one version makes of channels and messages.
class Writing {
 public:
  explicit Writing(std::string version) { options_.format_version = std::move(version); }

  std::string write(const std::vector<Channel>& channels,
                    const std::vector<WrittenMessage>& messages) {
    warnings.clear();
    options_.on_warning = [this](const Error& e) { warnings.push_back(e.message()); };
    auto table = std::make_shared<Channels>();
    for (const Channel& channel : channels) {
      table->push_back(std::make_shared<Channel>(channel));
      std::const_pointer_cast<Channel>(table->back())->slot =
          static_cast<std::uint32_t>(table->size() - 1);
    }
    auto writer = rosbag_format().create(folder_.path("out.bag"), options_, Session(Registry()));
    Batch batch;
    batch.channels = table;
    for (const WrittenMessage& message : messages) {
      Time time = time_of(message.sec);
      batch.add({(*table)[message.slot].get(), 0, 0, time, time, as_bytes(message.data)});
    }
    writer->write(std::move(batch));
    writer->close();
    return folder_.read("out.bag");
  }
  OldBag bag() const {
    OldBag read;
    read.text(folder_.read("out.bag"));
    return read;
  }
  std::set<std::string> names() const { return folder_.names(); }

  WriteOptions options_;
  std::vector<std::string> warnings;

 private:
  TemporaryFolder folder_;
};

TEST(WriterV1_1, WritesLinesAndNumbers) {
  Writing writing("1.1");
  std::string written = writing.write({string_channel("/a")}, {{0, 5, "xyz"}, {0, 6, ""}});
  OldBag expected;
  expected.text("#ROSRECORD V1.1\n");
  for (auto [sec, data] : {std::pair(5, "xyz"), std::pair(6, "")}) {
    expected.text("/a\n").text(kStringMd5).text("\nstd_msgs/String\n");
    expected.message(static_cast<std::uint32_t>(sec), 0, data);
  }
  EXPECT_EQ(written, as_text(expected.bytes.view()));
  EXPECT_THAT(writing.warnings, ElementsAre("rosbag 1.1 cannot store the following; left "
                                            "out (number of channels): message definitions "
                                            "(1)"));
}

TEST(WriterV1_1, WritesAStarForWhatIsNotKnown) {
  Writing writing("1.1");
  Channel bare{"/a", "ros1", nullptr, {}, 0};
  std::string written = writing.write({bare}, {{0, 5, "x"}});
  EXPECT_THAT(written, HasSubstr("/a\n*\n*\n"));
  EXPECT_THAT(writing.warnings, IsEmpty());
}

TEST(WriterV1_1, CountsWhatItLeavesOut) {
  Writing writing("1.1");
  writing.write(
      {string_channel("/a", {{"callerid", "/x"}, {"mood", "fine"}}),
       string_channel("/b", {{"callerid", "/y"}, {"latching", "1"}}), string_channel("/silent")},
      {{0, 5, "x"}, {1, 6, "y"}});
  EXPECT_THAT(writing.warnings,
              ElementsAre(HasSubstr("channels): callerid (2), channels without messages (1), "
                                    "latching (1), message definitions (3), mood (1)")));
}

TEST(WriterV1_1, RefusesNamesThatAreNoLines) {
  for (const char* topic : {"/a\nb", "/caf\xc3\xa9", "\t"}) {
    Writing writing("1.1");
    Error error = thrown_by([&] { writing.write({string_channel(topic)}, {}); });
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(writing.names(), IsEmpty());
  }
  Channel channel = string_channel("/a");
  channel.schema = std::make_shared<Schema>(Schema{"std_msgs\nString", "ros1msg", ""});
  Writing writing("1.1");
  EXPECT_EQ(thrown_by([&] { writing.write({channel}, {}); }).code(), ErrorCode::unsupported);
  EXPECT_EQ(thrown_by([&] { writing.write({string_channel(std::string(2000, 'a'))}, {}); }).code(),
            ErrorCode::unsupported);
}

TEST(WriterV1_2, WritesTheLateShape) {
  Writing writing("1.2");
  Channel latched = string_channel("/b", {{"callerid", "/x"}, {"latching", "1"}});
  std::string written = writing.write({string_channel("/a"), latched},
                                      {{1, 5, "first"}, {0, 6, "second"}, {1, 7, "third"}});
  OldBag expected;
  expected.text(kLine1_2).file_header_1_2(0);
  std::uint64_t b = expected.definition_1_2("/b", "string data\n");
  expected.message_1_2("/b", 5, "first", {{"callerid", "/x"}, {"latching", "1"}});
  std::uint64_t a = expected.definition_1_2("/a", "string data\n");
  expected.message_1_2("/a", 6, "second");
  std::uint64_t third =
      expected.message_1_2("/b", 7, "third", {{"callerid", "/x"}, {"latching", "1"}});
  std::uint64_t index_pos = expected.bytes.size();
  auto entry = [](std::uint32_t sec, std::uint64_t place) {
    std::string data = OldBag::number(sec);
    data += OldBag::number(std::uint32_t{0});
    data += OldBag::number(place);
    return data;
  };
  auto index = [&](const std::string& topic, std::uint32_t count, const std::string& data) {
    expected.record(Op::index,
                    {{"topic", topic},
                     {"type", "std_msgs/String"},
                     {"ver", OldBag::number(std::uint32_t{0})},
                     {"count", OldBag::number(count)}},
                    data);
  };
  index("/a", 1, entry(6, a));
  index("/b", 2, entry(5, b) + entry(7, third));
  OldBag header;
  header.text(kLine1_2).file_header_1_2(index_pos);
  std::memcpy(expected.bytes.data(), header.bytes.data(), header.bytes.size());
  EXPECT_EQ(written, as_text(expected.bytes.view()));
  EXPECT_EQ(header.bytes.size(), 4120U);
  EXPECT_THAT(writing.warnings, IsEmpty());
  EXPECT_THAT(writing.bag().findings(), IsEmpty());
}

TEST(WriterV1_2, DefinesAgainWhereAMessageIsTheEarliestYet) {
  Writing writing("1.2");
  std::string written =
      writing.write({string_channel("/a")}, {{0, 5, "x"}, {0, 3, "y"}, {0, 4, "z"}});
  std::size_t definitions = 0;
  std::vector<std::size_t> places;
  for (auto at = written.find("def="); at != std::string::npos; at = written.find("def=", at + 1)) {
    places.push_back(at - 8);
    ++definitions;
  }
  ASSERT_EQ(definitions, 2U);
  auto index = written.find("count=");
  std::uint64_t first_place = 0;
  auto data = written.find("ver=", index) + 8 + 4;
  std::memcpy(&first_place, written.data() + data + 8, sizeof(first_place));
  EXPECT_EQ(first_place, places[1]) << "the earliest message is found by its definition";
  OldBag bag = writing.bag();
  EXPECT_THAT(lines_in_file_order(*bag.open_strictly()),
              ElementsAre("/a 5.0 x", "/a 3.0 y", "/a 4.0 z"));
  EXPECT_THAT(bag.findings(), ElementsAre(HasSubstr("2 messages come after later ones")));
}

TEST(WriterV1_2, KeepsTopicsWithoutMessages) {
  Writing writing("1.2");
  writing.write({string_channel("/a"), string_channel("/silent")}, {{0, 5, "x"}});
  OldBag bag = writing.bag();
  BagPtr opened = bag.open_strictly();
  ASSERT_EQ(opened->summary().channels->size(), 2U);
  EXPECT_EQ((*opened->summary().channels)[1]->topic, "/silent");
  EXPECT_THAT(writing.warnings, IsEmpty());
}

TEST(WriterV1_2, CountsWhatItLeavesOut) {
  Writing writing("1.2");
  writing.write({string_channel("/a", {{"callerid", "/x"}, {"mood", "fine"}}),
                 string_channel("/b", {{"md5sum", "*"}, {"mood", "sad"}}),
                 string_channel("/a", {{"callerid", "/silent"}})},
                {{0, 5, "x"}, {1, 6, "y"}});
  EXPECT_THAT(writing.warnings,
              ElementsAre(HasSubstr("channels): channels without messages (1), md5sums, which real "
                                    "rosbag requires (1), mood (2)")));
}

TEST(OldWriters, KeepMd5SumsAndTheirLanguage) {
  for (const char* version : {"1.1", "1.2"}) {
    Writing writing(version);
    writing.write({string_channel("/a")}, {{0, 5, "x"}});
    OldBag bag = writing.bag();
    const Channel kept = *bag.open_strictly()->summary().channels->front();
    EXPECT_EQ(kept.metadata.at("md5sum"), kStringMd5);
    EXPECT_EQ(kept.schema->language, "ros1msg");
  }
}

TEST(OldWriters, RefuseWhatTheyCannotHold) {
  for (const char* version : {"1.1", "1.2"}) {
    Writing writing(version);
    Channel foreign = string_channel("/a");
    foreign.encoding = "cdr";
    EXPECT_EQ(thrown_by([&] { writing.write({foreign}, {}); }).code(), ErrorCode::unsupported);
    writing.options_.compression = "lz4";
    EXPECT_EQ(thrown_by([&] { writing.write({}, {}); }).code(), ErrorCode::invalid);
    writing.options_.compression = "none";
    writing.options_.gpg_key = "*";
    EXPECT_EQ(thrown_by([&] { writing.write({}, {}); }).code(), ErrorCode::invalid);
    EXPECT_THAT(writing.names(), IsEmpty());
  }
  Writing writing("1.0");
  EXPECT_EQ(thrown_by([&] { writing.write({}, {}); }).code(), ErrorCode::invalid);
}

TEST(OldWriters, RefuseTimesOutsideTheirSeconds) {
  for (const char* version : {"1.1", "1.2"}) {
    TemporaryFolder folder;
    WriteOptions options;
    options.format_version = version;
    auto channel = std::make_shared<Channel>(string_channel("/a"));
    auto table = std::make_shared<Channels>(Channels{channel});
    for (std::int64_t sec : {std::int64_t{-1}, std::int64_t{1} << 32}) {
      auto writer = rosbag_format().create(folder.path("out.bag"), options, Session(Registry()));
      Time time = from_ns(sec * 1'000'000'000);
      Batch batch;
      batch.channels = table;
      batch.add({channel.get(), 0, 0, time, time, {}});
      Error error = thrown_by([&] { writer->write(std::move(batch)); });
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
    }
    EXPECT_THAT(folder.names(), IsEmpty());
  }
}

TEST(OldWriters, TakeChannelsThatComeLater) {
  for (const char* version : {"1.1", "1.2"}) {
    TemporaryFolder folder;
    WriteOptions options;
    options.format_version = version;
    auto writer = rosbag_format().create(folder.path("out.bag"), options, Session(Registry()));
    auto table = std::make_shared<Channels>();
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      auto channel = std::make_shared<Channel>(string_channel("/t" + std::to_string(slot)));
      channel->slot = slot;
      table = std::make_shared<Channels>(*table);
      table->push_back(slot == 1 ? nullptr : channel);  // dropped on the way
      Batch batch;
      batch.channels = table;
      if (slot != 1) batch.add({channel.get(), 0, 0, Time(), Time(), as_bytes("x")});
      writer->write(std::move(batch));
    }
    EXPECT_GT(writer->size_bytes(), 0U);
    writer->close();
    OldBag bag;
    bag.text(folder.read("out.bag"));
    EXPECT_THAT(lines_in_file_order(*bag.open_strictly()), ElementsAre("/t0 0.0 x", "/t2 0.0 x"));
  }
}

}  // namespace
}  // namespace kitbag::rosbag
