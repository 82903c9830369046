#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/encode_video.h"
#include "kitbag/field.h"
#include "kitbag/registry.h"

namespace kitbag {

/// A message that has become one with a frame.
struct EncodedMessage {
  std::vector<std::byte> payload;
  /// Of the pictures of a stream that begins with it; 0: it goes on.
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

/// The pictures of one channel as a video.
class EncodedTopic {
 public:
  /// Throws Error (unsupported) if the encoding of the channel cannot hold a video.
  EncodedTopic(ChannelPtr from, const EncodedTopics& how, const VideoCodec& codec,
               const Session& session);

  /// What `from` becomes, in its slot.
  const Channel& channel() const { return *channel_; }

  /// One thread at a time. Throws Error, with topic and time; a new stream begins behind it.
  EncodedMessage encode(const Message& message, const Wait& wait);

 private:
  std::vector<std::byte> frame_of(const Message& message, const Wait& wait, EncodedMessage& made);
  template <class Value>
  static Value first_of(std::vector<FieldReader<Value>>& readers, const Message& message,
                        Value otherwise);

  ChannelPtr from_;
  EncodedTopics how_;
  const VideoCodec& codec_;
  Session session_;
  bool is_ros_;
  ChannelPtr channel_;
  TypePtr type_;
  std::unique_ptr<Encoder> payloads_;
  Arena arena_;
  std::vector<FieldReader<Time>> stamps_;
  std::vector<FieldReader<std::string>> frame_ids_;
  std::unique_ptr<VideoEncoder> encoder_;  ///< null: the next picture begins a stream
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
};

}  // namespace kitbag
