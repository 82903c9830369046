#include "storage/rosbag2/conventions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "storage/rosbag2/metadata.h"
#include "tests/support/thrown_by.h"

namespace kitbag::rosbag2 {
namespace {

using test::thrown_by;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kByName = "- history: keep_last\n  depth: 1\n  reliability: reliable";
constexpr const char* kByNumber = "- {history: 1,   depth: 1, reliability: 1}";

ChannelPtr channel_with(const std::string& qos) {
  auto channel = std::make_shared<Channel>();
  channel->metadata["offered_qos_profiles"] = qos;
  return channel;
}

std::string qos_of(const ChannelPtr& channel) {
  return channel->metadata.at("offered_qos_profiles");
}

TEST(Conventions, AreTheOldestLivingReleasesWhereNothingIsAskedFor) {
  Conventions usual = conventions_of({});
  EXPECT_EQ(usual.schema_version, 4);
  EXPECT_EQ(usual.metadata_version, 5);
  EXPECT_EQ(usual.qos, QosForm::numbers);
}

TEST(Conventions, AreThoseOfTheRelease) {
  Conventions humble = conventions_of({.ros_distro = "humble"});
  EXPECT_EQ(humble.schema_version, 3);
  EXPECT_EQ(humble.metadata_version, 5);
  Conventions iron = conventions_of({.ros_distro = "iron"});
  EXPECT_EQ(iron.metadata_version, 7);
  EXPECT_EQ(iron.qos, QosForm::numbers);
  Conventions jazzy = conventions_of({.ros_distro = "jazzy"});
  EXPECT_EQ(jazzy.metadata_version, 9);
  EXPECT_EQ(jazzy.qos, QosForm::names);
}

TEST(Conventions, TakeWhatIsGivenUnlessTheReleaseDoesNotReadIt) {
  Conventions older = conventions_of({.metadata_version = 4, .ros_distro = "jazzy"});
  EXPECT_EQ(older.metadata_version, 4);
  EXPECT_EQ(older.qos, QosForm::numbers);
  EXPECT_EQ(conventions_of({.format_version = "2"}).metadata_version, 4);
  EXPECT_EQ(conventions_of({.format_version = "2", .metadata_version = 9}).metadata_version, 9);
  for (const WriteOptions& options :
       {WriteOptions{.metadata_version = 9, .ros_distro = "humble"},
        WriteOptions{.format_version = "4", .ros_distro = "humble"},
        WriteOptions{.metadata_version = 10}, WriteOptions{.ros_distro = "hydro"}}) {
    EXPECT_EQ(thrown_by([&] { conventions_of(options); }).code(), ErrorCode::invalid);
  }
}

TEST(QosForm, IsChangedOnlyWhereItIsAnother) {
  EXPECT_THAT(qos_of(with_qos_form(channel_with(kByName), QosForm::numbers)),
              HasSubstr("history: 1\n"));
  EXPECT_THAT(qos_of(with_qos_form(channel_with(kByNumber), QosForm::names)),
              HasSubstr("history: keep_last\n"));
  ChannelPtr numbers = channel_with(kByNumber);
  EXPECT_EQ(with_qos_form(numbers, QosForm::numbers), numbers);
  for (const char* odd : {"", "[", "- history: who knows"}) {
    ChannelPtr channel = channel_with(odd);
    EXPECT_EQ(with_qos_form(channel, QosForm::numbers), channel) << odd;
  }
}

TEST(EmbeddedMetadata, IsNoNewerThanAskedFor) {
  BagMetadata declared;
  declared.storage = "mcap";
  declared.topics = {{"/a", "a/msg/A", "cdr", kByName, "RIHS01_00", 3}};
  declared.custom_data = {{"robot", "r2"}};
  declared.ros_distro = "jazzy";
  Metadata embedded{"rosbag2", {{"serialized_metadata", print_metadata(declared, 9, true)}}};
  std::string text = readable_by(embedded, 5).values.at("serialized_metadata");
  EXPECT_THAT(text, Not(HasSubstr("keep_last")));
  BagMetadata read = parse_metadata(text, {});
  EXPECT_EQ(read.version, 5);
  EXPECT_EQ(read.custom_data, declared.custom_data);
  EXPECT_EQ(read.ros_distro, "jazzy");
  EXPECT_EQ(read.topics[0].type_hash, "RIHS01_00");
  EXPECT_EQ(readable_by(embedded, 9).values, embedded.values);
  Metadata others{"others", embedded.values};
  EXPECT_EQ(readable_by(others, 5).values, others.values);
  Metadata broken{"rosbag2", {{"serialized_metadata", "version: 77"}}};
  EXPECT_EQ(readable_by(broken, 5).values, broken.values);
}

}  // namespace
}  // namespace kitbag::rosbag2
