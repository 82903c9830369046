#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/export.h"
#include "kitbag/session.h"
#include "kitbag/time.h"
#include "kitbag/transcode.h"

// Where a frame of a robot is, seen from another one, by the transforms in a bag:
//
//   Transforms tf({bag}, session);
//   Transform laser = tf.lookup("map", "laser", time);
//
// The transforms are those in messages of ROS 1 and ROS 2 (tf2_msgs/TFMessage, tf/tfMessage) and of
// Foxglove (FrameTransform, FrameTransforms), on topics of any name. Those on a topic whose name
// ends with "tf_static" are static: they hold at all times. The answers are those of tf2, except
// that it refuses quaternions whose length is not 1, and these are normalized here:
//
// * Between two transforms of a frame, positions lie on a line, rotations on the shorter arc
//   (slerp). If the two have different parents, the earlier one counts.
// * There is no answer before the first and after the last transform of a frame on the path, nor
//   where two are more than `max_gap` apart.
// * What has NaN or infinity in it, no name, or a frame that is its own parent, is left out.
//
// In a bag, all is known from the beginning: a static transform also holds before it was recorded,
// and a frame that has a static transform too has that one where there is no other.

namespace kitbag {

/// Takes points in one frame to another one: p' = rotation * p + translation.
struct Transform {
  std::array<double, 3> translation = {};         ///< x, y, z
  std::array<double, 4> rotation = {0, 0, 0, 1};  ///< a quaternion x, y, z, w of length 1

  bool operator==(const Transform&) const = default;
};

/// Returns `first`, then `second`.
KITBAG_API Transform operator*(const Transform& second, const Transform& first);
/// Returns the way back.
KITBAG_API Transform inverse(const Transform& transform);
/// Returns what lies between two transforms: `share` 0 is `from`, 1 is `to`.
KITBAG_API Transform interpolate(const Transform& from, const Transform& to, double share);

/// Where `child` is in `parent` at a time, as a message says it.
struct FrameTransform {
  std::string parent;        ///< the frame above
  std::string child;         ///< the frame that it places
  Time stamp{};              ///< when it was there; of no meaning if it is static
  Transform transform = {};  ///< takes points in `child` to `parent`
  bool is_static = false;    ///< valid at all times
};

/// How messages of some types hold transforms: names of types, and paths of fields as in
/// ColumnsRequest::fields. `translation` and `rotation` have the fields x, y, z and w.
struct TransformForm {
  std::vector<std::string> types;  ///< "tf2_msgs/TFMessage"
  std::string list;    ///< "transforms[]."; the paths below come behind it. Empty: there is one
  std::string stamp;   ///< "header.stamp"
  std::string parent;  ///< "header.frame_id"
  std::string child;   ///< "child_frame_id"
  std::string translation;  ///< "transform.translation"
  std::string rotation;     ///< "transform.rotation"
};
/// Returns the forms that Transforms reads.
KITBAG_API const std::vector<TransformForm>& transform_forms();
/// Returns whether the transforms on that topic are static.
KITBAG_API bool is_static_topic(std::string_view topic);

/// What a tree of frames knows about two frames at a time.
struct TransformLookup {
  /// Whether there is an answer, and why not.
  enum class Outcome {
    found,
    unknown_frame,  ///< no transform names the target, or the source
    not_connected,  ///< no path leads from one to the other
    extrapolation,  ///< a frame on the path has no transform at that time
    loop,           ///< a frame is above itself
  };
  Outcome outcome = Outcome::found;  ///< see Outcome
  Transform transform = {};          ///< if found
  std::string reason = {};  ///< if not: a sentence that names the frames and times that there are
};

/// Frames, and where they are at which time. One thread.
class KITBAG_API TransformTree {
 public:
  /// As long as tf2 keeps transforms by default.
  static constexpr Duration kMaxGap = std::chrono::seconds(10);

  /// `max_gap`: the longest time between two transforms of a frame that is interpolated.
  explicit TransformTree(Duration max_gap = kMaxGap) : max_gap_(max_gap) {}

  /// Adds a transform; those of a frame may come in any order. Of two moving ones with the same
  /// stamp, the first counts; of static ones, the last. A stamp that is more than `max_gap` before
  /// the last one of its frame is left out. If the next one follows it, the clock was set back, as
  /// that of a simulation which starts again: what the frame had from there on is forgotten.
  /// Returns false for what is left out.
  bool add(const FrameTransform& transform);
  /// Returns what takes points in `source` to `target` at `time`. Names may begin with a slash, as
  /// in tf.
  TransformLookup find(std::string_view target, std::string_view source, Time time) const;
  /// Forgets all but the static transforms. The frames stay known.
  void clear_moving();
  /// Returns the number of moving transforms.
  std::size_t moving_count() const { return moving_count_; }
  /// Returns the names of all frames, sorted.
  std::vector<std::string> frames() const;

 private:
  using Id = std::uint32_t;
  struct Link {
    Id parent = 0;
    Transform transform;
  };
  struct Frame {
    std::string name;
    std::optional<Link> fixed;
    std::map<Time, Link> moving;
    std::optional<Time> last_stamp;  ///< of the last moving transform; absent: it never moved
    std::optional<std::pair<Time, Link>> old;  ///< far before that one, and just left out
  };
  struct KITBAG_PRIVATE Step;
  struct KITBAG_PRIVATE Walk;

  Id id_of(const std::string& name);
  bool add_moving(Frame& frame, Time stamp, const Link& link);
  Step up_from(const Frame& frame, Time time) const;
  Walk walk(Id from, Time time) const;
  TransformLookup unknown(std::string_view name) const;

  Duration max_gap_;
  std::vector<Frame> frames_;
  std::map<std::string, Id, std::less<>> ids_;
  std::size_t moving_count_ = 0;
};

/// Settings of Transforms.
struct TransformOptions {
  /// Two transforms of a frame that are farther apart have nothing between them.
  Duration max_gap = TransformTree::kMaxGap;
  /// The most transforms that are in memory at a time; one takes about 150 bytes.
  std::size_t most_transforms = 4'000'000;
  OnError on_error = OnError::stop;   ///< of messages that cannot be decoded
  TranscodeReport* report = nullptr;  ///< says which; may be null, otherwise it must outlive this
  OnProblem on_problem = {};          ///< as Query::on_problem
};

/// The transforms of bags. Reads those near the times that are asked for, so ask in the order of
/// time. If the stamps are not near the log times, as in recordings of simulations, all are read at
/// the first call. One thread.
class KITBAG_API Transforms {
 public:
  /// Bags in one thread of time, as read() has them. Nothing is read so far.
  Transforms(std::vector<BagPtr> bags, Session session, TransformOptions options = {});
  ~Transforms();
  /// What is moved from can only be destroyed or assigned to.
  Transforms(Transforms&&) noexcept;
  Transforms& operator=(Transforms&&) noexcept;

  /// Returns what takes points in `source` to `target` at `time`, a stamp. Throws Error: not_found
  /// if there is no answer, with TransformLookup::reason; limit if there are more than
  /// `most_transforms`; cancelled on `wait.stop`; and what reading and decoding throw.
  Transform lookup(std::string_view target, std::string_view source, Time time,
                   const Wait& wait = {});
  /// The same, with what is not found as a value.
  TransformLookup find(std::string_view target, std::string_view source, Time time,
                       const Wait& wait = {});

 private:
  struct KITBAG_PRIVATE State;
  std::unique_ptr<State> state_;
};

}  // namespace kitbag
