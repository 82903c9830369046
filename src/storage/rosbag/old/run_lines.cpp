#include "storage/rosbag/old/run_lines.h"

#include <algorithm>

#include "storage/rosbag/records.h"

// These versions have no lengths of lines, no marks and no sums. What can be checked is little: a
// line is printable and not too long, nanoseconds are below a billion, and a message has at most 1
// GiB. That is enough to notice that binary data is no line, but a wrong time or payload passes.

namespace kitbag::rosbag {

namespace {

bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

std::optional<std::string_view> take_line(ByteView& bytes, bool& is_cut) {
  std::string_view text = as_text(bytes.first(std::min(bytes.size(), kMaxLine)));
  auto end = std::find_if_not(text.begin(), text.end(), is_printable);
  if (end == text.end()) {
    is_cut = text.size() < kMaxLine;
    return std::nullopt;
  }
  auto size = static_cast<std::size_t>(end - text.begin());
  if (*end != '\n' || size == 0) return std::nullopt;
  bytes = bytes.subspan(size + 1);
  return text.substr(0, size);
}

std::optional<ChannelLines> take_channel_lines(ByteView& bytes, bool& is_cut) {
  auto topic = take_line(bytes, is_cut);
  auto md5sum = topic ? take_line(bytes, is_cut) : std::nullopt;
  auto type = md5sum ? take_line(bytes, is_cut) : std::nullopt;
  if (!type) return std::nullopt;
  return ChannelLines{*topic, *md5sum, *type};
}

bool is_md5(std::string_view text) {
  return text == "*" || (text.size() == 32 && std::all_of(text.begin(), text.end(), is_hex_digit));
}

RunRecord parse_message(ByteView bytes, std::size_t lines) {
  RunRecord record = RunRecord::needs(lines + kMessageHead);
  if (bytes.size() < record.bytes) return record;
  const std::byte* head = bytes.data() + lines;
  auto time = load_le<std::uint64_t>(head);
  auto size = load_le<std::uint32_t>(head + 8);
  if (time >> 32 >= 1'000'000'000 || size > kMaxRunMessage) return {};
  record.kind = RunRecord::Kind::message;
  record.head_bytes = lines + kMessageHead;
  record.bytes += size;
  record.time = time_of(time);
  return record;
}

Channel undefined_channel(std::string_view topic, std::string_view md5sum, std::string_view type) {
  Channel channel;
  channel.topic = topic;
  channel.encoding = "ros1";
  channel.schema = std::make_shared<Schema>(Schema{std::string(type), "ros1msg", {}});
  channel.metadata["md5sum"] = md5sum;
  return channel;
}

}  // namespace kitbag::rosbag
