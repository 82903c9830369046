#include "storage/rosbag/run_lines.h"
#include "storage/rosbag/run_versions.h"

namespace kitbag::rosbag {

namespace {

class V0Parser final : public RunParser {
 public:
  explicit V0Parser(Channel channel) : channel_(std::move(channel)) {}

  RunRecord parse(ByteView bytes, std::string&) const override {
    return parse_message(bytes, 0, {});
  }
  Channel describe(std::string_view) const override { return channel_; }

  /// Nothing marks a message but a plausible head, so any place will do where one is.
  std::size_t find_record(ByteView bytes) const override {
    for (std::size_t at = 1; at + kMessageHead <= bytes.size(); ++at) {
      if (parse_message(bytes.subspan(at), 0, {}).kind == RunRecord::Kind::message) return at;
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
  auto topic = take_line(bytes, is_cut);
  auto md5sum = topic ? take_line(bytes, is_cut) : std::nullopt;
  auto type = md5sum ? take_line(bytes, is_cut) : std::nullopt;
  if (!type) {
    throw Error(is_cut ? ErrorCode::truncated : ErrorCode::corrupt,
                "the three lines that begin a bag of version 0 are not there", path, 0);
  }
  Channel channel = undefined_channel(*topic, *md5sum, *type);
  return {head.size() - bytes.size(), std::make_unique<V0Parser>(std::move(channel))};
}

}  // namespace kitbag::rosbag
