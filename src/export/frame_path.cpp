#include "export/frame_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "export/left_out.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"
#include "kitbag/transforms.h"

// A frame may be several transforms away from the other one, each with stamps of its own. The path
// has a pose at each stamp of each of them, and what the others say then lies between their
// neighbours, as tf answers.
//
// Transforms do not come in the order of their stamps, so all are read before the first pose.

namespace kitbag {
namespace {

std::string without_slash(const std::string& frame) {
  return frame.starts_with('/') ? frame.substr(1) : frame;
}

class FramePath {
 public:
  explicit FramePath(const ExportJob& job)
      : job_(job),
        parent_(without_slash(job.request.frame.parent)),
        child_(without_slash(job.request.frame.child)),
        request_(job.request) {
    // Frames that do not move at the same time are joined by stamps alone.
    request_.columns.time = RowTime::header_stamp;
    reader_.emplace(request_, job.session);
  }

  std::vector<Exported> write(PoseFormat format) {
    read();
    std::string name =
        fmt::format("{}__{}{}", export_name(parent_), export_name(child_), format.extension);
    PoseFile file(name, format, job_);
    std::uint64_t poses = 0;
    std::uint64_t missing = 0;
    std::string reason;
    for (Time time : times()) {
      throw_if_stopped(job_.wait);
      TransformLookup found = tree_.find(parent_, child_, time);
      if (found.outcome == TransformLookup::Outcome::found) {
        file.add({time, found.transform});
        ++poses;
      } else if (missing++ == 0) {
        reason = found.reason;
      }
    }
    if (poses == 0) {
      if (reason.empty()) reason = tree_.find(parent_, child_, Time{}).reason;
      throw Error(ErrorCode::not_found, reason);
    }
    if (missing > 0) {
      remark(job_.request, fmt::format("{}: {} of {} stamps have no pose: {}", name, missing,
                                       poses + missing, reason));
    }
    std::uint64_t size_bytes = file.finish();
    return {{{}, job_.folder.path_of(name), messages_, 1, size_bytes}};
  }

 private:
  struct Frame {
    std::set<std::string> parents;  ///< in the course of time
    std::vector<Time> stamps;
    bool is_static = true;
  };

  void read() {
    bool has_transforms = false;
    Batch batch;
    while (true) {
      throw_if_stopped(job_.wait);
      batch.clear();
      if (!job_.source.read(batch, job_.wait)) break;
      for (const Message& message : std::as_const(batch).messages()) {
        if (pose_kind(*message.channel) != PoseKind::transforms) continue;
        has_transforms = true;
        take(message);
      }
    }
    throw_if_stopped(job_.wait);
    if (has_transforms) return;
    throw Error(ErrorCode::not_found,
                "there are no transforms: messages TFMessage, TransformStamped, FrameTransform or "
                "FrameTransforms of any package");
  }

  void take(const Message& message) {
    const std::string& topic = message.channel->topic;
    LeftOut left_out(topic, job_.request);
    left_out.unless([&] {
      for (FrameTransform& each : reader_->transforms(message)) add(each);
      ++messages_;
    });
    if (tree_.moving_count() <= TransformOptions().most_transforms) return;
    throw Error(ErrorCode::limit,
                fmt::format("there are more than {} transforms; select a shorter range of time",
                            TransformOptions().most_transforms));
  }

  void add(const FrameTransform& transform) {
    if (!tree_.add(transform)) return;
    Frame& frame = frames_[without_slash(transform.child)];
    frame.parents.insert(without_slash(transform.parent));
    // A frame that moves once is a moving one. Stamps at which it was said to be fixed do not
    // count.
    if (frame.is_static && !transform.is_static) {
      frame.is_static = false;
      frame.stamps.clear();
    }
    if (frame.is_static == transform.is_static) frame.stamps.push_back(transform.stamp);
  }

  /// A frame and all that it hangs on.
  std::set<std::string> above(const std::string& frame) const {
    std::set<std::string> all;
    std::vector<std::string> next = {frame};
    while (!next.empty()) {
      std::string each = std::move(next.back());
      next.pop_back();
      if (!all.insert(each).second) continue;
      auto found = frames_.find(each);
      if (found == frames_.end()) continue;
      next.insert(next.end(), found->second.parents.begin(), found->second.parents.end());
    }
    return all;
  }

  /// The stamps of the transforms between the frames: of those that move, if there are any.
  std::vector<Time> times() const {
    // What is above both frames is not between them, as here with odom and camera:
    //
    //     map - odom - base - camera
    std::set<std::string> over_child = above(child_);
    std::set<std::string> over_parent = above(parent_);
    std::vector<std::string> between;
    std::set_symmetric_difference(over_child.begin(), over_child.end(), over_parent.begin(),
                                  over_parent.end(), std::back_inserter(between));
    std::vector<Time> moving;
    std::vector<Time> fixed;
    for (const std::string& name : between) {
      auto found = frames_.find(name);
      if (found == frames_.end()) continue;
      std::vector<Time>& into = found->second.is_static ? fixed : moving;
      into.insert(into.end(), found->second.stamps.begin(), found->second.stamps.end());
    }
    if (moving.empty() && !fixed.empty()) return {*std::min_element(fixed.begin(), fixed.end())};
    std::sort(moving.begin(), moving.end());
    moving.erase(std::unique(moving.begin(), moving.end()), moving.end());
    return moving;
  }

  const ExportJob& job_;
  std::string parent_;
  std::string child_;
  ExportRequest request_;
  std::optional<PoseReader> reader_;
  TransformTree tree_;
  std::map<std::string, Frame> frames_;
  std::uint64_t messages_ = 0;
};

}  // namespace

std::vector<Exported> export_frame_path(const ExportJob& job, PoseFormat format) {
  if (!job.request.columns.fields.empty()) {
    throw Error(ErrorCode::invalid, "fields are selected for tables; a trajectory has none");
  }
  return FramePath(job).write(format);
}

}  // namespace kitbag
