#include "storage/rosbag/old/run_lines.h"
#include "storage/rosbag/old/run_versions.h"

// One topic, and then messages of twelve bytes and a payload. A message has no mark at all: any
// bytes whose second word is below a billion (nanoseconds) and whose third one is not absurd may be
// its head. So four messages in a row are required after damage, and not two as in other versions.

namespace kitbag::rosbag {

namespace {

class V0Parser final : public RunParser {
 public:
  explicit V0Parser(Channel channel) : channel_(std::move(channel)) {}

  /// Twelve zeros are no message, but a hole in the file: one of nothing in 1970 is not worth
  /// reading holes as messages.
  RunRecord parse(ByteView bytes, RunScratch&) const override {
    RunRecord record = parse_message(bytes, 0);
    bool is_hole = record.bytes == kMessageHead && record.time == Time();
    return record.is_known() && is_hole ? RunRecord() : record;
  }
  Channel describe(std::string_view) const override { return channel_; }
  std::vector<Channel> silent_channels(const Channels& known) const override {
    return known.empty() ? std::vector<Channel>{channel_} : std::vector<Channel>();
  }

  /// Nothing marks a message but a plausible head, so any place will do where one is.
  std::size_t find_record(ByteView bytes) const override {
    RunScratch unused;
    for (std::size_t at = 0; at + kMessageHead <= bytes.size(); ++at) {
      if (parse(bytes.subspan(at), unused).is_known()) return at;
    }
    return bytes.size();
  }
  std::size_t chain() const override { return 4; }

 private:
  Channel channel_;
};

}  // namespace

Run open_v0(const ReadFile& file, const std::string& path) {
  std::vector<std::byte> head(3 * kMaxLine);
  head.resize(file.read(0, head));
  ByteView bytes = head;
  bool is_cut = false;
  auto lines = take_channel_lines(bytes, is_cut);
  if (!lines) {
    throw Error(is_cut ? ErrorCode::truncated : ErrorCode::corrupt,
                "the three lines at the beginning of a bag of version 0 are missing", path, 0);
  }
  Channel channel = undefined_channel(lines->topic, lines->md5sum, lines->type);
  return {head.size() - bytes.size(), std::make_unique<V0Parser>(std::move(channel))};
}

}  // namespace kitbag::rosbag
