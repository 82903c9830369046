#include "storage/rosbag/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/local/write_file.h"
#include "kitbag/file.h"
#include "kitbag/file_system.h"
#include "kitbag/session.h"
#include "storage/rosbag/test_bag.h"
#include "tests/support/stopping_file.h"
#include "tests/support/thrown_by.h"

namespace kitbag::rosbag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A file in memory whose appends fail from a given size on.
class FailingFile final : public WriteFile {
 public:
  explicit FailingFile(std::uint64_t limit) : limit_(limit) {}
  std::uint64_t size() const override { return size_; }
  void append(std::span<const ByteView> pieces) override {
    for (ByteView piece : pieces) size_ += piece.size();
    if (size_ > limit_) throw Error(ErrorCode::io, "no space left on device", "full.bag");
  }
  void rewrite(std::uint64_t, ByteView) override {}
  void flush() override {}
  void sync() override {}
  void commit() override {}

 private:
  std::uint64_t limit_;
  std::uint64_t size_ = 0;
};

ChannelsPtr one_channel(std::string encoding = "ros1") {
  auto channel = std::make_shared<Channel>();
  channel->topic = "/a";
  channel->encoding = std::move(encoding);
  channel->schema = std::make_shared<Schema>(Schema{"std_msgs/String", "ros1msg", "string data\n"});
  return std::make_shared<Channels>(Channels{channel});
}

Batch one_message(const ChannelsPtr& channels, Time time, std::string_view data) {
  Batch batch;
  batch.channels = channels;
  batch.add({(*channels)[0].get(), 0, 0, time, time, as_bytes(data)});
  return batch;
}

TEST(RosbagWriter, FailuresAreSticky) {
  auto channels = one_channel();
  BagWriter writer(std::make_unique<FailingFile>(6'000), "full.bag", {.chunk_bytes = 500});
  std::string data(400, 'x');
  auto write_all = [&] {
    for (int i = 0; i < 100; ++i) writer.write(one_message(channels, from_ns(i), data));
  };
  EXPECT_ERROR(io, write_all());
  EXPECT_ERROR(io, writer.write(one_message(channels, from_ns(1), "")));
  EXPECT_ERROR(io, writer.flush());
  EXPECT_ERROR(io, writer.close());
}

TEST(RosbagWriter, AReaderIsStoppedWithinAChunkAndGoesOn) {
  for (const char* compression : {"lz4", "bz2"}) {
    SCOPED_TRACE(compression);
    FileSystemPtr files = memory_file_system();
    BagWriter writer(files->create("x.bag", {}), "x.bag", {.compression = compression});
    auto channels = one_channel();
    for (int i = 0; i < 500; ++i) writer.write(one_message(channels, from_ns(i), "all the same"));
    writer.close();
    Input input = {"x.bag", std::vector<std::byte>(Input::kHeadBytes), files->open("x.bag")};
    input.head.resize(input.file->read(0, input.head));
    check_stop_within_a_chunk(rosbag_format(), std::move(input), 500);
  }
}

TEST(RosbagWriter, RefusesTimesThatDoNotFit) {
  for (Time time : {from_ns(-1), from_ns(5'000'000'000'000'000'000)}) {
    BagWriter writer(std::make_unique<FailingFile>(UINT64_MAX), "x.bag", {});
    EXPECT_ERROR(unsupported, writer.write(one_message(one_channel(), time, "")));
  }
}

/// The bytes of a bag of two channels and no messages, written to a file and read again.
BagPtr rewritten(const Channel& a, const Channel& b, std::vector<std::string>& warnings) {
  std::string path = ::testing::TempDir() + "kitbag_encodings_test.bag";
  auto channels = std::make_shared<Channels>(
      Channels{std::make_shared<Channel>(a), std::make_shared<Channel>(b)});
  std::const_pointer_cast<Channel>((*channels)[1])->slot = 1;
  WriteOptions options;
  options.on_warning = [&](const Error& warning) { warnings.emplace_back(warning.message()); };
  BagWriter writer(create_file(path), path, options);
  Batch batch;
  batch.channels = channels;
  writer.write(std::move(batch));
  writer.close();
  auto file = open_file(path);
  std::vector<std::byte> head(static_cast<std::size_t>(file->size()));
  head.resize(file->read(0, head));
  BagPtr bag = rosbag_format().open({path, head, file}, {}, Session(Registry()));
  std::remove(path.c_str());
  return bag;
}

TEST(RosbagWriter, KeepsOtherEncodingsInFieldsOfItsOwnAndWarns) {
  Channel cdr{"/a", "cdr", nullptr, {{"md5sum", "*"}}};
  cdr.schema = std::make_shared<Schema>(Schema{"std_msgs/msg/String", "ros2msg", "string data\n"});
  Channel json{"/b", "json", nullptr, {{"md5sum", "*"}}};
  std::vector<std::string> warnings;
  BagPtr bag = rewritten(cdr, json, warnings);
  ASSERT_EQ(bag->summary().channels->size(), 2U);
  EXPECT_TRUE(same_content(*bag->summary().channels->at(0), cdr));
  EXPECT_TRUE(same_content(*bag->summary().channels->at(1), json));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("other encodings than ROS 1's, on 2 channels")));
}

TEST(RosbagWriter, KeepsATypeWithoutADefinition) {
  auto schema = std::make_shared<Schema>(Schema{"std_msgs/String", "", ""});
  Channel typed{"/a", "ros1", schema, {{"md5sum", "*"}}};
  Channel untyped{"/b", "ros1", nullptr, {{"md5sum", "*"}}};
  std::vector<std::string> warnings;
  BagPtr bag = rewritten(typed, untyped, warnings);
  EXPECT_TRUE(same_content(*bag->summary().channels->at(0), typed));
  EXPECT_TRUE(same_content(*bag->summary().channels->at(1), untyped));
}

TEST(RosbagWriter, RefusesASecondEncodingOnATopic) {
  Channel ros1 = *one_channel()->front();
  Channel cdr = *one_channel("cdr")->front();
  std::vector<std::string> warnings;
  try {
    rewritten(ros1, cdr, warnings);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid);
    EXPECT_THAT(error.what(), HasSubstr("topic /a has messages in two encodings, ros1 and cdr"));
  }
}

TEST(RosbagWriter, TellsOfExtrasAndNumbersThatItCannotHold) {
  std::vector<std::string> warnings;
  WriteOptions options;
  options.on_warning = [&](const Error& warning) { warnings.emplace_back(warning.message()); };
  BagWriter writer(std::make_unique<FailingFile>(UINT64_MAX), "x.bag", options);
  ChannelsPtr channels = one_channel();
  Batch batch;
  batch.channels = channels;
  batch.extras.push_back(Metadata{"more than the header holds", {{"a", std::string(4096, 'x')}}});
  batch.extras.push_back(Metadata{"this has room", {}});
  batch.extras.push_back(Attachment{});
  batch.add({channels->front().get(), 3, 0, from_ns(5), from_ns(4), {}});
  writer.write(std::move(batch));
  writer.close();
  EXPECT_THAT(warnings,
              ElementsAre("rosbag 2.0 cannot store the following; left out: 1 attachment, "
                          "1 metadata record, 1 publish time, 1 sequence number"));
}

/// Appends a message to `bytes` through files; what comes out.
std::vector<std::string> appended(const Buffer& bytes, const std::string& topic) {
  std::string path = ::testing::TempDir() + "kitbag_append_test.bag";
  {
    auto file = create_file(path);
    file->append(bytes.view());
    file->commit();
  }
  auto channel = std::make_shared<Channel>(*(*one_channel())[0]);
  channel->topic = topic;
  channel->metadata["md5sum"] = "992ce8a1687cec8c8bd883ec73ca41d1";
  auto channels = std::make_shared<Channels>(Channels{channel});
  auto writer = rosbag_format().append(path, {}, Session(Registry()));
  writer->write(one_message(channels, from_ns(9'000'000'000), "new"));
  writer->close();
  Input input{path, {}, open_file(path)};
  input.head.resize(Input::kHeadBytes);
  input.head.resize(input.file->read(0, input.head));
  rosbag_format().check(input, {.on_problem = [](const Error& e) { ADD_FAILURE() << e.what(); }},
                        Session(Registry()));
  return lines_of(*rosbag_format().open(input, {}, Session(Registry())));
}

TestBag foreign_bag() {
  TestBag bag;
  std::vector<Buffer> records;
  records.push_back(TestBag::connection(7, "/a"));
  records.push_back(TestBag::message(7, 1, "old"));
  std::uint64_t chunk = bag.chunk(records);
  std::uint64_t index_pos = bag.bytes.size();
  bag.append(TestBag::connection(7, "/a"));
  bag.chunk_info(chunk, 1, 1, {{7, 1}});
  bag.close(index_pos, 1, 1);
  return bag;
}

TEST(RosbagWriter, AppendsToABagWithIdsOfItsOwn) {
  EXPECT_THAT(appended(foreign_bag().bytes, "/a"), ElementsAre("/a 1 old", "/a 9 new"));
  EXPECT_THAT(appended(foreign_bag().bytes, "/b"), ElementsAre("/a 1 old", "/b 9 new"));
}

TEST(RosbagWriter, RefusesToAppendWithoutAnIndex) {
  auto bag = foreign_bag();
  bag.close(0, 0, 0);
  EXPECT_ERROR(unsupported, appended(bag.bytes, "/a"));
}

TEST(RosbagWriter, GivesATopicOfItsOwnInTheConnectionHeaderBack) {
  Buffer record;
  Channel channel = *(*one_channel())[0];
  channel.metadata = {{"topic", "/remapped_from"}, {"blob", std::string("\0=\xff", 3)}};
  append_connection(record, 3, channel);
  Connections connections;
  EXPECT_EQ(connections.add(*parse_record(record.view())), Connections::Added::news);
  auto channels = connections.channels();
  EXPECT_EQ((*channels)[0]->topic, "/a");
  EXPECT_EQ((*channels)[0]->metadata.at("topic"), "/remapped_from");
  EXPECT_EQ((*channels)[0]->metadata.at("blob"), std::string("\0=\xff", 3));
  EXPECT_EQ((*channels)[0]->metadata.at("md5sum"), "992ce8a1687cec8c8bd883ec73ca41d1");
}

}  // namespace
}  // namespace kitbag::rosbag
