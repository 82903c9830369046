#include "export/poses.h"

#include <cmath>
#include <optional>
#include <string_view>

#include "export/fitting.h"
#include "export/left_out.h"
#include "kitbag/error.h"
#include "kitbag/transcode.h"
#include "transforms/transform_reader.h"

// A pose is where it is in the message: `pose.pose` of what has a covariance beside it, else
// `pose`. Its parts have the same names everywhere.
//
// An orientation of four zeros is none: drivers without a compass leave it so. The position counts
// all the same, so the pose is kept.

namespace kitbag {
namespace {

template <std::size_t count>
std::array<double, count> numbers_of(const Value& value) {
  constexpr std::array<std::string_view, 4> kNames = {"x", "y", "z", "w"};
  std::array<double, count> numbers{};
  for (std::size_t i = 0; i < count; ++i) numbers[i] = value.get<double>(kNames.at(i));
  return numbers;
}

Value pose_in(const Value& message) {
  auto pose = message.find("pose");
  if (!pose) return message;
  auto inner = pose->find("pose");
  return inner ? *inner : *pose;
}

}  // namespace

bool is_finite(const Transform& pose) {
  bool finite = true;
  for (double number : pose.translation) finite = finite && std::isfinite(number);
  for (double number : pose.rotation) finite = finite && std::isfinite(number);
  return finite;
}

std::optional<PoseKind> pose_kind(const Channel& channel) {
  if (is_called(channel, {"Odometry", "PoseStamped", "PoseWithCovarianceStamped", "PoseInFrame"})) {
    return PoseKind::pose;
  }
  if (is_called(channel, {"Path", "PosesInFrame"})) return PoseKind::path;
  if (is_called(channel, {"TFMessage", "tfMessage", "TransformStamped", "FrameTransform",
                          "FrameTransforms"})) {
    return PoseKind::transforms;
  }
  return std::nullopt;
}

Transform PoseReader::transform_of(const Value& pose) {
  Transform found{numbers_of<3>(pose.get("position")), numbers_of<4>(pose.get("orientation"))};
  if (found.rotation == std::array<double, 4>{}) {
    found.rotation = {0, 0, 0, 1};
    ++without_orientation_;
  }
  return found;
}

TimedPose PoseReader::pose(const Message& message) {
  Value value = values_.read(message);
  return in_message(message, [&] {
    TimedPose found{times_.of(message), transform_of(pose_in(value))};
    if (!is_finite(found.pose)) {
      throw Error(ErrorCode::unsupported, "the pose has NaN or infinity in it");
    }
    return found;
  });
}

std::vector<TimedPose> PoseReader::path(const Message& message) {
  Value value = values_.read(message);
  return in_message(message, [&] {
    std::vector<TimedPose> poses;
    Value list = value.get("poses");
    Time time = times_.of(message);
    for (std::size_t i = 0; i < list.size(); ++i) {
      Value each = list.at(i);
      TimedPose pose{time, transform_of(pose_in(each))};
      auto stamp = each.find("header.stamp");
      // 0 is a stamp that nobody has set.
      Time own = stamp ? time_in(*stamp) : Time{};
      if (own != Time{}) pose.time = own;
      if (is_finite(pose.pose)) {
        poses.push_back(pose);
      } else {
        ++invalid_;
      }
    }
    return poses;
  });
}

std::vector<FrameTransform> PoseReader::transforms(const Message& message) {
  const Channel& channel = *message.channel;
  if (decoders_.size() <= channel.slot) decoders_.resize(channel.slot + 1);
  auto& decoder = decoders_[channel.slot];
  if (!decoder) decoder = decoder_of(channel, session_);
  std::vector<FrameTransform> found;
  TransformVisitor visitor([&](const FrameTransform& each) { found.push_back(each); });
  visitor.begin(is_static_topic(channel.topic));
  try {
    decoder->decode(message.data, visitor);
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    throw located(error, message, *decoder);
  }
  if (time_ == RowTime::header_stamp) return found;
  for (FrameTransform& each : found) {
    each.stamp = time_ == RowTime::log_time ? message.log_time : message.publish_time;
  }
  return found;
}

}  // namespace kitbag
