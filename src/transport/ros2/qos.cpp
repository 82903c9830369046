#include "transport/ros2/qos.h"

#include <algorithm>
#include <array>
#include <cstdint>

// DDS matches a reader with a writer if the writer offers at least what the reader requests (DDS
// 1.4, 2.2.3). So a reader that is to hear everybody requests as little as it can: no deadline, no
// liveliness. Reliability and durability are requested as they are offered, since they decide what
// arrives. Ownership must be equal and a partition must be common to both, so they belong to the
// offer.
//
// History is the reader's own affair. It keeps all: samples wait until the subscriber takes them,
// and what a short history drops would be counted by nobody.
//
// A writer gets what was recorded, as far as the bag says it. Automatic disposal of instances is
// off: a player that ends has not declared its data void.

namespace kitbag::ros2 {

static_assert(kUnlimitedNs == DDS_INFINITY);

namespace {

using rosbag2::QosProfile;

constexpr int kUnknownHistory = 3;
/// The depth of ROS's own default, for recordings that do not have one.
constexpr std::int32_t kDefaultDepth = 10;
/// How long a write waits for slow readers before it checks whether it should give up. Not 100 ms,
/// which is the default of DDS: reliability is then not sent on the wire, and npm's implementation
/// accepts no publisher that does not send it.
constexpr dds_duration_t kMaxBlocking = DDS_MSECS(200);

void set_representations(dds_qos_t* qos) {
  std::array<dds_data_representation_id_t, 2> all = {DDS_DATA_REPRESENTATION_XCDR1,
                                                     DDS_DATA_REPRESENTATION_XCDR2};
  dds_qset_data_representation(qos, all.size(), all.data());
}

/// What no message of ours is to echo into.
Qos make_qos() {
  Qos qos(dds_create_qos());
  dds_qset_ignorelocal(qos.get(), DDS_IGNORELOCAL_PROCESS);
  return qos;
}

std::int32_t depth_of(const QosProfile& profile) {
  return static_cast<std::int32_t>(std::clamp<std::uint64_t>(profile.depth, 1, INT32_MAX));
}

}  // namespace

QosProfile profile_of(const dds_qos_t* offered) {
  QosProfile profile;
  dds_history_kind_t history{};
  std::int32_t depth = 0;
  profile.history = kUnknownHistory;  // it is not on the wire, but Cyclone puts it there
  if (dds_qget_history(offered, &history, &depth)) {
    bool keeps_all = history == DDS_HISTORY_KEEP_ALL;
    profile.history = keeps_all ? QosProfile::kKeepAll : QosProfile::kKeepLast;
    profile.depth = keeps_all ? 0 : static_cast<std::uint64_t>(std::max(depth, 0));
  }
  Offer offer = offer_of(offered);
  profile.reliability = offer.is_reliable ? QosProfile::kReliable : QosProfile::kBestEffort;
  profile.durability =
      offer.is_transient_local ? QosProfile::kTransientLocal : QosProfile::kVolatile;
  dds_duration_t duration = DDS_INFINITY;
  dds_qget_deadline(offered, &duration);
  profile.deadline = qos_time_of(duration);
  duration = DDS_INFINITY;
  dds_qget_lifespan(offered, &duration);
  profile.lifespan = qos_time_of(duration);
  dds_liveliness_kind_t liveliness = DDS_LIVELINESS_AUTOMATIC;
  duration = DDS_INFINITY;
  dds_qget_liveliness(offered, &liveliness, &duration);
  profile.liveliness = liveliness == DDS_LIVELINESS_MANUAL_BY_TOPIC ? QosProfile::kManualByTopic
                       : liveliness == DDS_LIVELINESS_MANUAL_BY_PARTICIPANT
                           ? QosProfile::kManualByNode
                           : QosProfile::kAutomatic;
  profile.liveliness_lease_duration = qos_time_of(duration);
  return profile;
}

Offer offer_of(const dds_qos_t* offered) {
  Offer offer;
  dds_reliability_kind_t reliability = DDS_RELIABILITY_RELIABLE;
  dds_durability_kind_t durability = DDS_DURABILITY_VOLATILE;
  dds_ownership_kind_t ownership = DDS_OWNERSHIP_SHARED;
  dds_duration_t blocking = 0;
  dds_qget_reliability(offered, &reliability, &blocking);
  dds_qget_durability(offered, &durability);
  dds_qget_ownership(offered, &ownership);
  offer.is_reliable = reliability == DDS_RELIABILITY_RELIABLE;
  offer.is_transient_local = durability >= DDS_DURABILITY_TRANSIENT_LOCAL;
  offer.is_exclusive = ownership == DDS_OWNERSHIP_EXCLUSIVE;
  std::uint32_t count = 0;
  char** names = nullptr;
  if (dds_qget_partition(offered, &count, &names)) {
    for (std::uint32_t i = 0; i < count; ++i) {
      offer.partitions.emplace_back(names[i]);
      dds_free(names[i]);
    }
    dds_free(names);
  }
  return offer;
}

Qos reader_qos(const Offer& offer) {
  Qos qos = make_qos();
  dds_qset_reliability(
      qos.get(), offer.is_reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT, 0);
  dds_qset_durability(qos.get(), offer.is_transient_local ? DDS_DURABILITY_TRANSIENT_LOCAL
                                                          : DDS_DURABILITY_VOLATILE);
  dds_qset_ownership(qos.get(),
                     offer.is_exclusive ? DDS_OWNERSHIP_EXCLUSIVE : DDS_OWNERSHIP_SHARED);
  if (!offer.partitions.empty()) {
    std::vector<const char*> names;
    names.reserve(offer.partitions.size());
    for (const std::string& name : offer.partitions) names.push_back(name.c_str());
    dds_qset_partition(qos.get(), static_cast<std::uint32_t>(names.size()), names.data());
  }
  // A reader does not count what its history drops, and its samples are taken at once.
  dds_qset_history(qos.get(), DDS_HISTORY_KEEP_ALL, DDS_LENGTH_UNLIMITED);
  set_representations(qos.get());
  return qos;
}

Qos reader_qos(const QosProfile& wanted) {
  Offer offer;
  offer.is_reliable = wanted.reliability != QosProfile::kBestEffort;
  offer.is_transient_local = wanted.durability == QosProfile::kTransientLocal;
  Qos qos = reader_qos(offer);  // all is kept until it is taken, whatever is wanted
  dds_qset_deadline(qos.get(), nanoseconds_of(wanted.deadline));
  return qos;
}

Qos writer_qos(const QosProfile& profile) {
  Qos qos = make_qos();
  bool is_reliable = profile.reliability != QosProfile::kBestEffort;
  bool is_latched = profile.durability == QosProfile::kTransientLocal;
  dds_qset_reliability(qos.get(),
                       is_reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT,
                       kMaxBlocking);
  if (profile.history == QosProfile::kKeepAll) {
    dds_qset_history(qos.get(), DDS_HISTORY_KEEP_ALL, DDS_LENGTH_UNLIMITED);
  } else {
    bool is_given = profile.history == QosProfile::kKeepLast && profile.depth > 0;
    std::int32_t depth = is_given ? depth_of(profile) : kDefaultDepth;
    dds_qset_history(qos.get(), DDS_HISTORY_KEEP_LAST, depth);
  }
  dds_qset_durability(qos.get(),
                      is_latched ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
  if (is_latched) {
    bool keeps_all = profile.history == QosProfile::kKeepAll;
    dds_qset_durability_service(qos.get(), 0,
                                keeps_all ? DDS_HISTORY_KEEP_ALL : DDS_HISTORY_KEEP_LAST,
                                keeps_all ? DDS_LENGTH_UNLIMITED : depth_of(profile),
                                DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
  }
  dds_qset_deadline(qos.get(), nanoseconds_of(profile.deadline));
  dds_qset_lifespan(qos.get(), nanoseconds_of(profile.lifespan));
  dds_liveliness_kind_t liveliness = profile.liveliness == QosProfile::kManualByTopic
                                         ? DDS_LIVELINESS_MANUAL_BY_TOPIC
                                         : DDS_LIVELINESS_AUTOMATIC;
  dds_qset_liveliness(qos.get(), liveliness, nanoseconds_of(profile.liveliness_lease_duration));
  dds_qset_writer_data_lifecycle(qos.get(), false);
  return qos;
}

bool is_xcdr2_alone(const dds_qos_t* offered) {
  std::uint32_t count = 0;
  dds_data_representation_id_t* representations = nullptr;
  if (!dds_qget_data_representation(offered, &count, &representations)) return false;
  bool is_alone = count == 1 && representations[0] == DDS_DATA_REPRESENTATION_XCDR2;
  dds_free(representations);
  return is_alone;
}

void set_representation(dds_qos_t* qos, bool is_xcdr2) {
  dds_data_representation_id_t representation =
      is_xcdr2 ? DDS_DATA_REPRESENTATION_XCDR2 : DDS_DATA_REPRESENTATION_XCDR1;
  dds_qset_data_representation(qos, 1, &representation);
}

std::string policy_name(std::uint32_t policy_id) {
  switch (policy_id) {
    case DDS_RELIABILITY_QOS_POLICY_ID:
      return "reliability";
    case DDS_DURABILITY_QOS_POLICY_ID:
      return "durability";
    case DDS_DEADLINE_QOS_POLICY_ID:
      return "deadline";
    case DDS_LIVELINESS_QOS_POLICY_ID:
      return "liveliness";
    case DDS_OWNERSHIP_QOS_POLICY_ID:
      return "ownership";
    case DDS_PARTITION_QOS_POLICY_ID:
      return "partition";
    case DDS_PRESENTATION_QOS_POLICY_ID:
      return "presentation";
    case DDS_DESTINATIONORDER_QOS_POLICY_ID:
      return "destination order";
    case DDS_DATA_REPRESENTATION_QOS_POLICY_ID:
      return "data representation";
    default:
      return "policy " + std::to_string(policy_id);
  }
}

std::string user_data_of(const dds_qos_t* qos) {
  void* bytes = nullptr;
  std::size_t size = 0;
  if (!dds_qget_userdata(qos, &bytes, &size) || !bytes) return {};
  std::string data(static_cast<const char*>(bytes), size);
  dds_free(bytes);
  return data;
}

void set_user_data(dds_qos_t* qos, const std::string& data) {
  dds_qset_userdata(qos, data.data(), data.size());
}

}  // namespace kitbag::ros2
