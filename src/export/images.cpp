#include "export/images.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "export/fitting.h"
#include "export/left_out.h"
#include "export/message_files.h"
#include "export/video_frames.h"
#include "kitbag/error.h"
#include "kitbag/picture.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "kitbag/video.h"
#include "pictures/exact_png.h"
#include "pictures/image_file.h"
#include "pictures/picture_type.h"

// A folder has the pictures of one topic, and images.csv, which says of each what its name does
// not: its size, and what the message called its encoding.
//
// Frames of a video may come out of the decoder later than they went in. The decoder hands back the
// time that it was given, so each gets its own name.

namespace kitbag {
namespace {

constexpr std::uint64_t kMostPixels = PictureOptions{}.most_pixels;

/// A value as RFC 4180 wants it; the text is from a bag.
std::string csv_text(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += c;
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + "\"";
}

class TopicImages final : public TopicFiles {
 public:
  TopicImages(const std::string& topic, const ExportJob& job)
      : TopicFiles(topic, job), videos_(job.session) {}

  Exported finish() override {
    left_out_.unless([&] { videos_.finish(on_frame()); });
    if (in_millimetres_ > 0) {
      std::string far =
          far_pixels_ > 0 ? fmt::format("; pixels beyond 65.535 m are 0: {}", far_pixels_) : "";
      remark(job_.request, fmt::format("{}: pictures in meters are written in 16-bit millimeters: "
                                       "{}{}",
                                       topic_, in_millimetres_, far));
    }
    std::uint64_t list_bytes = 0;
    if (list_) {
      list_bytes = list_->size();
      list_->commit();
    }
    return files_.finish(list_bytes);
  }

 private:
  void write_one(const Message& message) override {
    const Channel& channel = *message.channel;
    bool may_fit = has_pictures(channel, job_.session) || has_video(channel, job_.session);
    if (!may_fit) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("{}: {} has no pictures", topic_, channel.type()));
    }
    ImageMessage fields = image_fields(message, decoder_for(channel));
    Time time = times_.of(message);
    bool is_video = has_video(channel, job_.session);
    const std::string* format = format_of_frame(channel, fields);
    if (is_video || format) return write_video(message, fields, format, time);
    ImageFile file =
        in_message(message, [&] { return image_file(fields, kMostPixels, job_.wait); });
    in_millimetres_ += file.is_in_millimetres ? 1 : 0;
    far_pixels_ += file.far_pixels;
    add(time, file.extension, file.bytes(), file.size, file.encoding);
  }

  void write_video(const Message& message, const ImageMessage& fields, const std::string* format,
                   Time time) {
    if (!format) {
      throw located_in(message, Error(ErrorCode::unsupported,
                                      "the message has no frame of a video, "
                                      "which has the fields format and "
                                      "data"));
    }
    format_ = *format;
    videos_.decode(message, *format, *fields.data, time, on_frame());
  }

  OnVideoFrame on_frame() {
    return [this](std::unique_ptr<const VideoFrame> frame) {
      ExactPng png = exact_png(frame->picture(), job_.wait);
      add(frame->time(), ".png", png.bytes, png.size, format_);
    };
  }

  void add(Time time, std::string_view extension, ByteView bytes, PictureSize size,
           std::string_view encoding) {
    std::string name = files_.write(time, extension, {bytes});
    if (!list_) {
      list_ = files_.create("images.csv");
      append("time,file,width,height,encoding\n");
    }
    append(fmt::format("{},{},{},{},{}\n", format_time(time), name, size.width, size.height,
                       csv_text(encoding)));
  }

  void append(const std::string& line) { list_->append(as_bytes(line)); }

  Decoder& decoder_for(const Channel& channel) {
    if (decoders_.size() <= channel.slot) decoders_.resize(channel.slot + 1);
    auto& decoder = decoders_[channel.slot];
    if (!decoder) decoder = decoder_of(channel, job_.session);
    return *decoder;
  }

  std::unique_ptr<WriteFile> list_;                 ///< from the first picture on
  std::vector<std::unique_ptr<Decoder>> decoders_;  ///< by slot
  VideoFrames videos_;
  std::string format_;  ///< of the video
  std::uint64_t in_millimetres_ = 0;
  std::uint64_t far_pixels_ = 0;
};

}  // namespace

std::vector<Exported> export_images(ExportJob& job) {
  return export_fitting(job, "images", [&](const std::string& topic, const ChannelsPtr&) {
    return std::make_unique<TopicImages>(topic, job);
  });
}

}  // namespace kitbag
