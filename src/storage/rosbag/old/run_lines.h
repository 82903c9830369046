#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kitbag/bytes.h"
#include "storage/chunked/run_store.h"

/// The elements of V0, V1.0 and V1.1: lines of text, followed by messages `u32 sec, u32 nsec, u32
/// length, data`.
namespace kitbag::rosbag {

/// Names of topics and types are shorter in every bag seen.
inline constexpr std::size_t kMaxLine = 1024;
inline constexpr std::size_t kMessageHead = 12;
/// What a message of a run may claim.
inline constexpr std::size_t kMaxRunMessage = std::size_t{1} << 30;

/// The printable line at the front of `bytes`, without its end. Nothing: it is empty, too long, or
/// holds other characters; or `is_cut` is set and it goes on behind `bytes`.
std::optional<std::string_view> take_line(ByteView& bytes, bool& is_cut);

/// The three lines that name a channel.
struct ChannelLines {
  std::string_view topic, md5sum, type;
};
/// Those at the front of `bytes`; see take_line().
std::optional<ChannelLines> take_channel_lines(ByteView& bytes, bool& is_cut);

/// "*", or 32 hexadecimal digits.
bool is_md5(std::string_view text);

/// The message whose lines take the first `lines` bytes of `bytes`.
RunRecord parse_message(ByteView bytes, std::size_t lines);

/// A channel of a version that has no definitions.
Channel undefined_channel(std::string_view topic, std::string_view md5sum, std::string_view type);

}  // namespace kitbag::rosbag
