#include <algorithm>
#include <vector>

#include "storage/rosbag/old/run_lines.h"
#include "storage/rosbag/old/run_versions.h"

// Each message begins with three lines: topic, md5sum, type. No list of the channels exists, so any
// three lines may introduce a new one. That makes damage hard to see, and the md5sum is what helps:
// 32 hexadecimal digits, or `*`.
//
//     ... binary payload /odom\n 61c6...\n nav_msgs/Odometry\n sec nsec length payload ...
//
// A search therefore looks for a line that is an md5sum with a line before and behind it. Where the
// topic begins is the difficulty, because the payload before it may end with letters. If the three
// lines are those of a known channel, they are compared from the end. Otherwise the topic is taken
// to begin at the first slash of the letters before the line's end, and at the first letter if
// there is none.

namespace kitbag::rosbag {

namespace {

/// Characters that names of topics and types may contain.
bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '/' || c == '~';
}

/// Where the line behind `at` ends if it is an md5sum, else npos.
std::size_t end_of_md5_line(std::string_view text, std::size_t at) {
  constexpr std::size_t kDigits = 32;
  for (std::size_t size : {std::size_t{1}, kDigits}) {
    bool is_line = at + size < text.size() && text[at + size] == '\n';
    if (is_line && is_md5(text.substr(at, size))) return at + size;
  }
  return std::string_view::npos;
}

/// Where an unknown topic begins whose line ends at `end`: binary data may precede it, and end with
/// characters that a name may have.
std::size_t guess_begin(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && end - begin < kMaxLine && is_name_character(text[begin - 1])) --begin;
  std::string_view name = text.substr(begin, end - begin);
  std::size_t slash = name.find('/');
  if (slash != std::string_view::npos) return begin + slash;
  auto letter = std::find_if(name.begin(), name.end(), [](char c) { return c > '9' && c != '_'; });
  return begin + static_cast<std::size_t>(letter - name.begin());
}

/// The key of a channel is its three lines as they stand.
class V1_1Parser final : public RunParser {
 public:
  RunRecord parse(ByteView bytes, RunScratch& scratch) const override;
  void learn(ByteView head, std::uint32_t slot) override;
  Channel describe(std::string_view key) const override {
    ByteView bytes = as_bytes(key);
    bool is_cut = false;
    auto lines = take_channel_lines(bytes, is_cut);
    return undefined_channel(lines->topic, lines->md5sum, lines->type);
  }
  std::size_t find_record(ByteView bytes) const override;

 private:
  struct Known {
    std::string lines;
    std::uint32_t slot;
  };
  /// Compared one by one, so few.
  static constexpr std::size_t kMostKnown = 64;

  std::size_t size_of_known_before(std::string_view text) const;

  std::vector<Known> known_;
};

RunRecord V1_1Parser::parse(ByteView bytes, RunScratch& scratch) const {
  // Topics tend to come in turn, so the one behind the last one is tried first.
  for (std::size_t i = 0, at = scratch.last; i < known_.size(); ++i) {
    at = at + 1 < known_.size() ? at + 1 : 0;
    const std::string& lines = known_[at].lines;
    if (bytes.size() < lines.size() || std::memcmp(bytes.data(), lines.data(), lines.size()) != 0) {
      continue;
    }
    scratch.last = at;
    RunRecord record = parse_message(bytes, lines.size());
    record.slot = known_[at].slot;
    return record;
  }
  ByteView rest = bytes;
  bool is_cut = false;
  auto lines = take_channel_lines(rest, is_cut);
  if (is_cut) return RunRecord::needs(bytes.size() + 1);
  if (!lines || !is_md5(lines->md5sum)) return {};
  std::size_t size = bytes.size() - rest.size();
  RunRecord record = parse_message(bytes, size);
  record.key = as_text(bytes.first(size));
  return record;
}

void V1_1Parser::learn(ByteView head, std::uint32_t slot) {
  std::string_view lines = as_text(head.first(head.size() - kMessageHead));
  auto is_same = [&](const Known& known) { return known.lines == lines; };
  bool is_known = std::any_of(known_.begin(), known_.end(), is_same);
  if (!is_known && known_.size() < kMostKnown) known_.push_back({std::string(lines), slot});
}

std::size_t V1_1Parser::find_record(ByteView bytes) const {
  std::string_view text = as_text(bytes);
  for (std::size_t end = text.find('\n'); end < text.size(); end = text.find('\n', end + 1)) {
    std::size_t md5_end = end_of_md5_line(text, end + 1);
    if (md5_end == std::string_view::npos) continue;
    ByteView behind = bytes.subspan(md5_end + 1);
    bool is_cut = false;
    if (!take_line(behind, is_cut) || !parse_message(behind, 0).is_known()) continue;
    std::size_t type_end = bytes.size() - behind.size();
    std::size_t known = size_of_known_before(text.substr(0, type_end));
    std::size_t begin = known > 0 ? type_end - known : guess_begin(text, end);
    if (begin < end) return begin;
  }
  return text.size();
}

/// Of the longest lines known with which `text` ends.
std::size_t V1_1Parser::size_of_known_before(std::string_view text) const {
  std::size_t size = 0;
  for (const Known& known : known_) {
    if (known.lines.size() > size && text.ends_with(known.lines)) size = known.lines.size();
  }
  return size;
}

}  // namespace

Run open_v1_1(const ReadFile& file, const std::string& path) {
  std::vector<std::byte> head(kMaxLine);
  head.resize(file.read(0, head));
  ByteView rest = head;
  bool is_cut = false;
  if (!take_line(rest, is_cut)) {
    throw Error(ErrorCode::truncated, "the file ends within its first line", path, head.size());
  }
  return {head.size() - rest.size(), std::make_unique<V1_1Parser>()};
}

}  // namespace kitbag::rosbag
