#include "transport/ros2/participant.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "kitbag/error.h"
#include "transport/ros2/names.h"
#include "transport/ros2/qos.h"
#include "transport/ros2/reception.h"

// DDS knows participants and endpoints, no nodes. Each ROS process therefore writes a list of its
// nodes and their endpoints into ros_discovery_info, as a whole and whenever it changes; the topic
// is transient local with a depth of one, so a late reader gets the last list of everybody.
// Endpoints and lists arrive in any order, so a node may be unknown for a while after its endpoint
// was discovered. No list says that its process has ended: where there are many more lists than
// there were participants at the last look, those of participants that are gone are removed.
//
// There is one domain object in a process for each number of a domain: deleting it deletes
// everything in it, also the participants of another recorder. It is configured by whoever comes
// first.
//
// Reception is made before the domain. It recognizes the sockets and threads of DDS as those that
// were not there before.

namespace kitbag::ros2 {

namespace {

constexpr const char* kGraphTopic = "ros_discovery_info";
constexpr const char* kGraphType = "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_";
/// Of rmw_dds_common/msg/ParticipantEntitiesInfo with GIDs of 16 bytes, as of Iron and later. The
/// releases before do not look at it.
constexpr const char* kGraphHash =
    "RIHS01_91a0593bacdcc50ea9bdcf849a938b128412cc1ea821245c663bcd26f83c295e";

Qos graph_qos(bool of_reader) {
  Qos qos(dds_create_qos());
  dds_qset_reliability(qos.get(), DDS_RELIABILITY_RELIABLE, DDS_INFINITY);
  dds_qset_durability(qos.get(), DDS_DURABILITY_TRANSIENT_LOCAL);
  set_user_data(qos.get(), endpoint_user_data(kGraphHash));
  if (of_reader) {
    dds_qset_history(qos.get(), DDS_HISTORY_KEEP_ALL, DDS_LENGTH_UNLIMITED);
    return qos;
  }
  dds_qset_history(qos.get(), DDS_HISTORY_KEEP_LAST, 1);
  dds_qset_durability_service(qos.get(), 0, DDS_HISTORY_KEEP_LAST, 1, DDS_LENGTH_UNLIMITED,
                              DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
  dds_qset_writer_data_lifecycle(qos.get(), false);
  return qos;
}

}  // namespace

struct Domain {
  explicit Domain(bool has_chosen_buffers) : reception(has_chosen_buffers) {}

  std::mutex mutex;
  Reception reception;  ///< of the domain, and of the participants in it
  Entity entity;
};

namespace {

/// A domain takes everything in it along when it goes, so those of this process share it.
std::shared_ptr<Domain> domain_of(const Settings& settings) {
  static std::mutex mutex;
  static std::map<std::uint32_t, std::weak_ptr<Domain>> known;
  std::lock_guard lock(mutex);
  std::weak_ptr<Domain>& place = known[settings.domain];
  if (auto domain = place.lock()) return domain;
  std::string configuration = settings.configuration;
  std::string own = environment("CYCLONEDDS_URI");
  if (!own.empty()) configuration += "," + own;
  std::string what = "domain " + std::to_string(settings.domain) + "; see CYCLONEDDS_URI";
  bool has_chosen_buffers = own.find("SocketReceiveBufferSize") != std::string::npos;
  auto domain = std::make_shared<Domain>(has_chosen_buffers);
  domain->entity = Entity(dds_create_domain(settings.domain, configuration.c_str()), what);
  place = domain;
  return domain;
}

}  // namespace

Guid guid_of(const dds_guid_t& guid) {
  Guid made{};
  std::memcpy(made.data(), guid.v, made.size());
  return made;
}

Guid guid_of(dds_entity_t entity) {
  dds_guid_t guid{};
  require(dds_get_guid(entity, &guid), "get a GUID");
  return guid_of(guid);
}

Participant::Participant(const Settings& settings, const Clock& clock)
    : settings_(settings), clock_(clock) {
  domain_ = domain_of(settings);
  Qos qos(dds_create_qos());
  set_user_data(qos.get(), "enclave=/;");
  participant_ = Entity(dds_create_participant(settings.domain, qos.get(), nullptr),
                        "participant in domain " + std::to_string(settings.domain));
  graph_topic_ = RawTopic::make(get(), kGraphTopic, kGraphType, false, clock);
  graph_reader_ =
      Entity(dds_create_reader(get(), graph_topic_.entity.get(), graph_qos(true).get(), nullptr),
             "reader of ros_discovery_info");
  graph_writer_ =
      Entity(dds_create_writer(get(), graph_topic_.entity.get(), graph_qos(false).get(), nullptr),
             "writer of ros_discovery_info");
  announce();
}

std::string Participant::prepare_reception() {
  std::lock_guard lock(domain_->mutex);
  domain_->reception.prepare();
  return domain_->reception.warning();
}

void Participant::add(const Entity& endpoint, std::set<Guid>& to) {
  std::lock_guard lock(announced_);
  to.insert(guid_of(endpoint.get()));
}

void Participant::announce() {
  std::lock_guard lock(announced_);
  auto info =
      write_participant(guid_of(get()), settings_.node, readers_, writers_, settings_.gid_bytes);
  require(write_raw(graph_writer_.get(), graph_topic_, info), "write ros_discovery_info");
}

bool Participant::is_here(const dds_guid_t& participant) const {
  std::array<dds_entity_t, 16> all{};
  dds_return_t count = dds_lookup_participant(settings_.domain, all.data(), all.size());
  for (dds_return_t i = 0; i < std::min<dds_return_t>(count, all.size()); ++i) {
    dds_guid_t guid{};
    if (dds_get_guid(all[static_cast<std::size_t>(i)], &guid) == DDS_RETCODE_OK &&
        guid_of(guid) == guid_of(participant)) {
      return true;
    }
  }
  return false;
}

/// All that DDS knows of now, this one too.
std::set<Guid> Participant::participants() const {
  constexpr std::size_t kAtOnce = 64;
  Entity reader(dds_create_reader(get(), DDS_BUILTIN_TOPIC_DCPSPARTICIPANT, nullptr, nullptr),
                "reader of participants");
  std::set<Guid> found;
  std::array<void*, kAtOnce> samples{};
  std::array<dds_sample_info_t, kAtOnce> infos{};
  dds_return_t count = 0;
  while ((count = dds_take(reader.get(), samples.data(), infos.data(), samples.size(),
                           samples.size())) > 0) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      bool is_there = infos[i].valid_data && infos[i].instance_state == DDS_IST_ALIVE;
      const auto* each = static_cast<const dds_builtintopic_participant_t*>(samples[i]);
      if (is_there) found.insert(guid_of(each->key));
    }
    dds_return_loan(reader.get(), samples.data(), count);
  }
  require(count, "read what DDS has discovered");
  return found;
}

void Participant::read_graph() {
  take_raw(graph_reader_.get(), [this](const RawSamplePtr& sample, const dds_sample_info_t&) {
    if (auto info = parse_participant(sample->data())) {
      std::lock_guard lock(nodes_mutex_);
      nodes_[info->participant] = std::move(info->nodes);
    }
  });
  std::lock_guard lock(nodes_mutex_);
  if (nodes_.size() <= most_nodes_) return;
  try {
    std::set<Guid> there = participants();
    std::erase_if(nodes_, [&](const auto& each) { return !there.contains(each.first); });
  } catch (const Error&) {
    // They only take room: nothing has to end for that.
  }
  most_nodes_ = 2 * std::max(nodes_.size(), kLeastLists);
}

std::string Participant::node_of(const Guid& endpoint) const {
  std::lock_guard lock(nodes_mutex_);
  for (const auto& [participant, nodes] : nodes_) {
    for (const NodeInfo& node : nodes) {
      if (node.endpoints.contains(endpoint)) return node.name;
    }
  }
  return {};
}

}  // namespace kitbag::ros2
