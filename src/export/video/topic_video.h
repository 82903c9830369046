#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "export/video/coded_stream.h"
#include "export/video/container.h"
#include "export/video/encoder.h"
#include "export/video/video_sink.h"
#include "kitbag/exporter.h"
#include "kitbag/field.h"

namespace kitbag::libav {

/// Whether messages of the channel can become frames.
bool is_camera(const Channel& channel, const Session& session);

/// The video of one topic: frames of a video as they are, or pictures, which are encoded. A new
/// file begins where the size of the pictures or the parameters of the stream change.
class TopicVideo final : public TopicExport {
 public:
  /// All that is given has to outlive this, the sink excepted.
  TopicVideo(std::string topic, Container container, std::unique_ptr<VideoSink> sink,
             const ExportRequest& request, const Session& session, const Wait& wait);

  void write(std::span<const Message> messages, const ChannelsPtr& channels) override;
  Exported finish() override;

 private:
  enum class Content { none, picture, frame, either };

  void take(const Message& message);
  void take_picture(const Message& message);
  void take_frame(const Message& message);
  template <class Read>
  auto read(const Message& message, const Read& read) -> std::optional<decltype(read())>;
  Content content_of(const Channel& channel);
  Time time_of(const Message& message);
  bool begin_file(const AVCodecParameters& parameters, Time time);
  void end_file();
  void write_group(std::vector<CodedFrame>& group);
  void tell(const std::string& sentence) const;
  void tell_at_end() const;

  std::string topic_;
  Container container_;
  std::unique_ptr<VideoSink> sink_;
  const ExportRequest& request_;
  const Session& session_;
  const Wait& wait_;
  std::array<FieldReader<Time>, 2> stamps_;
  std::map<const Channel*, std::size_t> stamp_fields_;  ///< which of stamps_; 2: none
  std::map<const Channel*, Content> contents_;

  std::unique_ptr<PictureEncoder> encoder_;  ///< of pictures
  std::unique_ptr<CodedStream> stream_;      ///< of frames that are passed on
  std::unique_ptr<ShownOrder> order_;        ///< of these; null: they are shown as they are decoded
  ParameterSets sets_;                       ///< of stream_
  int width_ = 0;                            ///< of stream_
  int height_ = 0;                           ///< likewise

  std::uint64_t before_key_ = 0;  ///< frames that are left out
  std::uint64_t behind_ = 0;      ///< messages behind the only file that the sink can have
  std::uint64_t moved_ = 0;       ///< as FrameTimes::moved()
  bool is_reordered_ = false;     ///< frames are shown in another order than they are decoded
};

}  // namespace kitbag::libav
