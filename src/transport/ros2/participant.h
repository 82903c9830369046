#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "kitbag/time.h"
#include "transport/ros2/entity.h"
#include "transport/ros2/messages.h"
#include "transport/ros2/raw_type.h"
#include "transport/ros2/settings.h"

namespace kitbag::ros2 {

Guid guid_of(const dds_guid_t& guid);
Guid guid_of(dds_entity_t entity);

struct Domain;

/// Kitbag in a domain: a participant of DDS, and a node of ROS 2 by what it writes into
/// `ros_discovery_info`. One thread, except where any thread is said.
class Participant {
 public:
  /// `clock` must outlive it. Throws Error (io).
  Participant(const Settings& settings, const Clock& clock);

  dds_entity_t get() const { return participant_.get(); }
  /// See Reception::prepare(). A warning for the user; or "".
  std::string prepare_reception();
  const Clock& clock() const { return clock_; }

  /// Declares that the node has that reader, or writer; announce() publishes it. Any thread.
  void add_reader(const Entity& reader) { add(reader, readers_); }
  void add_writer(const Entity& writer) { add(writer, writers_); }
  void announce();

  /// A participant of this process. Any thread.
  bool is_here(const dds_guid_t& participant) const;

  /// Reads what other nodes have published since.
  void read_graph();
  /// The full name of the node that has this endpoint, "/robot/driver"; or "", if it is not known.
  /// Any thread.
  std::string node_of(const Guid& endpoint) const;
  /// That has samples when read_graph() is due.
  const Entity& graph_reader() const { return graph_reader_; }

 private:
  static constexpr std::size_t kLeastLists = 64;

  void add(const Entity& endpoint, std::set<Guid>& to);
  std::set<Guid> participants() const;

  Settings settings_;
  const Clock& clock_;
  std::shared_ptr<Domain> domain_;
  Entity participant_;
  RawTopic graph_topic_;
  Entity graph_reader_;
  Entity graph_writer_;
  std::mutex announced_;  ///< for the two sets
  std::set<Guid> readers_;
  std::set<Guid> writers_;
  mutable std::mutex nodes_mutex_;
  std::map<Guid, std::vector<NodeInfo>> nodes_;  ///< by participant; with the lock
  std::size_t most_nodes_ = kLeastLists;  ///< lists; with more, those of the gone are removed
};

}  // namespace kitbag::ros2
