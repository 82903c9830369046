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

class TopicClouds final : public TopicFiles {
 public:
  TopicClouds(const std::string& topic, CloudFormat format, const ExportJob& job)
      : TopicFiles(topic, job), format_(format), clouds_(job.session) {}

 private:
  void write_one(const Message& message) override {
    PointCloud cloud = clouds_.read(message);
    Time time = times_.of(message);
    CloudFile file = in_message(message, [&] { return format_.make(cloud, time); });
    files_.write(time, format_.extension, {as_bytes(file.header), file.points});
  }

  CloudFormat format_;
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
