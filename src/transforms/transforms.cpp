#include "kitbag/transforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/pipeline.h"
#include "transforms/transform_reader.h"

// The tree has all static transforms, and the others around the time that was asked for last.
// Programs ask for one time after the other, so more is read in advance than one time needs, and
// most lookups read nothing.
//
// Log times select what is read, stamps what is used: a transform may be logged earlier or later
// than its stamp, which kReach covers. Before the bag and after it, what is read is its beginning
// and its end, so that the answer can name the nearest transform.
//
// Recordings of simulations have stamps of another clock. The first transform shows that; all are
// read then, in the order of the log.

namespace kitbag {

namespace {

/// Transforms are logged this long before or after their stamps.
constexpr Duration kReach = std::chrono::seconds(10);
constexpr Duration kReadAtOnce = std::chrono::seconds(60);

/// The messages with transforms; static or not.
Selection selection(bool are_static) {
  Selection select;
  for (const TransformForm& form : transform_forms()) {
    select.types.insert(select.types.end(), form.types.begin(), form.types.end());
  }
  (are_static ? select.topics : select.exclude) = {"*tf_static"};
  return select;
}

}  // namespace

struct Transforms::State {
  State(std::vector<BagPtr> given, Session owner, TransformOptions chosen)
      : bags(std::move(given)),
        session(std::move(owner)),
        options(std::move(chosen)),
        tree(options.max_gap) {
    for (const BagPtr& bag : bags) {
      const Summary& summary = bag->summary();
      if (summary.messages == 0) continue;
      start = std::min(start, summary.start);
      end = std::max(end, summary.end);
    }
  }

  /// Passes each transform with the log time of its message to `take` until that returns false.
  template <class Take>
  void read(const Query& query, const Wait& wait, Take take) {
    auto source =
        bags.size() == 1 ? bags.front()->read(query, wait) : kitbag::read(bags, query, wait);
    bool goes_on = true;
    Time log_time{};
    TransformReader reader(
        session, options.on_error, options.report,
        [&](const FrameTransform& each) { goes_on = goes_on && take(each, log_time); });
    Batch batch;
    while (goes_on && source->read(batch, wait)) {
      throw_if_stopped(wait);
      for (const Message& message : std::as_const(batch).messages()) {
        log_time = message.log_time;
        reader.read(message);
        if (!goes_on) break;
      }
      batch.clear();
    }
  }

  Query query(bool are_static) const {
    Query query;
    query.select = selection(are_static);
    query.on_problem = options.on_problem;
    return query;
  }

  void read_into_tree(const Query& query, const Wait& wait) {
    read(query, wait, [&](const FrameTransform& each, Time) {
      tree.add(each);
      return tree.moving_count() <= options.most_transforms;
    });
    if (tree.moving_count() <= options.most_transforms) return;
    throw Error(ErrorCode::limit,
                fmt::format("more than {} transforms would be in memory", options.most_transforms));
  }

  /// Whether the first transform has a stamp near its log time.
  bool has_stamps_of_log(const Wait& wait) {
    bool is_near = true;
    read(query(false), wait, [&](const FrameTransform& each, Time log_time) {
      is_near = std::max(saturating_difference(log_time, each.stamp),
                         saturating_difference(each.stamp, log_time)) <= kReach;
      return false;
    });
    return is_near;
  }

  void load(Time time, const Wait& wait) {
    if (is_complete || bags.empty()) return;
    if (!has_static) {
      read_into_tree(query(true), wait);
      has_near_stamps = has_stamps_of_log(wait);
      has_static = true;
    }
    Query wanted = query(false);
    const Duration reach =
        options.max_gap > Duration::max() - kReach ? Duration::max() : options.max_gap + kReach;
    const Time near = std::clamp(time, start, std::max(start, end));
    Time first = saturating_add(near, -reach);
    Time last = saturating_add(near, reach);
    if (begin_loaded <= first && last <= end_loaded) return;
    if (has_near_stamps) {
      bool goes_back = begin_loaded < end_loaded && first < begin_loaded;
      if (goes_back) {
        first = std::min(first, saturating_add(near, -kReadAtOnce));
      } else {
        last = std::max(last, saturating_add(near, kReadAtOnce));
      }
      wanted.begin = first;
      wanted.end = last;
    }
    tree.clear_moving();
    begin_loaded = Time::max();
    end_loaded = Time::min();
    read_into_tree(wanted, wait);
    is_complete = !has_near_stamps;
    begin_loaded = first;
    end_loaded = last;
  }

  std::vector<BagPtr> bags;
  Session session;
  TransformOptions options;
  TransformTree tree;
  Time start = Time::max();  ///< of the bags
  Time end = Time::min();
  bool has_static = false;
  bool has_near_stamps = true;
  bool is_complete = false;         ///< all is in the tree
  Time begin_loaded = Time::max();  ///< of the log times that are in the tree
  Time end_loaded = Time::min();
};

Transforms::Transforms(std::vector<BagPtr> bags, Session session, TransformOptions options)
    : state_(std::make_unique<State>(std::move(bags), std::move(session), std::move(options))) {}
Transforms::~Transforms() = default;
Transforms::Transforms(Transforms&&) noexcept = default;
Transforms& Transforms::operator=(Transforms&&) noexcept = default;

TransformLookup Transforms::find(std::string_view target, std::string_view source, Time time,
                                 const Wait& wait) {
  state_->load(time, wait);
  return state_->tree.find(target, source, time);
}

Transform Transforms::lookup(std::string_view target, std::string_view source, Time time,
                             const Wait& wait) {
  TransformLookup found = find(target, source, time, wait);
  if (found.outcome == TransformLookup::Outcome::found) return found.transform;
  throw Error(ErrorCode::not_found, found.reason);
}

}  // namespace kitbag
