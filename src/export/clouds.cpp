#include "export/clouds.h"

#include <memory>
#include <string>

#include "export/cloud_files.h"
#include "export/fitting.h"
#include "export/left_out.h"
#include "export/message_files.h"
#include "export/point_cloud.h"
#include "kitbag/error.h"

namespace kitbag {
namespace {

class TopicClouds final : public TopicExport {
 public:
  TopicClouds(const std::string& topic, CloudFormat format, const ExportJob& job)
      : job_(job),
        format_(format),
        files_(topic, job),
        times_(job.request, job.session),
        left_out_(topic, job.request),
        clouds_(job.session) {}

  void write(std::span<const Message> messages, const ChannelsPtr&) override {
    for (const Message& message : messages) {
      throw_if_stopped(job_.wait);
      left_out_.unless([&] {
        PointCloud cloud = clouds_.read(message);
        Time time = times_.of(message);
        CloudFile file = in_message(message, [&] { return format_.make(cloud, time); });
        files_.write(time, format_.extension, {as_bytes(file.header), file.points});
      });
    }
  }
  Exported finish() override { return files_.finish(); }

 private:
  const ExportJob& job_;
  CloudFormat format_;
  MessageFiles files_;
  MessageTimes times_;
  LeftOut left_out_;
  PointCloudReader clouds_;
};

std::vector<Exported> export_clouds(const ExportJob& job, std::string_view name,
                                    CloudFormat format) {
  return export_fitting(job, name, [&](const std::string& topic, const ChannelsPtr&) {
    return std::make_unique<TopicClouds>(topic, format, job);
  });
}

}  // namespace

std::vector<Exported> export_pcd(ExportJob& job) {
  return export_clouds(job, "pcd", {".pcd", pcd_file});
}

std::vector<Exported> export_ply(ExportJob& job) {
  return export_clouds(job, "ply", {".ply", ply_file});
}

}  // namespace kitbag
