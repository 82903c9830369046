#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "export/video/mux.h"
#include "export/video/shown_order.h"
#include "kitbag/video.h"

namespace kitbag::libav {

/// Throws Error (corrupt) for a frame that no container takes: without data, or, in AV1, with units
/// that do not end where it does.
void check_units(const EncodedFrame& frame);

/// What decoders of a stream have to know before the first frame.
using ParameterSets = std::vector<std::uint8_t>;

/// Those that a key frame brings, in the form of the stream; empty: none, as in VP9.
ParameterSets parameter_sets_of(const EncodedFrame& key);

/// What a container says of the stream that begins with this key frame, which is decoded. Throws
/// Error (corrupt, unsupported, limit).
Parameters parameters_of(const EncodedFrame& key, const ParameterSets& sets);

/// A stream that is passed on as it is. One thread.
class CodedStream {
 public:
  explicit CodedStream(std::string format);

  const std::string& format() const { return format_; }
  /// Whether frames may be shown in another order than they are decoded.
  bool may_be_reordered() const { return format_ == "h264" || format_ == "h265"; }
  /// Makes a packet of the next frame. Throws Error (limit).
  CodedFrame frame_of(const EncodedFrame& frame, Time time);

 private:
  std::string format_;
  Parser parser_;
  Context context_;  ///< for the parser
};

}  // namespace kitbag::libav
