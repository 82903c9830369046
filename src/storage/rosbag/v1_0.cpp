#include <algorithm>
#include <charconv>
#include <map>

#include "storage/rosbag/run_lines.h"
#include "storage/rosbag/run_versions.h"

// The recorder of 2008 wrote a topic's type in front of its md5sum, its player and its description
// have them the other way round. Both orders exist, so each topic's two lines are told apart by
// what they look like.

namespace kitbag::rosbag {

namespace {

using TopicTable = std::map<std::string, Channel, std::less<>>;

class V1_0Parser final : public RunParser {
 public:
  explicit V1_0Parser(TopicTable topics) : topics_(std::move(topics)) {}

  RunRecord parse(ByteView bytes, std::string&) const override {
    bool is_cut = false;
    ByteView rest = bytes;
    auto topic = take_line(rest, is_cut);
    if (!topic) return is_cut ? RunRecord::needs(bytes.size() + 1) : RunRecord();
    if (!topics_.contains(*topic)) return {};
    return parse_message(bytes, topic->size() + 1, *topic);
  }
  Channel describe(std::string_view key) const override { return topics_.find(key)->second; }

  std::size_t find_record(ByteView bytes) const override {
    std::string_view text = as_text(bytes);
    std::size_t first = text.size();
    for (const auto& [topic, channel] : topics_) {
      first = std::min(first, text.find(topic + "\n", 1));
    }
    return first;
  }

 private:
  TopicTable topics_;
};

/// The first lines of the file: version, quantity, and three for each topic.
class TopicLines {
 public:
  TopicLines(const ReadFile& file, const std::string& path) : file_(file), path_(path) {}

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

bool looks_like_type(std::string_view line) {
  return line.find('/') != std::string_view::npos;
}

Channel topic_channel(std::string_view topic, std::string_view first, std::string_view second) {
  bool md5_first = is_md5(first) && !(is_md5(second) && looks_like_type(first));
  if (looks_like_type(first) && !looks_like_type(second)) md5_first = false;
  return md5_first ? undefined_channel(topic, first, second)
                   : undefined_channel(topic, second, first);
}

}  // namespace

Run open_v1_0(const ReadFile& file, const std::string& path) {
  TopicLines lines(file, path);
  lines.next();
  std::uint64_t at = lines.at();
  std::string quantity_line = lines.next();
  unsigned quantity = 0;
  const char* end = quantity_line.data() + quantity_line.size();
  auto [rest, error] = std::from_chars(quantity_line.data(), end, quantity);
  if (error != std::errc() || rest != end) {
    throw Error(ErrorCode::corrupt, "the number of topics is damaged", path, at);
  }
  TopicTable topics;
  for (unsigned i = 0; i < quantity; ++i) {
    std::string topic = lines.next();
    std::string first = lines.next();
    std::string second = lines.next();
    topics.insert_or_assign(topic, topic_channel(topic, first, second));
  }
  return {lines.at(), std::make_unique<V1_0Parser>(std::move(topics))};
}

}  // namespace kitbag::rosbag
