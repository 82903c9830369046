#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "kitbag/escape.h"
#include "kitbag/text.h"
#include "kitbag/transforms.h"

// A path from source to target leads up from both to the first frame that they share:
//
//         map
//          |             up from the source: source, base, odom, map
//        odom            up from the target: target, odom - found
//       |    |
//    target  base - source
//
// Two walks suffice, since each frame has one parent at a time: up from the source, and up from the
// target, each noting the frames on the way with the transforms that lead to them. The first frame
// of the second walk that is on the first one joins them. A cycle in the data ends a walk: a frame
// that was seen is not followed again.
//
// A walk that ends early is no failure in itself: the frame that both share may be below that
// place. Only if there is none, the reason why a walk has ended is the answer.
//
// A stamp far before the last one is left out, as by tf2: some drivers repeat an old one for ever.
// A second one behind it says that the clock was set back, where tf2's listeners forget all.

namespace kitbag {

namespace {

using Outcome = TransformLookup::Outcome;

/// tf wrote names of frames with a slash, tf2 without.
std::string_view frame_name(std::string_view name) {
  if (name.starts_with('/')) name.remove_prefix(1);
  return name;
}

std::string quoted(std::string_view name) {
  constexpr std::size_t kMost = 100;
  bool is_long = name.size() > kMost;
  return fmt::format("\"{}{}\"", escaped(std::string(name.substr(0, kMost))), is_long ? "..." : "");
}

/// Nothing: it is no transform. Drivers write the rotation 0, 0, 0, 0 where they mean none.
std::optional<Transform> normalized(Transform transform) {
  double square = 0;
  for (double each : transform.translation) {
    if (!std::isfinite(each)) return std::nullopt;
  }
  for (double each : transform.rotation) square += each * each;
  if (!std::isfinite(square)) return std::nullopt;
  if (square == 0) {
    transform.rotation = {0, 0, 0, 1};
  } else {
    for (double& each : transform.rotation) each /= std::sqrt(square);
  }
  return transform;
}

}  // namespace

/// What is above a frame at a time.
struct TransformTree::Step {
  std::optional<Link> link;
  std::string reason;  ///< why there is no link; empty: it is the top of a tree
};

/// The frames from one up to where the way ends, each with what takes points in the first to it.
struct TransformTree::Walk {
  std::vector<std::pair<Id, Transform>> frames;
  std::map<Id, std::size_t> places;  ///< in `frames`
  bool is_loop = false;
  std::string reason;  ///< why it ended before the top of the tree
};

bool TransformTree::add(const FrameTransform& transform) {
  std::string parent(frame_name(transform.parent));
  std::string child(frame_name(transform.child));
  std::optional<Transform> sound = normalized(transform.transform);
  if (!sound || parent.empty() || child.empty() || parent == child) return false;
  Link link{id_of(parent), *sound};
  Frame& frame = frames_[id_of(child)];
  if (!transform.is_static) return add_moving(frame, transform.stamp, link);
  frame.fixed = link;
  return true;
}

bool TransformTree::add_moving(Frame& frame, Time stamp, const Link& link) {
  // After clear_moving(), any stamp may come first: whoever asks may go back in time.
  bool is_old = !frame.moving.empty() && saturating_difference(stamp, *frame.last_stamp) > max_gap_;
  if (is_old) {
    bool is_second = frame.old && stamp > frame.old->first;
    if (!is_second) {
      frame.old = {stamp, link};
      return false;
    }
    auto from = frame.moving.lower_bound(frame.old->first);
    moving_count_ -= static_cast<std::size_t>(std::distance(from, frame.moving.end()));
    frame.moving.erase(from, frame.moving.end());
    frame.moving.insert(*frame.old);
    ++moving_count_;
  }
  frame.old.reset();
  frame.last_stamp = stamp;
  std::size_t before = frame.moving.size();
  frame.moving.try_emplace(frame.moving.end(), stamp, link);
  moving_count_ += frame.moving.size() - before;
  return frame.moving.size() > before;
}

void TransformTree::clear_moving() {
  for (Frame& frame : frames_) {
    frame.moving.clear();
    frame.old.reset();
  }
  moving_count_ = 0;
}

std::vector<std::string> TransformTree::frames() const {
  std::vector<std::string> names;
  for (const auto& [name, id] : ids_) names.push_back(name);
  return names;
}

TransformTree::Id TransformTree::id_of(const std::string& name) {
  auto [known, is_new] = ids_.try_emplace(name, static_cast<Id>(frames_.size()));
  if (is_new) frames_.push_back({name, {}, {}, {}, {}});
  return known->second;
}

TransformTree::Step TransformTree::up_from(const Frame& frame, Time time) const {
  const auto& moving = frame.moving;
  auto next = moving.lower_bound(time);
  if (next != moving.end() && next->first == time) return {next->second, {}};
  bool is_between = next != moving.begin() && next != moving.end();
  if (is_between) {
    const auto& [last_time, last] = *std::prev(next);
    Duration gap = saturating_difference(last_time, next->first);
    if (gap <= max_gap_) {
      if (last.parent != next->second.parent) return {last, {}};
      double share =
          static_cast<double>((time - last_time).count()) / static_cast<double>(gap.count());
      return {Link{last.parent, interpolate(last.transform, next->second.transform, share)}, {}};
    }
  }
  if (frame.fixed) return {frame.fixed, {}};
  if (!frame.last_stamp) return {};
  std::string name = quoted(frame.name);
  if (moving.empty()) return {std::nullopt, name + " has no transform near that time"};
  if (is_between) {
    return {std::nullopt,
            fmt::format("{} has none between {} and {}", name, format_time(std::prev(next)->first),
                        format_time(next->first))};
  }
  bool is_before = next == moving.begin();
  Time nearest = is_before ? next->first : std::prev(next)->first;
  return {std::nullopt, fmt::format("the {} transform of {} is of {}", is_before ? "first" : "last",
                                    name, format_time(nearest))};
}

TransformTree::Walk TransformTree::walk(Id from, Time time) const {
  Walk walk;
  Transform to_frame;
  for (Id id = from;;) {
    if (!walk.places.emplace(id, walk.frames.size()).second) {
      walk.is_loop = true;
      return walk;
    }
    walk.frames.emplace_back(id, to_frame);
    Step step = up_from(frames_[id], time);
    if (!step.link) {
      walk.reason = std::move(step.reason);
      return walk;
    }
    to_frame = step.link->transform * to_frame;
    id = step.link->parent;
  }
}

TransformLookup TransformTree::unknown(std::string_view name) const {
  constexpr std::size_t kMost = 20;
  std::string known;
  for (const auto& [each, id] : ids_) {
    if (known.empty()) {
      known = quoted(each);
    } else if (id < kMost || ids_.size() <= kMost) {
      known += ", " + quoted(each);
    }
  }
  return {Outcome::unknown_frame,
          {},
          fmt::format("no transform names the frame {}; there are {}", quoted(name),
                      ids_.empty() ? "no transforms" : known)};
}

TransformLookup TransformTree::find(std::string_view target, std::string_view source,
                                    Time time) const {
  target = frame_name(target);
  source = frame_name(source);
  auto target_id = ids_.find(target);
  auto source_id = ids_.find(source);
  if (target_id == ids_.end()) return unknown(target);
  if (source_id == ids_.end()) return unknown(source);
  Walk above = walk(target_id->second, time);
  Walk up = walk(source_id->second, time);
  for (const auto& [id, to_frame] : above.frames) {
    auto common = up.places.find(id);
    if (common == up.places.end()) continue;
    return {Outcome::found, inverse(to_frame) * up.frames[common->second].second, {}};
  }
  std::string what = fmt::format("no transform from {} to {} at {}: ", quoted(source),
                                 quoted(target), format_time(time));
  if (above.is_loop || up.is_loop) {
    return {Outcome::loop, {}, what + "their parents lead back to themselves"};
  }
  const std::string& reason = up.reason.empty() ? above.reason : up.reason;
  if (!reason.empty()) return {Outcome::extrapolation, {}, what + reason};
  return {Outcome::not_connected,
          {},
          fmt::format("{}they are not connected; the first is below {}, the other below {}", what,
                      quoted(frames_[up.frames.back().first].name),
                      quoted(frames_[above.frames.back().first].name))};
}

}  // namespace kitbag
