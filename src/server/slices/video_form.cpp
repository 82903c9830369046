#include "server/slices/video_form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/exporter.h"
#include "kitbag/picture.h"
#include "kitbag/registry.h"
#include "kitbag/video.h"

// The plugin that exports videos writes the stream. A fragment of it leaves when it is complete,
// after a second of the video or a few megabytes: so much does a slice hold while its client does
// not read.

namespace kitbag::server {
namespace {

constexpr std::size_t kMostNames = 5;

class VideoForm final : public SliceForm {
 public:
  VideoForm(const FormRequest& asked, const Session& session) : session_(session) {
    request_.format = asked.format;
    request_.video.preset = "veryfast";
    request_.columns.on_error = OnError::skip;
    request_.columns.report = &report_;
    request_.columns.on_warning = [this](const Error& error) {
      damage_.emplace_back(error.what());
    };
    auto out = [this](ByteView bytes) { *text_ += as_text(bytes); };
    video_ = session_.find_export_format(asked.format)
                 ->stream({asked.topic, out, request_, session_, wait_});
  }

  void begin(std::string&) override {}
  void write(Batch&& batch, std::string& text) override {
    text_ = &text;
    video_->write(std::as_const(batch).messages(), batch.channels);
  }

  void end(const SliceReader& reader, std::string& text) override {
    text_ = &text;
    Exported written = video_->finish();
    // Behind finish(), which may leave out more frames.
    for (std::string& each : reader.damage()) damage_.push_back(std::move(each));
    for (std::string& each : left_out(report_)) damage_.push_back(std::move(each));
    if (written.messages > 0) return;
    throw Error(ErrorCode::not_found,
                fmt::format("no message of the slice gives a frame: {}", fmt::join(damage_, "; ")));
  }
  TextPairs trailers() const override {
    if (damage_.empty()) return {};
    return {{kDamageHeader, json_list(damage_)}};
  }

 private:
  Session session_;
  ExportRequest request_;
  TranscodeReport report_;
  Wait wait_;
  std::vector<std::string> damage_;
  std::string* text_ = nullptr;
  std::unique_ptr<TopicExport> video_;
};

}  // namespace

std::string topic_of_video(const std::vector<ChannelPtr>& channels, const Session& session) {
  std::set<std::string> topics;
  std::set<std::string> cameras;
  for (const ChannelPtr& channel : channels) {
    topics.insert(channel->topic);
    bool is_camera = has_pictures(*channel, session) || has_video(*channel, session);
    if (is_camera && cameras.size() < kMostNames) cameras.insert(channel->topic);
  }
  if (cameras.empty()) {
    throw Error(ErrorCode::invalid,
                "a video is made of pictures or of a video, and the selected "
                "topics have none");
  }
  if (topics.size() > 1) {
    throw Error(ErrorCode::invalid, "a video shows one topic; select it with topics=: " +
                                        escaped(fmt::format("{}", fmt::join(cameras, ", "))));
  }
  if (!session.find_export_format("mp4")) {
    throw Error(ErrorCode::not_found, "videos cannot be written: there is no format mp4");
  }
  return *cameras.begin();
}

std::unique_ptr<SliceForm> video_form(const FormRequest& asked, const Session& session) {
  return std::make_unique<VideoForm>(asked, session);
}

}  // namespace kitbag::server
