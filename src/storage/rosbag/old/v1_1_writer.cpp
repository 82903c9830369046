#include <fmt/format.h>

#include "storage/rosbag/md5sum.h"
#include "storage/rosbag/old/old_writer.h"
#include "storage/rosbag/old/run_lines.h"
#include "storage/rosbag/records.h"
#include "storage/writing/file_options.h"

// Each message repeats the lines of its channel (v1_1.cpp); there is no index, and there are no
// definitions. The lines are made once, with room for the numbers, which are put in for each
// message. Whatever a reader could not take for a line is refused when the channel is declared.

namespace kitbag::rosbag {

namespace {

constexpr std::string_view kVersion1_1 = "1.1";
constexpr std::string_view kFirstLine1_1 = "#ROSRECORD V1.1\n";

class V1_1Writer final : public OldWriter {
 public:
  V1_1Writer(std::unique_ptr<WriteFile> file, const std::string& path, const WriteOptions& options)
      : OldWriter(std::move(file), path, kVersion1_1, options) {
    this->file().append(as_bytes(kFirstLine1_1));
  }

 private:
  /// The three lines in front of a channel's messages, with room for the numbers.
  struct Head {
    std::vector<std::byte> bytes;
    bool is_used = false;
  };

  void declare_ros1(const Channel& channel) override;
  void put(std::uint32_t place, const Message& message) override;
  void finish() override;
  std::string line(const Channel& channel, const std::string& text) const;

  std::vector<Head> heads_;  ///< by place
};

/// `text` as a line that every reader can parse. Throws Error (unsupported) if that is impossible.
std::string V1_1Writer::line(const Channel& channel, const std::string& text) const {
  std::string line = text.empty() ? "*\n" : text + '\n';
  ByteView bytes = as_bytes(line);
  bool is_cut = false;
  if (take_line(bytes, is_cut) && bytes.empty()) return line;
  throw Error(ErrorCode::unsupported,
              fmt::format("a bag of version 1.1 cannot store the name of topic {:?} or of its "
                          "type; names must be printable lines of at most {} characters",
                          channel.topic, kMaxLine - 1),
              path());
}

void V1_1Writer::declare_ros1(const Channel& channel) {
  if (channel.topic.empty()) {
    throw Error(
        ErrorCode::unsupported,
        "a bag of version 1.1 cannot store a topic without a name; rename the topic \"\", or "
        "write another version",
        path());
  }
  std::string sum = md5sum_of(channel);
  bool has_md5sum = is_md5(sum);
  std::string head = line(channel, channel.topic) +
                     line(channel, has_md5sum ? sum : std::string()) +
                     line(channel, channel.type());
  head.resize(head.size() + kMessageHead);
  auto bytes = as_bytes(head);
  heads_.emplace_back().bytes.assign(bytes.begin(), bytes.end());

  if (channel.schema && !channel.schema->text.empty()) left_out().add("message definitions");
  for (const auto& [name, value] : channel.metadata) {
    if (name != "md5sum" || !has_md5sum) left_out().add(name);
  }
}

void V1_1Writer::put(std::uint32_t place, const Message& message) {
  Head& head = heads_[place];
  head.is_used = true;
  std::byte* numbers = head.bytes.data() + head.bytes.size() - kMessageHead;
  store_le(store_le(numbers, stored_time(message.log_time)),
           static_cast<std::uint32_t>(message.data.size()));
  ByteView pieces[] = {head.bytes, message.data};
  file().append(pieces);
}

void V1_1Writer::finish() {
  for (const Head& head : heads_) {
    if (!head.bytes.empty() && !head.is_used) left_out().add("channels without messages");
  }
}

}  // namespace

std::unique_ptr<Writer> create_1_1(const std::string& path, const WriteOptions& options,
                                   const Session& session) {
  return std::make_unique<V1_1Writer>(create_bag_file(path, options, session), path, options);
}

}  // namespace kitbag::rosbag
