#include "storage/mcap/write/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/session.h"
#include "storage/mcap/test_file.h"
#include "tests/support/stopping_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::mcap {
namespace {

using test::thrown_by;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ChannelPtr make_channel(std::uint32_t slot, const std::string& topic, const std::string& encoding,
                        const std::string& language) {
  auto channel = std::make_shared<Channel>();
  channel->slot = slot;
  channel->topic = topic;
  channel->encoding = encoding;
  channel->schema = std::make_shared<const Schema>(Schema{"test/Text", language, "text"});
  return channel;
}

class McapWriter : public ::testing::Test {
 protected:
  /// Writes `count` messages that say their number.
  static void write_numbers(Writer& writer, const ChannelsPtr& channels, int count,
                            std::vector<Extra> extras = {}) {
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) texts.push_back("number " + std::to_string(i));
    Batch batch;
    batch.channels = channels;
    batch.extras = std::move(extras);
    for (int i = 0; i < count; ++i) {
      auto slot = static_cast<std::size_t>(i) % channels->size();
      const std::string& text = texts[static_cast<std::size_t>(i)];
      batch.add({(*channels)[slot].get(), static_cast<std::uint32_t>(100 + i), 0, from_ns(i + 1),
                 from_ns(i + 1000), as_bytes(text)});
    }
    writer.write(std::move(batch));
  }
  std::unique_ptr<Writer> create(const WriteOptions& options) {
    return mcap_format().create(path_, options, Session(Registry()));
  }
  std::string written() const { return folder_.read("x.mcap"); }
  ReadBack read() const {
    std::string text = written();
    return read_back(as_bytes(text));
  }

  ChannelsPtr channels_ = std::make_shared<const Channels>(
      Channels{make_channel(0, "/a", "ros1", "ros1msg"), make_channel(1, "/b", "ros1", "ros1msg")});
  TemporaryFolder folder_;
  std::string path_ = folder_.path("x.mcap");
};

TEST_F(McapWriter, EveryPresetIsReadBack) {
  for (std::string_view preset : mcap_format().presets) {
    SCOPED_TRACE(preset);
    auto writer = create({.preset = std::string(preset)});
    write_numbers(*writer, channels_, 50);
    writer->close();
    ReadBack back = read();
    EXPECT_THAT(back.problems, IsEmpty());
    EXPECT_THAT(back.payloads, SizeIs(50));
    EXPECT_EQ(back.summary.chunks, preset == "fastwrite" ? 0U : 1U);
    EXPECT_TRUE(back.summary.indexed);
    EXPECT_THAT(findings(as_bytes(written())), IsEmpty());
  }
}

TEST_F(McapWriter, WithoutChunksEveryCutGivesWhatIsWhole) {
  auto writer = create({.is_chunked = false});
  write_numbers(*writer, channels_, 12);
  writer->close();
  std::string text = written();
  std::size_t before = 0;
  for (std::size_t size = kMagic.size(); size < text.size(); ++size) {
    ReadBack back = read_back(as_bytes(text).first(size));
    ASSERT_THAT(back.problems, Not(IsEmpty())) << size;
    ASSERT_GE(back.payloads.size(), before) << size;
    for (std::size_t i = 0; i < back.payloads.size(); ++i) {
      ASSERT_EQ(back.payloads[i], "number " + std::to_string(i)) << size;
    }
    before = back.payloads.size();
  }
  EXPECT_EQ(before, 12U);
}

TEST_F(McapWriter, WithoutChunksHolesLoseOnlyWhatTheyTouch) {
  auto writer = create({.is_chunked = false});
  write_numbers(*writer, channels_, 40);
  writer->close();
  std::string text = written();
  std::size_t begin = text.find("number 5");
  for (std::size_t size : {1U, 9U, 40U}) {
    for (std::size_t at = begin; at < begin + 80; ++at) {
      std::string holed = text;
      holed.replace(at, size, size, '\xA5');
      ReadBack back = read_back(as_bytes(holed), file_order(), false);
      ASSERT_GE(back.payloads.size(), 36U) << size << " at " << at;
      ASSERT_LE(back.payloads.size(), 40U) << size << " at " << at;
      ASSERT_EQ(back.payloads.back(), "number 39") << size << " at " << at;
      ASSERT_THAT(back.problems, Not(IsEmpty())) << size << " at " << at;
      ASSERT_THAT(findings(as_bytes(holed)), Not(IsEmpty())) << size << " at " << at;
    }
  }
}

TEST_F(McapWriter, KeepsSequenceAndPublishTime) {
  auto writer = create({});
  write_numbers(*writer, channels_, 3);
  writer->close();
  std::string text = written();
  BagPtr bag = mcap_format().open(input_of(as_bytes(text)), {}, Session(Registry()));
  auto source = bag->read({});
  Batch batch;
  ASSERT_TRUE(source->read(batch, {}));
  ASSERT_THAT(batch.messages(), SizeIs(3));
  EXPECT_EQ(batch.messages()[2].sequence, 102U);
  EXPECT_EQ(batch.messages()[2].publish_time, from_ns(1002));
}

TEST_F(McapWriter, AReaderIsStoppedWithinAChunkAndGoesOn) {
  for (const char* compression : {"lz4", "zstd"}) {
    SCOPED_TRACE(compression);
    auto writer = create({.compression = compression});
    write_numbers(*writer, channels_, 500);
    writer->close();
    std::string text = written();
    check_stop_within_a_chunk(mcap_format(), input_of(as_bytes(text)), 500);
    std::filesystem::remove(path_);
  }
}

TEST_F(McapWriter, TheProfileIsThatOfAllChannels) {
  struct Case {
    std::string encoding, language, profile;
  };
  for (const Case& one : {Case{"ros1", "ros1msg", "ros1"}, Case{"cdr", "ros2idl", "ros2"},
                          Case{"json", "jsonschema", ""}}) {
    auto writer = create({});
    auto channels = std::make_shared<const Channels>(
        Channels{make_channel(0, "/x", one.encoding, one.language)});
    write_numbers(*writer, channels, 1);
    writer->close();
    std::string text = written();
    auto header = parse_header(parse_record(as_bytes(text).subspan(kMagic.size()))->content);
    EXPECT_EQ(header->profile, one.profile);
    EXPECT_THAT(std::string(header->library), HasSubstr("kitbag "));
  }
}

TEST_F(McapWriter, KeepsExtrasAndTellsOfThoseOfOthers) {
  std::vector<std::string> warnings;
  auto writer = create({.on_warning = [&](const Error& e) { warnings.push_back(e.message()); }});
  std::vector<Extra> extras;
  extras.push_back(
      Attachment{"a.txt", "text/plain", from_ns(3), from_ns(2), memory_file(as_bytes("attached"))});
  extras.push_back(Metadata{"robot", {{"name", "kit"}}});
  extras.push_back(PrivateRecord{"mcap", 0x81, memory_file(as_bytes("ours"))});
  extras.push_back(PrivateRecord{"other", 0x81, memory_file(as_bytes("theirs"))});
  write_numbers(*writer, channels_, 5, std::move(extras));
  writer->close();
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("1 private record")));
  ReadBack back = read();
  ASSERT_THAT(back.extras, SizeIs(3));
  EXPECT_EQ(std::get<Attachment>(back.extras[0]).data->size(), 8U);
  EXPECT_EQ(std::get<PrivateRecord>(back.extras[2]).opcode, 0x81);
  EXPECT_THAT(findings(as_bytes(written())), IsEmpty());
}

TEST_F(McapWriter, AWarningThatThrowsLeavesNoFile) {
  auto writer = create({.on_warning = [](const Error& warning) { throw Error(warning); }});
  write_numbers(*writer, channels_, 5, {PrivateRecord{"other", 0x81, nullptr}});
  EXPECT_ERROR(unsupported, writer->close());
  writer.reset();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(McapWriter, RefusesASecondEncodingOnATopic) {
  auto writer = create({});
  auto channels = std::make_shared<const Channels>(
      Channels{make_channel(0, "/a", "ros1", "ros1msg"), make_channel(1, "/a", "cdr", "ros2msg")});
  auto error = thrown_by([&] { write_numbers(*writer, channels, 2); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
  EXPECT_EQ(thrown_by([&] { writer->close(); }).what(), std::string(error.what())) << "sticky";
}

TEST_F(McapWriter, RefusesWhatItDoesNotKnow) {
  EXPECT_ERROR(invalid, create({.compression = "bz2"}));
  EXPECT_ERROR(invalid, create({.preset = "fastest"}));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(McapWriter, AFullDeviceIsAnError) {
  auto writer = mcap_format().create("/dev/full", {}, Session(Registry()));
  EXPECT_EQ(thrown_by([&] {
              write_numbers(*writer, channels_, 10);
              writer->close();
            }).code(),
            ErrorCode::io);
}

class McapAppend : public McapWriter {
 protected:
  void write_first(const WriteOptions& options) {
    auto writer = create(options);
    write_numbers(
        *writer, channels_, 10,
        {Metadata{"robot", {}}, Attachment{"a", "b", {}, {}, memory_file(as_bytes("attached"))}});
    writer->close();
  }
};

TEST_F(McapAppend, SeveralTimesKeepsEverything) {
  for (bool is_chunked : {true, false}) {
    write_first({.is_chunked = is_chunked});
    for (int i = 0; i < 2; ++i) {
      auto writer = mcap_format().append(path_, {}, Session(Registry()));
      write_numbers(*writer, channels_, 10, {Metadata{"more", {}}});
      writer->close();
    }
    ReadBack back = read();
    EXPECT_THAT(back.problems, IsEmpty());
    EXPECT_THAT(back.payloads, SizeIs(30));
    EXPECT_THAT(back.extras, SizeIs(4));
    EXPECT_TRUE(back.summary.indexed);
    EXPECT_EQ(back.summary.channels->size(), 2U);
    EXPECT_EQ(back.summary.chunks, is_chunked ? 3U : 0U);
    EXPECT_THAT(findings(as_bytes(written())), ElementsAre(HasSubstr("come after later ones")));
  }
}

TEST_F(McapAppend, BeforeTheLastStepTheBagIsAsItWas) {
  write_first({});
  std::string before = written();
  auto writer = mcap_format().append(path_, {}, Session(Registry()));
  write_numbers(*writer, channels_, 10);
  writer->close();
  std::string dead = written();
  dead.replace(0, before.size(), before);  // the nine bytes were not rewritten yet
  ReadBack back = read_back(as_bytes(dead));
  EXPECT_THAT(back.payloads, SizeIs(10));
}

TEST_F(McapAppend, NeedsASummary) {
  TestFile file;
  file.close({false, false, false, false, false, false, false});
  folder_.write("x.mcap", std::string(as_text(file.bytes.view())));
  EXPECT_EQ(thrown_by([&] { mcap_format().append(path_, {}, Session(Registry())); }).code(),
            ErrorCode::unsupported);
}

}  // namespace
}  // namespace kitbag::mcap
