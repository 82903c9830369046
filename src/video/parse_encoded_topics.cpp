#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "kitbag/encode_video.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"

// TOPIC=FORMAT[:NAME=VALUE,...], as on the command line. What is wrong with a setting is found here
// as far as it can be without an encoder; encode_video() tries the rest at its beginning, before
// the first message.

namespace kitbag {
namespace {

constexpr unsigned kMostCrf = 51;
constexpr unsigned kMostFrames = 1'000'000;
constexpr std::uint64_t kMostBits = 10'000'000'000;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::invalid, why);
}

unsigned parse_number(std::string_view name, std::string_view text, unsigned least, unsigned most) {
  unsigned number = 0;
  auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool is_valid = error == std::errc() && rest == text.data() + text.size() && number >= least &&
                  number <= most;
  if (is_valid) return number;
  refuse(fmt::format("{}: expected an integer from {} to {}, got \"{}\"", name, least, most,
                     escaped(text)));
}

void set(std::string_view name, std::string_view value, VideoEncoding& encoding) {
  if (name == "crf") {
    encoding.crf = parse_number(name, value, 0, kMostCrf);
  } else if (name == "bitrate") {
    encoding.bits_per_second = parse_size(value);
    bool is_valid = encoding.bits_per_second >= 1000 && encoding.bits_per_second <= kMostBits;
    if (!is_valid) refuse("bitrate: expected bits a second, from 1k to 10G");
  } else if (name == "preset") {
    if (value.empty()) refuse("preset: expected a name, such as veryfast");
    encoding.preset = value;
  } else if (name == "key") {
    encoding.key_interval = parse_duration(value);
    if (encoding.key_interval <= Duration::zero()) refuse("key: expected more than 0s");
  } else if (name == "gop") {
    encoding.frames_a_key = parse_number(name, value, 1, kMostFrames);
  } else {
    refuse(fmt::format("unknown setting \"{}\"; there are crf, bitrate, preset, key and gop",
                       escaped(name)));
  }
}

}  // namespace

EncodedTopics parse_encoded_topics(std::string_view text) {
  std::size_t sign = text.find('=');
  if (sign == 0 || sign == std::string_view::npos) {
    refuse(fmt::format("expected TOPIC=h264 or TOPIC=h265, got \"{}\"", escaped(text)));
  }
  EncodedTopics made;
  made.topics = text.substr(0, sign);
  std::string_view rest = text.substr(sign + 1);
  std::size_t colon = std::min(rest.find(':'), rest.size());
  made.format = rest.substr(0, colon);
  if (made.format == "hevc") made.format = "h265";
  if (made.format != "h264" && made.format != "h265") {
    refuse(fmt::format("unknown format \"{}\"; supported: h264, h265", escaped(made.format)));
  }
  rest.remove_prefix(std::min(colon + 1, rest.size()));
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find(','), rest.size());
    std::string_view setting = rest.substr(0, end);
    std::size_t equals = std::min(setting.find('='), setting.size());
    set(setting.substr(0, equals), setting.substr(std::min(equals + 1, setting.size())),
        made.encoding);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return made;
}

}  // namespace kitbag
