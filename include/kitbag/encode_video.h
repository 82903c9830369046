#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/export.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "kitbag/transcode.h"
#include "kitbag/video.h"

// encode_video() makes a video of pictures on their way, for a recording or a bag that would be too
// large with them:
//
//   EncodeVideoReport report;
//   EncodeVideoOptions options{.topics = {{"/camera/*", "h264", {.crf = 23}}}};
//   source = encode_video(std::move(source), options, report, session);
//
// A message with a picture becomes one with a frame: foxglove_msgs/CompressedVideo in the encodings
// of ROS, foxglove.CompressedVideo in others. Topic, times, sequence numbers and metadata stay.

namespace kitbag {

/// Topics whose pictures become a video, and how.
struct EncodedTopics {
  std::string topics;           ///< a name, or a glob as in Selection
  std::string format = "h264";  ///< a VideoCodec with an encoder: "h264" or "h265"
  VideoEncoding encoding = {};  ///< without width and height, which are those of the pictures
};

/// Returns what "/camera/*=h264:crf=23,preset=fast" says. Behind the format may be settings: `crf`
/// from 0 to 51, `bitrate` in bits a second ("2M"), `preset`, `key`, the most time from a key frame
/// to the next one ("1s"), and `gop`, the same in frames. Throws Error (invalid).
KITBAG_API EncodedTopics parse_encoded_topics(std::string_view text);

/// What encode_video() does.
struct EncodeVideoOptions {
  std::vector<EncodedTopics> topics = {};  ///< the first one that matches a topic counts
  /// True, for live systems: a picture that comes while `most_waiting` of its topic wait for the
  /// encoder is dropped and counted. False: the reader waits.
  bool may_drop = false;
  std::size_t most_waiting = 8;  ///< pictures of a topic
  /// About the most bytes of messages that are held until the pictures before them are encoded.
  std::size_t held_bytes = 256 << 20;
  unsigned threads = 0;               ///< at most so many encode; 0: one a core
  OnError on_error = OnError::stop;   ///< for pictures that cannot be encoded; raw is as skip
  TranscodeReport* losses = nullptr;  ///< counts these; may be null, else outlives the source
};

/// What encode_video() has done so far.
struct EncodeVideoReport {
  std::map<std::string, std::uint64_t> frames = {};   ///< encoded, by topic
  std::map<std::string, std::uint64_t> dropped = {};  ///< pictures, by topic (may_drop)
  std::uint64_t held = 0;  ///< messages that were read and not given yet: 0 at the end
  std::vector<std::string> remarks = {};  ///< what is not as one might expect: a sentence each
};

/// Returns a source that gives the messages of `source` in the same order, with the pictures of
/// these topics encoded. The first message of a topic decides what becomes of the topic: raw
/// pictures with 8 bits of a colour, and JPEGs, become a video; a topic with others (depth, PNG)
/// stays as it is, with a remark; so does a video. A CompressedImage that is a frame already
/// becomes a CompressedVideo with that frame. When the size of pictures changes, another stream
/// begins, with a key frame.
///
/// Each topic is encoded by one thread. `report` is updated by read(), on its thread, and must
/// outlive the source. Throws Error: invalid for settings that the encoder does not have, not_found
/// if the plugin was not built, unsupported if there is no such encoder. read() throws Error as
/// OnError says.
KITBAG_API std::unique_ptr<Source> encode_video(std::unique_ptr<Source> source,
                                                const EncodeVideoOptions& options,
                                                EncodeVideoReport& report, const Session& session);

}  // namespace kitbag
