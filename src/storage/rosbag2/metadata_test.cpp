#include "storage/rosbag2/metadata.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag::rosbag2 {
namespace {

using test::thrown_by;
using ::testing::HasSubstr;
using ::testing::Not;

BagMetadata full_metadata() {
  BagMetadata metadata;
  metadata.version = 9;
  metadata.storage = "sqlite3";
  metadata.start = from_ns(1'700'000'000'000'000'000);
  metadata.duration = Duration(5'000);
  metadata.messages = 12;
  metadata.topics = {
      {"/a: [tricky] \"name\"", "std_msgs/msg/String", "cdr",
       "- history: keep_last\n  depth: 1\n  reliability: reliable\n  durability: volatile\n"
       "  deadline:\n    sec: 0\n    nsec: 0\n  lifespan:\n    sec: 0\n    nsec: 0\n"
       "  liveliness: automatic\n  liveliness_lease_duration:\n    sec: 0\n    nsec: 0\n"
       "  avoid_ros_namespace_conventions: false",
       "RIHS01_00", 7},
      {"/b", "a/msg/B", "ros1", "", "", 5}};
  metadata.compression_format = "zstd";
  metadata.compression_mode = "FILE";
  metadata.paths = {"run_0.db3.zstd", "run_1.db3.zstd"};
  metadata.files = {{"run_0.db3", metadata.start, Duration(2'000), 4},
                    {"run_1.db3", metadata.start + Duration(3'000), Duration(2'000), 8}};
  metadata.custom_data = {{"robot", "r2"}, {"site", "lab: 1\n2"}};
  metadata.ros_distro = "jazzy";
  return metadata;
}

class EveryVersion : public ::testing::TestWithParam<int> {};

TEST_P(EveryVersion, SaysWhatItHasKeysFor) {
  int version = GetParam();
  BagMetadata written = full_metadata();
  for (bool is_embedded : {false, true}) {
    std::string text = print_metadata(written, version, is_embedded);
    EXPECT_EQ(text.starts_with("rosbag2_bagfile_information:"), !is_embedded);
    BagMetadata read = parse_metadata(text, "metadata.yaml");
    EXPECT_EQ(read.version, version);
    EXPECT_EQ(read.storage, written.storage);
    EXPECT_EQ(read.start, written.start);
    EXPECT_EQ(read.duration, written.duration);
    EXPECT_EQ(read.messages, written.messages);
    EXPECT_EQ(read.paths, written.paths);
    ASSERT_EQ(read.topics.size(), 2U);
    EXPECT_EQ(read.topics[0].name, written.topics[0].name);
    EXPECT_EQ(read.topics[0].messages, 7U);
    EXPECT_EQ(read.topics[1].encoding, "ros1");
    EXPECT_EQ(read.topics[0].qos.empty(), version < 4);
    EXPECT_EQ(read.topics[0].type_hash, version < 4 ? "" : "RIHS01_00");
    EXPECT_EQ(read.compression_mode, version < 3 ? "" : "FILE");
    ASSERT_EQ(read.files.size(), version < 5 ? 0U : 2U);
    if (version >= 5) {
      EXPECT_EQ(read.files[1].start, written.files[1].start);
    }
    EXPECT_EQ(read.custom_data.size(), version < 4 ? 0U : 2U);
    if (version >= 4) {
      EXPECT_EQ(read.custom_data, written.custom_data);
    }
    EXPECT_EQ(read.ros_distro, version < 4 ? "" : "jazzy");
  }
}

TEST_P(EveryVersion, HasItsFormOfQos) {
  std::string text = print_metadata(full_metadata(), GetParam(), false);
  bool has_names = GetParam() >= 9;
  EXPECT_EQ(text.find("history: keep_last") != std::string::npos, has_names);
  bool has_numbers = GetParam() >= 4 && !has_names;
  EXPECT_EQ(text.find("\"- history: 1\\n  depth: 1\\n") != std::string::npos, has_numbers);
}

INSTANTIATE_TEST_SUITE_P(Versions, EveryVersion, ::testing::Range(1, kNewestMetadata + 1));

TEST(Metadata, FirstBagsHaveNoVersionAndAnotherKey) {
  BagMetadata read = parse_metadata(
      "rosbag2_bagfile_information:\n  storage_identifier: sqlite3\n  message_count: 3\n"
      "  topics_with_message_count:\n    - topic_and_type:\n        name: /t\n"
      "        type: a/B\n      message_count: 3\n",
      "metadata.yaml");
  EXPECT_EQ(read.version, 1);
  ASSERT_EQ(read.topics.size(), 1U);
  EXPECT_EQ(read.topics[0].name, "/t");
}

TEST(Metadata, KeysThatAreNotKnownDoNotMatter) {
  EXPECT_EQ(parse_metadata("version: 9\nweather: fine\ncustom_data: ~\n", "m").version, 9);
}

TEST(Metadata, EmptyBagsRoundTrip) {
  BagMetadata empty;
  empty.start = kNoStart;
  std::string text = print_metadata(empty, 9, false);
  EXPECT_THAT(text, HasSubstr("custom_data: ~"));
  EXPECT_THAT(text, HasSubstr("nanoseconds_since_epoch: 9223372036854775807"));
  EXPECT_THAT(text, Not(::testing::EndsWith("\n")));
  EXPECT_EQ(parse_metadata(text, "m").start, kNoStart);
}

TEST(Metadata, TimesBefore1970ComeBack) {
  BagMetadata written;
  written.start = from_ns(-20'000);
  written.duration = Duration(5'000);
  BagMetadata read = parse_metadata(print_metadata(written, 9, false), "m");
  EXPECT_EQ(read.start, written.start);
  EXPECT_EQ(read.duration, written.duration);
}

TEST(Metadata, NamesOfFilesComeBackWhateverTheyAre) {
  BagMetadata written;
  written.version = 9;
  for (const char* name : {"run_0.mcap", "true", "12.5", "", "- a", "a: b", "a #b", "\"quoted\"",
                           "line\nbreak", "{}", "\xc3\xa4.db3", " space ", "~", "x/../y.mcap"}) {
    written.paths.emplace_back(name);
    written.files.push_back({name, from_ns(5), Duration(7), 3});
  }
  for (int version : {4, 9}) {
    for (bool is_embedded : {false, true}) {
      BagMetadata read = parse_metadata(print_metadata(written, version, is_embedded), "a");
      EXPECT_EQ(read.paths, written.paths) << version;
      ASSERT_EQ(read.files.size(), version < 5 ? 0 : written.files.size());
      for (std::size_t i = 0; i < read.files.size(); ++i) {
        EXPECT_EQ(read.files[i].path, written.files[i].path);
        EXPECT_EQ(read.files[i].messages, 3U);
      }
    }
  }
}

TEST(Metadata, WhatMakesNoSenseIsAnErrorWithItsFile) {
  for (const char* text :
       {"", "7", "[", "a: [", "version: ten", "version: 9\ntopics_with_message_count: [7]",
        "version: 9\nmessage_count: {}", "version: 9\nfiles: [[1]]",
        "rosbag2_bagfile_information:", "version: 9\nstarting_time: 5"}) {
    Error error = thrown_by([&] { parse_metadata(text, "dir/metadata.yaml"); });
    EXPECT_EQ(error.code(), ErrorCode::corrupt) << text;
    EXPECT_EQ(error.file(), "dir/metadata.yaml");
  }
  std::string deep(100'000, '[');
  EXPECT_EQ(thrown_by([&] { parse_metadata(deep, "m"); }).code(), ErrorCode::limit);
}

TEST(Metadata, ATextAgainSaysTheSameAndAnotherOneDoesNot) {
  for (int round = 0; round < 2; ++round) {
    for (int version : {9, 9, 8}) {
      EXPECT_EQ(parse_metadata(fmt::format("version: {}", version), "m").version, version);
    }
    EXPECT_ERROR(corrupt, parse_metadata("version: ten", "m"));
  }
}

TEST(Metadata, VersionsOfTheFutureAreUnsupported) {
  EXPECT_EQ(thrown_by([] { parse_metadata("version: 10", "m"); }).code(), ErrorCode::unsupported);
}

}  // namespace
}  // namespace kitbag::rosbag2
