#include "sql/transforms.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

// A path from source to target leads up from both to the first frame that they share:
//
//         map
//          |             above(target) = {target, odom, map}
//        odom            from source up: source, base, odom - found
//       |    |
//    target  base - source
//
// Up from the target, each frame on the way is noted together with the transform that leads to it;
// up from the source, the first noted frame ends the search. Two walks suffice, since each frame
// has one parent at a time. A cycle in the data ends them too: a frame that was seen is not
// followed again.
//
// Transforms are a translation and a unit quaternion (x, y, z, w), in the order of ROS. A
// quaternion and its negative are the same rotation, so slerp negates one if the two are on
// different sides, or it would turn the long way round.

namespace kitbag::sql {

namespace {

using Vector = std::array<double, 3>;
using Quaternion = std::array<double, 4>;

Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
          a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
          a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

Quaternion conjugate(const Quaternion& q) {
  return {-q[0], -q[1], -q[2], q[3]};
}

Vector rotated(const Quaternion& by, const Vector& point) {
  Quaternion all = product(product(by, {point[0], point[1], point[2], 0}), conjugate(by));
  return {all[0], all[1], all[2]};
}

double dot(const Quaternion& a, const Quaternion& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/// Drivers write the rotation 0, 0, 0, 0 where they mean none.
Quaternion normalized(Quaternion q) {
  double length = std::sqrt(dot(q, q));
  if (length == 0) return {0, 0, 0, 1};
  for (double& each : q) each /= length;
  return q;
}

Quaternion slerp(const Quaternion& from, Quaternion to, double share) {
  double cosine = dot(from, to);
  if (cosine < 0) {
    for (double& each : to) each = -each;
    cosine = -cosine;
  }
  double first = 1 - share;
  double second = share;
  constexpr double kNearlyEqual = 1 - 1e-9;  // the sine is too small to divide by
  if (cosine < kNearlyEqual) {
    double angle = std::acos(cosine);
    first = std::sin(first * angle) / std::sin(angle);
    second = std::sin(second * angle) / std::sin(angle);
  }
  Quaternion all;
  for (std::size_t i = 0; i < 4; ++i) all[i] = first * from[i] + second * to[i];
  return normalized(all);
}

/// tf wrote names of frames with a slash, tf2 without.
std::string frame_name(const std::string& name) {
  return name.starts_with('/') ? name.substr(1) : name;
}

}  // namespace

Transform operator*(const Transform& second, const Transform& first) {
  Transform all;
  all.translation = rotated(second.rotation, first.translation);
  for (std::size_t i = 0; i < 3; ++i) all.translation[i] += second.translation[i];
  all.rotation = product(second.rotation, first.rotation);
  return all;
}

Transform inverse(const Transform& transform) {
  Transform all;
  all.rotation = conjugate(transform.rotation);
  all.translation = rotated(all.rotation, transform.translation);
  for (double& each : all.translation) each = -each;
  return all;
}

Transform between(const Transform& from, const Transform& to, double share) {
  Transform all;
  for (std::size_t i = 0; i < 3; ++i) {
    all.translation[i] = from.translation[i] + (to.translation[i] - from.translation[i]) * share;
  }
  all.rotation = slerp(from.rotation, to.rotation, share);
  return all;
}

void FrameTree::add(const std::string& parent, const std::string& child, Time stamp, bool is_static,
                    const Transform& transform) {
  Link link{frame_name(parent), transform};
  std::set<std::string>& frames = is_static ? fixed_frames_ : moving_frames_;
  frames.insert({link.parent, frame_name(child)});
  link.transform.rotation = normalized(transform.rotation);
  if (is_static) {
    fixed_[frame_name(child)] = std::move(link);
  } else {
    moving_[frame_name(child)][stamp] = std::move(link);
  }
}

void FrameTree::clear_moving() {
  moving_.clear();
  moving_frames_.clear();
}

std::optional<FrameTree::Link> FrameTree::link_at(const std::string& child, Time time,
                                                  Duration max_gap) const {
  if (auto link = moving_link_at(child, time, max_gap)) return link;
  auto fixed = fixed_.find(child);
  if (fixed == fixed_.end()) return std::nullopt;
  return fixed->second;
}

std::optional<FrameTree::Link> FrameTree::moving_link_at(const std::string& child, Time time,
                                                         Duration max_gap) const {
  auto moving = moving_.find(child);
  if (moving == moving_.end()) return std::nullopt;
  auto next = moving->second.lower_bound(time);
  if (next == moving->second.end()) return std::nullopt;
  if (next->first == time) return next->second;
  if (next == moving->second.begin()) return std::nullopt;
  auto last = std::prev(next);
  Duration gap = saturating_difference(last->first, next->first);
  if (gap > max_gap || last->second.parent != next->second.parent) return std::nullopt;
  double share =
      static_cast<double>((time - last->first).count()) / static_cast<double>(gap.count());
  return Link{last->second.parent, between(last->second.transform, next->second.transform, share)};
}

bool FrameTree::is_known(const std::string& frame) const {
  std::string name = frame_name(frame);
  return fixed_frames_.contains(name) || moving_frames_.contains(name);
}

std::optional<Transform> FrameTree::find(const std::string& target, const std::string& source,
                                         Time time, Duration max_gap) const {
  if (!is_known(target) || !is_known(source)) return std::nullopt;
  // Up from the target: each frame on the way, with what takes points in the target to it.
  std::map<std::string, Transform> above;
  std::string frame = frame_name(target);
  Transform to_frame;
  while (above.emplace(frame, to_frame).second) {
    auto link = link_at(frame, time, max_gap);
    if (!link) break;
    to_frame = link->transform * to_frame;
    frame = link->parent;
  }
  std::set<std::string> seen;
  frame = frame_name(source);
  to_frame = {};
  while (seen.insert(frame).second) {
    auto common = above.find(frame);
    if (common != above.end()) return inverse(common->second) * to_frame;
    auto link = link_at(frame, time, max_gap);
    if (!link) break;
    to_frame = link->transform * to_frame;
    frame = link->parent;
  }
  return std::nullopt;
}

}  // namespace kitbag::sql
