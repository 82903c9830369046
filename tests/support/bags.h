#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kitbag/kitbag.h"

/// What the suites that run over every format share: bags described as plain lists, written
/// through a Format and read back as plain lists.
namespace kitbag::testing {

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
                               std::map<std::string, std::string> metadata = {}) {
  metadata.try_emplace("md5sum", "992ce8a1687cec8c8bd883ec73ca41d1");
  auto channel = std::make_shared<Channel>();
  channel->slot = slot;
  channel->topic = std::move(topic);
  channel->encoding = "ros1";
  channel->schema = std::make_shared<Schema>(Schema{"std_msgs/String", "ros1msg", "string data\n"});
  channel->metadata = std::move(metadata);
  return channel;
}

/// Three channels: two of them on one topic, from different nodes, one latched.
inline ChannelsPtr test_channels() {
  return std::make_shared<Channels>(
      Channels{make_channel(0, "/a"), make_channel(1, "/b", {{"callerid", "/one"}}),
               make_channel(2, "/b", {{"callerid", "/two"}, {"latching", "1"}})});
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
inline std::vector<std::byte> bag_bytes(const Format& format, const WriteOptions& options,
                                        const std::vector<TestMessage>& messages,
                                        const ChannelsPtr& channels = test_channels()) {
  TempFolder folder;
  std::string path = folder / ("bag" + std::string(format.extension));
  auto writer = create(path, std::string(format.name), options, standard_registry());
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

/// A format and one of its compressions, under a name that a test may have.
struct FormatCase {
  Format format;
  std::string compression;
};

inline std::vector<FormatCase> writable_formats() {
  std::vector<FormatCase> cases;
  for (const Format& format : standard_registry().formats) {
    if (!format.create) continue;
    for (std::string_view compression : format.compressions) {
      cases.push_back({format, std::string(compression)});
    }
  }
  return cases;
}

inline std::string case_name(const ::testing::TestParamInfo<FormatCase>& info) {
  return std::string(info.param.format.name) + "_" + info.param.compression;
}

}  // namespace kitbag::testing
