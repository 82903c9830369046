#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "kitbag/kitbag.h"
#include "tests/support/flips.h"

/// What the suites that run over every format share: bags described as plain lists, written
/// through a Format and read back as plain lists.
namespace kitbag::testing {

using test::flips_at;
using test::kHoleStep;
using test::kIsSlow;
using test::kMasks;

struct TestMessage {
  std::uint32_t channel = 0;
  std::int64_t time_ns = 0;
  std::string payload;

  bool operator==(const TestMessage&) const = default;
};

/// A folder that goes with the test.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kitbag_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline ChannelPtr make_channel(std::uint32_t slot, std::string topic,
                               std::map<std::string, std::string> metadata = {},
                               Schema schema = {"std_msgs/String", "ros1msg", "string data\n"}) {
  metadata.try_emplace("md5sum", "992ce8a1687cec8c8bd883ec73ca41d1");
  auto channel = std::make_shared<Channel>();
  channel->slot = slot;
  channel->topic = std::move(topic);
  channel->encoding = "ros1";
  channel->schema = std::make_shared<Schema>(std::move(schema));
  channel->metadata = std::move(metadata);
  return channel;
}

/// Three channels: two of them on one topic, from different nodes, one latched.
inline ChannelsPtr test_channels() {
  return std::make_shared<Channels>(
      Channels{make_channel(0, "/a"), make_channel(1, "/b", {{"callerid", "/one"}}),
               make_channel(2, "/b", {{"callerid", "/two"}, {"latching", "1"}})});
}

/// Three channels that differ by topic and type alone, two of them on one topic.
inline ChannelsPtr plain_channels() {
  return std::make_shared<Channels>(
      Channels{make_channel(0, "/a", {}, {"std_msgs/String", "ros1msg", ""}),
               make_channel(1, "/b", {}, {"std_msgs/String", "ros1msg", ""}),
               make_channel(2, "/b", {{"md5sum", "da5909fbe378aeaf85e547e830cc1bb7"}},
                            {"std_msgs/Int32", "ros1msg", ""})});
}

/// Writes `messages` in the order given.
inline void write_messages(Writer& writer, const ChannelsPtr& channels,
                           const std::vector<TestMessage>& messages) {
  Batch batch;
  for (const TestMessage& message : messages) {
    if (batch.full()) {
      writer.write(std::move(batch));
      batch = Batch();
    }
    batch.channels = channels;
    batch.add({(*channels)[message.channel].get(), 0, 0, from_ns(message.time_ns),
               from_ns(message.time_ns), as_bytes(message.payload)});
  }
  batch.channels = channels;
  writer.write(std::move(batch));
}

inline std::vector<std::byte> file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  ByteView bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

/// The bytes of a closed bag that holds `messages`.
inline std::vector<std::byte> bag_bytes(const Format& format, WriteOptions options,
                                        const std::vector<TestMessage>& messages,
                                        const ChannelsPtr& channels) {
  TempFolder folder;
  std::string path = folder / ("bag" + std::string(format.extension));
  options.format = format.name;
  auto writer = Session().create(path, options);
  write_messages(*writer, channels, messages);
  writer->close();
  return file_bytes(path);
}

/// A file in memory as open() and check() take it. `bytes` must outlive it.
inline Input input_of(ByteView bytes) {
  ByteView head = bytes.first(std::min(bytes.size(), Input::kHeadBytes));
  return {"memory", {head.begin(), head.end()}, memory_file(bytes)};
}

inline std::vector<TestMessage> read_messages(Source& source) {
  std::vector<TestMessage> messages;
  Batch batch;
  while (source.read(batch, {})) {
    for (const Message& message : batch.messages()) {
      messages.push_back(
          {message.channel->slot, to_ns(message.log_time), std::string(as_text(message.data))});
    }
    batch.clear();
  }
  return messages;
}

inline std::vector<TestMessage> read_messages(const Bag& bag, const Query& query = {}) {
  return read_messages(*bag.read(query));
}

/// A closed bag, in a folder that goes with it.
class StoredBag {
 public:
  /// At most `most_messages` in a file; where there are more, it is a directory.
  StoredBag(const Format& format, WriteOptions options, const std::vector<TestMessage>& messages,
            const ChannelsPtr& channels, std::size_t most_messages = SIZE_MAX)
      : folder_(std::make_unique<TempFolder>()) {
    bool is_directory = most_messages < SIZE_MAX;
    path_ = *folder_ / (is_directory ? "bag/" : "bag" + std::string(format.extension));
    options.format = format.name;
    Session session;
    SplitFiles split = split_to(path_, options, session);
    std::size_t files = 0;
    for (std::size_t begin = 0; files == 0 || begin < messages.size(); ++files) {
      std::size_t end = begin + std::min(most_messages, messages.size() - begin);
      auto at = messages.begin();
      auto writer = is_directory ? split.next(files) : session.create(path_, options);
      write_messages(
          *writer, channels,
          {at + static_cast<std::ptrdiff_t>(begin), at + static_cast<std::ptrdiff_t>(end)});
      writer->close();
      begin = end;
    }
    if (is_directory) split.publish();
  }

  const std::string& path() const { return path_; }
  BagPtr open(const ReadOptions& options = {}) const { return Session().open(path_, options); }

 private:
  std::unique_ptr<TempFolder> folder_;
  std::string path_;
};

/// A format, one of its versions, and one of that one's compressions, under a name that a test may
/// have.
struct FormatCase {
  Format format;
  FormatVersion version;
  std::string compression;
  bool is_directory = false;  ///< of files of the format

  /// As a part of the name of a test: "rosbag_1_2_none".
  std::string name() const {
    std::string name(format.name);
    if (!is_newest()) name += "_" + std::string(version.name);
    name += "_" + compression;
    if (is_directory) name = "directory_" + name;
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
  }
  friend void PrintTo(const FormatCase& one, std::ostream* out) { *out << one.name(); }

  bool is_newest() const {
    return format.versions.empty() || version.name == format.versions.front().name;
  }
  bool has_chunks() const {
    return is_newest() && (format.name == "rosbag" || format.name == "mcap");
  }
  bool can_append() const { return format.append && is_newest(); }
  WriteOptions options(std::size_t chunk_bytes, unsigned threads = 0) const {
    return {.format = std::string(format.name),
            .format_version = is_newest() ? "" : std::string(version.name),
            .compression = compression,
            .chunk_bytes = chunk_bytes,
            .threads = threads};
  }
  /// Three channels that the version can hold, two of them on one topic.
  ChannelsPtr channels() const {
    return version.holds_definitions ? test_channels() : plain_channels();
  }
  /// As above. A version without a table of channels numbers them as their messages come, so tests
  /// begin with one of each, in turn.
  std::vector<std::byte> bytes(const WriteOptions& options,
                               const std::vector<TestMessage>& messages) const {
    return bag_bytes(format, options, messages, channels());
  }
  /// As above, as a file; or as a directory of several.
  StoredBag store(const WriteOptions& options, const std::vector<TestMessage>& messages) const {
    constexpr std::size_t kMostOfFile = 70;
    return {format, options, messages, channels(), is_directory ? kMostOfFile : SIZE_MAX};
  }
};

inline std::vector<FormatCase> writable_formats() {
  std::vector<FormatCase> cases;
  for (const Format& format : standard_registry().formats) {
    if (!format.create || format.is_container) continue;
    std::vector<FormatVersion> versions = format.versions;
    if (versions.empty()) versions = {{"", format.compressions}};
    for (const FormatVersion& version : versions) {
      for (std::string_view compression : version.compressions) {
        cases.push_back({format, version, std::string(compression)});
      }
    }
  }
  return cases;
}

/// The same, and directories of files of each format: plain, compressed as whole files, and with
/// the last of the format's compressions. Older versions are left out.
inline std::vector<FormatCase> formats_and_directories() {
  std::vector<FormatCase> cases = writable_formats();
  std::vector<FormatCase> directories;
  for (FormatCase one : cases) {
    bool is_plain = one.compression == "none";
    if (!one.is_newest() || (!is_plain && one.compression != one.version.compressions.back())) {
      continue;
    }
    one.is_directory = true;
    directories.push_back(one);
    if (!is_plain) continue;
    one.compression = "zstd_file";
    directories.push_back(one);
  }
  cases.insert(cases.end(), directories.begin(), directories.end());
  return cases;
}

/// Those of `cases` that `fits` is true of.
template <class Fits>
std::vector<FormatCase> cases_that(std::vector<FormatCase> cases, Fits fits) {
  std::erase_if(cases, [&](const FormatCase& one) { return !fits(one); });
  return cases;
}

inline std::string case_name(const ::testing::TestParamInfo<FormatCase>& info) {
  return info.param.name();
}

}  // namespace kitbag::testing
