#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kitbag/time.h"
#include "sql/bag_set.h"
#include "sql/sqlite.h"
#include "sql/tables/virtual_table.h"

namespace kitbag::sql {

/// Where a frame is, seen from another one: p' = rotation * p + translation.
struct Transform {
  std::array<double, 3> translation = {};
  std::array<double, 4> rotation = {0, 0, 0, 1};  ///< x, y, z, w; of length 1
};

/// `first`, then `second`.
Transform operator*(const Transform& second, const Transform& first);
Transform inverse(const Transform& transform);
/// Between two transforms: `share` 0 is `from`, 1 is `to`. Rotations take the shorter way (slerp).
Transform between(const Transform& from, const Transform& to, double share);

/// A tree of frames that changes with time.
class FrameTree {
 public:
  /// Notes where `child` is. Those of one child come in any order.
  void add(const std::string& parent, const std::string& child, Time stamp, bool is_static,
           const Transform& transform);
  /// Returns what takes points in `source` to `target` at that time. Nothing: a frame is not known,
  /// there is no path between them, or it needs a time that is not between two transforms at most
  /// `max_gap` apart. A child that has a static transform too has that one at such times.
  std::optional<Transform> find(const std::string& target, const std::string& source, Time time,
                                Duration max_gap) const;
  void clear_moving();

 private:
  struct Link {
    std::string parent;
    Transform transform;
  };
  std::optional<Link> link_at(const std::string& child, Time time, Duration max_gap) const;
  std::optional<Link> moving_link_at(const std::string& child, Time time, Duration max_gap) const;
  bool is_known(const std::string& frame) const;

  std::map<std::string, std::map<Time, Link>> moving_;  ///< by child
  std::map<std::string, Link> fixed_;                   ///< likewise
  std::set<std::string> moving_frames_;                 ///< children and parents
  std::set<std::string> fixed_frames_;
};

/// tf_lookup(TARGET, SOURCE, TIME): x, y, z, qx, qy, qz, qw of the transform that takes points in
/// the source frame to the target frame. No row if there is none. Reads the table temp.tf.
std::unique_ptr<Table> make_lookup_table(sqlite3* database, std::shared_ptr<const BagSet> set);

}  // namespace kitbag::sql
