#include <algorithm>
#include <vector>

#include "storage/rosbag/run_lines.h"
#include "storage/rosbag/run_versions.h"

namespace kitbag::rosbag {

namespace {

/// The three lines in front of a message.
struct Lines {
  std::string_view topic, md5sum, type;
  std::size_t bytes = 0;
  bool is_cut = false;
  bool are_whole = false;
};

Lines take_lines(ByteView bytes) {
  Lines lines;
  ByteView rest = bytes;
  for (std::string_view* line : {&lines.topic, &lines.md5sum, &lines.type}) {
    auto text = take_line(rest, lines.is_cut);
    if (!text) return lines;
    *line = *text;
  }
  lines.bytes = bytes.size() - rest.size();
  lines.are_whole = is_md5(lines.md5sum);
  return lines;
}

/// The key of a channel is its three lines as they stand.
class V1_1Parser final : public RunParser {
 public:
  RunRecord parse(ByteView bytes, std::string&) const override {
    for (const std::string& key : keys_) {  // nearly always one of these
      if (as_text(bytes).starts_with(key)) return parse_message(bytes, key.size(), key);
    }
    Lines lines = take_lines(bytes);
    if (lines.is_cut) return RunRecord::needs(bytes.size() + 1);
    if (!lines.are_whole) return {};
    return parse_message(bytes, lines.bytes, as_text(bytes.first(lines.bytes)));
  }

  void learn(std::string_view key) override {
    if (keys_.size() < kKnownKeys) keys_.emplace_back(key);
  }

  Channel describe(std::string_view key) const override {
    Lines lines = take_lines(as_bytes(key));
    return undefined_channel(lines.topic, lines.md5sum, lines.type);
  }

  std::size_t find_record(ByteView bytes) const override {
    std::string_view text = as_text(bytes);
    std::size_t first = text.size();
    for (const std::string& key : keys_) first = std::min(first, text.find(key, 1));
    return first < text.size() ? first : find_unknown(bytes);
  }

 private:
  /// Compared one by one, so few.
  static constexpr std::size_t kKnownKeys = 64;

  /// No message was seen yet: the first place that begins with three such lines.
  static std::size_t find_unknown(ByteView bytes) {
    for (std::size_t at = 1; at < bytes.size(); ++at) {
      if (take_lines(bytes.subspan(at)).are_whole) return at;
    }
    return bytes.size();
  }

  std::vector<std::string> keys_;
};

}  // namespace

Run open_v1_1(const ReadFile& file, const std::string& path) {
  std::vector<std::byte> head(kMaxLine);
  head.resize(file.read(0, head));
  ByteView rest = head;
  bool is_cut = false;
  if (!take_line(rest, is_cut)) {
    throw Error(ErrorCode::truncated, "the file ends inside its first line", path, head.size());
  }
  return {head.size() - rest.size(), std::make_unique<V1_1Parser>()};
}

}  // namespace kitbag::rosbag
