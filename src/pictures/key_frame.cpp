#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kitbag/video.h"
#include "pictures/video_format.h"

// What the first bytes of a frame say about it. web/src/video/codec.ts reads the same for
// the decoders of browsers.

namespace kitbag {
namespace {

std::uint8_t byte_at(ByteView data, std::size_t at) {
  return std::to_integer<std::uint8_t>(data[at]);
}

/// Where the next unit of Annex B begins, behind the code 0 0 1; absent: there is none.
std::optional<std::size_t> next_unit(ByteView data, std::size_t from) {
  for (std::size_t i = from; i + 3 < data.size(); ++i) {
    if (data[i] == std::byte{0} && data[i + 1] == std::byte{0} && data[i + 2] == std::byte{1}) {
      return i + 3;
    }
  }
  return std::nullopt;
}

/// Whether parameters (`is_parameters`) come before a picture that needs no other, which is the
/// first one of the frame. `type_of` gives the type of a unit by its first byte.
template <class TypeOf, class IsPicture>
bool begins_with_key(ByteView data, int parameters, TypeOf type_of, IsPicture is_picture,
                     int first_key, int last_key) {
  bool has_parameters = false;
  for (auto at = next_unit(data, 0); at; at = next_unit(data, *at)) {
    int type = type_of(byte_at(data, *at));
    if (type == parameters) has_parameters = true;
    if (is_picture(type)) return has_parameters && type >= first_key && type <= last_key;
  }
  return false;
}

bool is_h264_key(ByteView data) {
  constexpr int kParameters = 7;
  constexpr int kKey = 5;
  return begins_with_key(
      data, kParameters, [](std::uint8_t byte) { return byte & 31; },
      [](int type) { return type >= 1 && type <= kKey; }, kKey, kKey);
}

bool is_h265_key(ByteView data) {
  constexpr int kParameters = 33;
  constexpr int kFirstKey = 16;
  constexpr int kLastKey = 21;
  constexpr int kPictures = 32;
  return begins_with_key(
      data, kParameters, [](std::uint8_t byte) { return (byte >> 1) & 63; },
      [](int type) { return type < kPictures; }, kFirstKey, kLastKey);
}

/// Bits: 1 0, the profile (the lower bit first), for profile 3 a reserved one, whether a known
/// frame is shown again, and whether it depends on others.
bool is_vp9_key(ByteView data) {
  if (data.empty()) return false;
  unsigned first = byte_at(data, 0);
  if (first >> 6 != 2) return false;
  unsigned profile = ((first >> 5) & 1) | ((first >> 3) & 2);
  unsigned shift = profile == 3 ? 1 : 0;
  return ((first >> (3 - shift)) & 1) == 0 && ((first >> (2 - shift)) & 1) == 0;
}

/// A key frame comes with a sequence header.
bool is_av1_key(ByteView data) {
  constexpr unsigned kSequenceHeader = 1;
  constexpr unsigned kMostSizeBits = 56;
  for (std::size_t at = 0; at < data.size();) {
    unsigned header = byte_at(data, at);
    at += (header & 4) != 0 ? 2 : 1;
    if (((header >> 3) & 15) == kSequenceHeader) return at < data.size();
    if ((header & 2) == 0) return false;  // it goes on to the end
    std::uint64_t size = 0;
    for (unsigned shift = 0; shift < kMostSizeBits && at < data.size(); shift += 7) {
      unsigned byte = byte_at(data, at++);
      size |= std::uint64_t{byte & 127} << shift;
      if ((byte & 128) == 0) break;
    }
    if (at >= data.size() || size > data.size() - at) return false;
    at += static_cast<std::size_t>(size);
  }
  return false;
}

/// ffmpeg_image_transport has named the encoder, and later ones the format.
constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"h264", "h264"},      {"libx264", "h264"}, {"libx264rgb", "h264"}, {"libopenh264", "h264"},
    {"h265", "h265"},      {"hevc", "h265"},    {"libx265", "h265"},    {"vp9", "vp9"},
    {"libvpx-vp9", "vp9"}, {"av1", "av1"},      {"libaom-av1", "av1"},  {"libsvtav1", "av1"}};

}  // namespace

std::string video_format(std::string_view format) {
  std::string plain(format.substr(0, format.find_first_of("; ,")));
  std::transform(plain.begin(), plain.end(), plain.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [name, known] : kNames) {
    // "h264_nvenc" is an encoder of it that the machine has.
    bool is_it = plain == name || (plain.starts_with(name) && plain[name.size()] == '_');
    if (is_it) return std::string(known);
  }
  return "";
}

bool is_key_frame(std::string_view format, ByteView data) {
  std::string plain = video_format(format);
  if (plain == "h264") return is_h264_key(data);
  if (plain == "h265") return is_h265_key(data);
  if (plain == "vp9") return is_vp9_key(data);
  return plain == "av1" && is_av1_key(data);
}

}  // namespace kitbag
