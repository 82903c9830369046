#include <algorithm>
#include <charconv>
#include <map>

#include "storage/rosbag/old/run_lines.h"
#include "storage/rosbag/old/run_versions.h"

// The recorder of 2008 wrote a topic's type before its md5sum; its player and its description have
// them in the reverse order. Both orders exist, so each topic's two lines are identified by their
// form.
//
//   #ROSLOG V1.0
//   2                                   topics
//   /chatter                            of each, three lines
//   std_msgs/String
//   992ce8a1687cec8c8bd883ec73ca41d1
//   ...
//   /chatter                            then messages: the topic in a line,
//   SEC NSEC LENGTH payload             numbers of 32 bits
//
// A message has nothing in front that marks it. So after damage the next one is found by a line
// that ends with the name of a topic and is followed by a header that makes sense.

namespace kitbag::rosbag {

namespace {

struct V1_0Topic {
  Channel channel;
  std::uint32_t slot = kUnknownSlot;
};
using V1_0Topics = std::map<std::string, V1_0Topic, std::less<>>;

class V1_0Parser final : public RunParser {
 public:
  explicit V1_0Parser(V1_0Topics topics) : topics_(std::move(topics)) {}

  RunRecord parse(ByteView bytes, RunScratch&) const override {
    bool is_cut = false;
    ByteView rest = bytes;
    auto topic = take_line(rest, is_cut);
    if (!topic) return is_cut ? RunRecord::needs(bytes.size() + 1) : RunRecord();
    auto known = topics_.find(*topic);
    if (known == topics_.end()) return {};
    RunRecord record = parse_message(bytes, topic->size() + 1);
    record.slot = known->second.slot;
    record.key = *topic;
    return record;
  }
  void learn(ByteView head, std::uint32_t slot) override {
    bool is_cut = false;
    topics_.find(*take_line(head, is_cut))->second.slot = slot;
  }
  Channel describe(std::string_view key) const override {
    return topics_.find(key)->second.channel;
  }
  std::vector<Channel> silent_channels(const Channels&) const override;
  std::size_t find_record(ByteView bytes) const override;

 private:
  std::size_t topic_size_before(std::string_view text) const;

  V1_0Topics topics_;
};

std::vector<Channel> V1_0Parser::silent_channels(const Channels&) const {
  std::vector<Channel> silent;
  for (const auto& [name, topic] : topics_) {
    if (topic.slot == kUnknownSlot) silent.push_back(topic.channel);
  }
  return silent;
}

std::size_t V1_0Parser::find_record(ByteView bytes) const {
  std::string_view text = as_text(bytes);
  for (std::size_t end = text.find('\n'); end < text.size(); end = text.find('\n', end + 1)) {
    std::size_t size = topic_size_before(text.substr(0, end));
    if (size > 0 && parse_message(bytes.subspan(end - size), size + 1).is_known()) {
      return end - size;
    }
  }
  return text.size();
}

/// Of the longest topic with which `text` ends.
std::size_t V1_0Parser::topic_size_before(std::string_view text) const {
  std::size_t size = 0;
  for (const auto& [name, topic] : topics_) {
    // The payload in front may end with anything, so the line need not begin with the name.
    if (name.size() > size && text.ends_with(name)) size = name.size();
  }
  return size;
}

/// The first lines of the file: version, quantity, and three for each topic.
class V1_0Lines {
 public:
  V1_0Lines(const ReadFile& file, const std::string& path) : file_(file), path_(path) {}

  std::string next() {
    std::vector<std::byte> bytes(kMaxLine);
    bytes.resize(file_.read(at_, bytes));
    ByteView rest = bytes;
    bool is_cut = false;
    auto line = take_line(rest, is_cut);
    if (!line) {
      throw Error(is_cut ? ErrorCode::truncated : ErrorCode::corrupt,
                  "the table of topics is damaged or cut off", path_, at_);
    }
    at_ += line->size() + 1;
    return std::string(*line);
  }
  std::uint64_t at() const { return at_; }

 private:
  const ReadFile& file_;
  const std::string& path_;
  std::uint64_t at_ = 0;
};

/// How much a line looks like an md5sum rather than a type.
int md5_likeness(std::string_view line) {
  if (line == "*") return 2;
  if (is_md5(line)) return 3;
  return line.find('/') == std::string_view::npos ? 1 : 0;
}

Channel v1_0_channel(std::string_view topic, std::string_view first, std::string_view second) {
  if (md5_likeness(first) < md5_likeness(second)) std::swap(first, second);
  return undefined_channel(topic, first, second);
}

}  // namespace

Run open_v1_0(const ReadFile& file, const std::string& path) {
  V1_0Lines lines(file, path);
  lines.next();
  std::uint64_t at = lines.at();
  std::string quantity_line = lines.next();
  unsigned quantity = 0;
  const char* end = quantity_line.data() + quantity_line.size();
  auto [rest, error] = std::from_chars(quantity_line.data(), end, quantity);
  if (error != std::errc() || rest != end) {
    throw Error(ErrorCode::corrupt, "the number of topics is damaged", path, at);
  }
  V1_0Topics topics;
  for (unsigned i = 0; i < quantity; ++i) {
    std::string topic = lines.next();
    std::string first = lines.next();
    std::string second = lines.next();
    topics.insert_or_assign(topic, V1_0Topic{v1_0_channel(topic, first, second)});
  }
  return {lines.at(), std::make_unique<V1_0Parser>(std::move(topics))};
}

}  // namespace kitbag::rosbag
