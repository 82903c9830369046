#include "kitbag/export_messages.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/exporter.h"
#include "kitbag/merge.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

constexpr std::string_view kRobot = "demo://?seconds=1&seed=7";

ByteView bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// A file for each message, in folders by topic.
class FileForEach final : public TopicExport {
 public:
  FileForEach(const std::string& topic, ExportFolder& folder)
      : topic_(topic), folder_(folder), name_(folder.name_of(topic, "")) {}

  void write(std::span<const Message> messages, const ChannelsPtr& /*channels*/) override {
    for (std::size_t i = 0; i < messages.size(); ++i, ++count_) {
      auto file = folder_.create(name_ + "/part/" + std::to_string(count_) + ".bin");
      file->append(bytes_of("x"));
      file->commit();
    }
  }
  Exported finish() override {
    return {topic_, folder_.path_of(name_) + "/", count_, count_, count_};
  }

 private:
  std::string topic_;
  ExportFolder& folder_;
  std::string name_;
  std::uint64_t count_ = 0;
};

/// A session with files in memory and a format "each".
class ExportMessages : public testing::Test {
 protected:
  static Registry with_each() {
    Registry registry = standard_registry();
    registry.file_systems = {memory_file_system()};  // its own
    registry.export_formats.push_back(
        {"each", "a file for each message", [](ExportJob& job) {
           auto made = export_topics(job, [&](const std::string& topic, const ChannelsPtr&) {
             return std::make_unique<FileForEach>(topic, job.folder);
           });
           if (job.request.held_bytes == 0) throw Error(ErrorCode::io, "the end is missing");
           return made;
         }});
    return registry;
  }

  std::vector<Exported> write(const ExportRequest& request,
                              const std::string& folder = "memory://out") {
    auto bag = session_.open(std::string(kRobot));
    return export_messages(bag->read({.select = {.topics = {"/odom", "/battery"}}}), folder,
                           request, session_);
  }

  bool is_there(const std::string& path) {
    return session_.file_system(path)->status(path).has_value();
  }

  Session session_{with_each()};
};

TEST_F(ExportMessages, NamesOfFilesAreSafe) {
  EXPECT_EQ(export_name("/camera/image_raw"), "camera__image_raw");
  EXPECT_EQ(export_name("/../a b"), "%2E.__a%20b");
  EXPECT_EQ(export_name("/"), "topic");
}

TEST_F(ExportMessages, AFormatCanBeAddedAndWritesFolders) {
  auto written = write({.format = "each"});
  ASSERT_EQ(written.size(), 2U);
  EXPECT_EQ(written[1].topic, "/odom");
  EXPECT_EQ(written[1].path, "memory://out/odom/");
  EXPECT_GT(written[1].files, 10U);
  EXPECT_TRUE(is_there("memory://out/odom/part/0.bin"));
  EXPECT_TRUE(is_there("memory://out/battery/part/0.bin"));
}

TEST_F(ExportMessages, NothingStaysOfAnExportThatFails) {
  EXPECT_ERROR(io, write({.format = "each", .held_bytes = 0}));
  EXPECT_FALSE(is_there("memory://out/odom/part/0.bin"));
}

TEST_F(ExportMessages, FilesThatAreThereAreReplacedOnRequest) {
  write({});
  EXPECT_ERROR(exists, write({}));
  EXPECT_EQ(write({.may_replace = true}).size(), 2U);
}

TEST_F(ExportMessages, AFormatThatDoesNotExistIsNamedWithThoseThatDo) {
  try {
    write({.format = "parket"});
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid);
    EXPECT_NE(error.message().find("parquet, arrow"), std::string::npos) << error.message();
  }
}

TEST_F(ExportMessages, LibrariesThatWriteByThemselvesNeedALocalFolder) {
  ExportRequest request;
  ExportFolder folder("memory://out", request, session_);
  EXPECT_ERROR(unsupported, folder.place("x.h5"));
}

TEST_F(ExportMessages, TopicsThatDifferInCapitalsOnlyHaveNoFilesBesideEachOther) {
  ExportRequest request;
  ExportFolder folder("memory://out", request, session_);
  EXPECT_EQ(folder.name_of("/odom", ".x"), "odom.x");
  EXPECT_ERROR(invalid, folder.name_of("/Odom", ".x"));
}

TEST_F(ExportMessages, AnotherFileOfATopicHasTheNameOfNoOtherTopic) {
  ExportRequest request;
  ExportFolder folder("memory://out", request, session_);
  folder.name_of("/odom", ".x");
  folder.name_of("/Odom.2", ".x");
  std::uint64_t number = 2;
  EXPECT_EQ(folder.name_of_another("/odom", number, ".x"), "odom.3.x");
  EXPECT_EQ(number, 3U);
  EXPECT_EQ(folder.name_of_another("/odom", ++number, ".x"), "odom.4.x");
  EXPECT_ERROR(invalid, folder.name_of("/odom.4", ".x"));
}

TEST_F(ExportMessages, FormatsWithoutPartsRefuseThem) {
  EXPECT_ERROR(invalid, write({.format = "each", .partition = Partition::by_day}));
}

TEST_F(ExportMessages, PartsByBagNeedNamesOfBags) {
  EXPECT_ERROR(invalid, write({.partition = Partition::by_bag}));
  ExportRequest request{.format = "csv", .partition = Partition::by_bag};
  request.bag_of = [](const Channel& channel) { return "of" + channel.topic; };
  write(request);
  EXPECT_TRUE(is_there("memory://out/odom/bag=of%2Fodom/part.csv"));
  request.bag_of = [](const Channel&) { return std::string(300, 'x'); };
  EXPECT_ERROR(invalid, write(request, "memory://long"));
}

TEST_F(ExportMessages, ADayThatComesAgainGetsAnotherFile) {
  auto bag = session_.open(std::string(kRobot));
  Query query{.select = {.topics = {"/battery"}}};
  std::vector<std::unique_ptr<Source>> sources;
  for (int hours : {0, 48, 0}) {
    sources.push_back(through(bag->read(query), shift(std::chrono::hours(hours))));
  }
  auto written = export_messages(merge(std::move(sources), Order::file), "memory://days",
                                 {.partition = Partition::by_day}, session_);
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].path, "memory://days/battery/");
  EXPECT_EQ(written[0].files, 3U);
  std::string day = "memory://days/battery/day=2026-01-0";
  for (const char* part : {"1/part", "3/part", "1/part-1"}) {
    EXPECT_TRUE(is_there(day + part + ".parquet")) << part;
  }
}

}  // namespace
}  // namespace kitbag
