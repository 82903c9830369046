#include "kitbag/plugin.h"

#include <fmt/format.h>

#include <algorithm>

#include "export/video/topic_video.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/exporter.h"

// Videos by the libavformat of the system, as files and as a stream. A plugin, because the program
// should start without it.

namespace kitbag::libav {
namespace {

bool has_camera(const Channels& channels, const Session& session) {
  return std::any_of(channels.begin(), channels.end(), [&](const ChannelPtr& channel) {
    return channel && is_camera(*channel, session);
  });
}

std::vector<Exported> write_videos(ExportJob& job, Container container) {
  if (!job.request.columns.fields.empty()) {
    throw Error(ErrorCode::invalid, "fields are selected for tables; a video has none");
  }
  av_log_set_level(AV_LOG_QUIET);
  std::size_t cameras = 0;
  auto make = [&](const std::string& topic,
                  const ChannelsPtr& channels) -> std::unique_ptr<TopicExport> {
    if (has_camera(*channels, job.session)) {
      ++cameras;
      return std::make_unique<TopicVideo>(topic, container,
                                          video_files(topic, container, job.folder), job.request,
                                          job.session, job.wait);
    }
    if (job.request.columns.on_warning) {
      job.request.columns.on_warning(
          Error(ErrorCode::remark,
                fmt::format("{} has no pictures and no video; it is left out", escaped(topic))));
    }
    return nullptr;
  };
  std::vector<Exported> written = export_topics(job, make);
  std::erase_if(written, [](const Exported& each) { return each.files == 0; });
  if (!written.empty()) return written;
  if (cameras == 0) {
    throw Error(ErrorCode::not_found,
                "none of the topics has pictures or a video: messages Image, RawImage, "
                "CompressedImage, CompressedVideo or FFMPEGPacket of any package; the format "
                "parquet takes all topics");
  }
  throw Error(ErrorCode::not_found, "no message gives a frame; no file was written");
}

std::unique_ptr<TopicExport> stream_video(const ExportStream& stream, Container container) {
  av_log_set_level(AV_LOG_QUIET);
  return std::make_unique<TopicVideo>(
      stream.topic, container,
      stream.file ? video_file(container, *stream.file) : video_stream(container, stream.out),
      stream.request, stream.session, stream.wait);
}

void add_to(Registry& registry) {
  registry.export_formats.push_back(
      {"mp4", "videos, one for each topic with pictures or a video, as MP4",
       [](ExportJob& job) { return write_videos(job, Container::mp4); }, false,
       [](const ExportStream& stream) { return stream_video(stream, Container::mp4); }});
  registry.export_formats.push_back(
      {"mkv", "videos, one for each topic with pictures or a video, as Matroska",
       [](ExportJob& job) { return write_videos(job, Container::mkv); }});
}

}  // namespace
}  // namespace kitbag::libav

KITBAG_PLUGIN(kitbag::libav::add_to);
