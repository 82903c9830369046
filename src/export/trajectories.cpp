#include "export/trajectories.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "export/fitting.h"
#include "export/frame_path.h"
#include "export/left_out.h"
#include "export/pose_file.h"
#include "export/poses.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"

// TUM and KITTI are lines of numbers, one for each pose. Programs that compare trajectories (evo
// and others) read both.
//
// A path is sent again and again, each time with all of its poses. So the last one is the
// trajectory, and the others are parts of it. Transforms are of many frames; a file has the poses
// of one frame in another one, as the messages say them: what lies between frames that are not
// neighbours is a matter of time (frame_path.h).

namespace kitbag {
namespace {

/// Each has an open file.
constexpr std::size_t kMostPairs = 256;
constexpr std::size_t kLongestPairName = 200;

/// What the trajectories of all kinds of topics have.
class Trajectory : public TopicExport {
 public:
  Trajectory(const std::string& topic, PoseFormat format, const ExportJob& job)
      : topic_(topic),
        format_(format),
        job_(job),
        left_out_(topic, job.request),
        reader_(job.request, job.session) {}

 protected:
  void tell(std::uint64_t count, std::string_view of_what) const {
    if (count == 0) return;
    remark(job_.request, fmt::format("{}: {}: {}", topic_, of_what, count));
  }
  void tell_of_poses() const {
    tell(reader_.invalid(), "poses with NaN or infinity are left out");
    tell(reader_.without_orientation(),
         "poses without an orientation (0 0 0 0), which is written as 0 0 0 1");
  }

  std::string topic_;
  PoseFormat format_;
  const ExportJob& job_;
  LeftOut left_out_;
  PoseReader reader_;
  std::uint64_t messages_ = 0;
};

class SingleTrajectory : public Trajectory {
 public:
  SingleTrajectory(const std::string& topic, PoseFormat format, const ExportJob& job)
      : Trajectory(topic, format, job),
        name_(job.folder.name_of(topic, format.extension)),
        file_(name_, format, job) {}

  void write(std::span<const Message> messages, const ChannelsPtr&) override {
    for (const Message& message : messages) {
      left_out_.unless([&] {
        file_.add(reader_.pose(message));
        ++messages_;
      });
    }
  }
  Exported finish() override {
    tell_of_poses();
    std::uint64_t size_bytes = file_.finish();
    return {topic_, job_.folder.path_of(name_), messages_, size_bytes > 0 ? 1U : 0U, size_bytes};
  }

 protected:
  std::string name_;
  PoseFile file_;
};

class PathTrajectory final : public SingleTrajectory {
 public:
  using SingleTrajectory::SingleTrajectory;

  void write(std::span<const Message> messages, const ChannelsPtr&) override {
    seen_ += messages.size();
    // Only the last path that can be read counts, so the ones before it are not decoded.
    for (std::size_t i = messages.size(); i > 0; --i) {
      if (left_out_.unless([&] { last_ = reader_.path(messages[i - 1]); })) break;
    }
  }
  Exported finish() override {
    for (const TimedPose& pose : last_) file_.add(pose);
    messages_ = last_.empty() ? 0 : 1;
    if (seen_ > 1) {
      remark(job_.request, fmt::format("{}: only the last of {} paths is written, which has all "
                                       "its poses",
                                       topic_, seen_));
    }
    return SingleTrajectory::finish();
  }

 private:
  std::vector<TimedPose> last_;
  std::uint64_t seen_ = 0;
};

class FrameTrajectories final : public Trajectory {
 public:
  FrameTrajectories(const std::string& topic, PoseFormat format, const ExportJob& job)
      : Trajectory(topic, format, job), folder_(job.folder.name_of(topic, "")) {}

  void write(std::span<const Message> messages, const ChannelsPtr&) override {
    for (const Message& message : messages) {
      left_out_.unless([&] {
        for (FrameTransform& each : reader_.transforms(message)) add(std::move(each));
        ++messages_;
      });
    }
  }
  Exported finish() override {
    tell(invalid_, "transforms with NaN, infinity or no rotation are left out");
    std::uint64_t size_bytes = 0;
    for (auto& [pair, file] : files_) size_bytes += file->finish();
    return {topic_, job_.folder.path_of(folder_) + "/", messages_, files_.size(), size_bytes};
  }

 private:
  using Pair = std::pair<std::string, std::string>;

  void add(FrameTransform each) {
    bool has_rotation = each.transform.rotation != std::array<double, 4>{};
    if (!is_finite(each.transform) || !has_rotation) {
      ++invalid_;
      return;
    }
    Pair frames(std::move(each.parent), std::move(each.child));
    auto found = files_.find(frames);
    if (found == files_.end()) found = begin(frames);
    found->second->add({each.stamp, each.transform});
  }

  std::map<Pair, std::unique_ptr<PoseFile>>::iterator begin(const Pair& frames) {
    if (files_.size() == kMostPairs) {
      throw Error(ErrorCode::invalid,
                  fmt::format("{} has more than {} pairs of frames, which are too many files",
                              topic_, kMostPairs));
    }
    std::string name = fmt::format("{}__{}", export_name(frames.first), export_name(frames.second));
    // A disk may not distinguish capitals.
    std::string in_lower_case = name;
    for (char& c : in_lower_case) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (name.size() > kLongestPairName || !names_.insert(in_lower_case).second) {
      throw Error(ErrorCode::invalid,
                  fmt::format("{}: a file for the frames {} and {} has a name that is too long, or "
                              "that of other frames",
                              topic_, escaped(frames.first.substr(0, kLongestPairName)),
                              escaped(frames.second.substr(0, kLongestPairName))));
    }
    std::string place = fmt::format("{}/{}{}", folder_, name, format_.extension);
    return files_.emplace(frames, std::make_unique<PoseFile>(place, format_, job_)).first;
  }

  std::string folder_;
  std::set<std::string> names_;  ///< of files, in lower case
  std::map<Pair, std::unique_ptr<PoseFile>> files_;
  std::uint64_t invalid_ = 0;
};

PoseKind kind_of(const Channels& channels) {
  auto has_poses = [](const ChannelPtr& channel) { return channel && pose_kind(*channel); };
  return *pose_kind(**std::find_if(channels.begin(), channels.end(), has_poses));
}

std::vector<Exported> export_poses(const ExportJob& job, std::string_view name, PoseFormat format) {
  if (!job.request.frame.child.empty()) return export_frame_path(job, format);
  auto make = [&](const std::string& topic,
                  const ChannelsPtr& channels) -> std::unique_ptr<TopicExport> {
    switch (kind_of(*channels)) {
      case PoseKind::path:
        return std::make_unique<PathTrajectory>(topic, format, job);
      case PoseKind::transforms:
        return std::make_unique<FrameTrajectories>(topic, format, job);
      default:
        return std::make_unique<SingleTrajectory>(topic, format, job);
    }
  };
  return export_fitting(job, name, make);
}

}  // namespace

std::vector<Exported> export_tum(ExportJob& job) {
  return export_poses(job, "tum", {".tum", tum_line});
}

std::vector<Exported> export_kitti(ExportJob& job) {
  return export_poses(job, "kitti", {".kitti", kitti_line});
}

}  // namespace kitbag
