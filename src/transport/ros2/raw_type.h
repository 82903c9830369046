#pragma once

#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "kitbag/bytes.h"
#include "kitbag/time.h"
#include "transport/ros2/entity.h"
#include "transport/ros2/messages.h"

// Cyclone DDS knows types by two tables of functions; these here leave every payload as it is. They
// are the one place that sees its internal headers, which are those of 0.10.

namespace kitbag::ros2 {

/// A payload with its encapsulation header, as bags contain it: padding after it is removed if the
/// header declares it, as those of kitbag, of Cyclone and of all XCDR2 do.
struct RawSample final : ddsi_serdata {
  Time received;
  std::uint64_t number = 0;  ///< that its writer gave it; 0: it did not come over the network
  std::uint32_t size = 0;

  ByteView data() const { return {reinterpret_cast<const std::byte*>(this + 1), size}; }
};

struct LetGo {
  void operator()(const RawSample* sample) const {
    ddsi_serdata_unref(const_cast<RawSample*>(sample));
  }
};
using RawSamplePtr = std::unique_ptr<const RawSample, LetGo>;

/// Takes all that a reader, or its condition, has of a RawTopic: `take(RawSamplePtr, const
/// dds_sample_info_t&)` gets each sample that is one.
template <class Take>
void take_raw(dds_entity_t from, Take take) {
  constexpr std::size_t kAtOnce = 256;
  std::array<ddsi_serdata*, kAtOnce> samples{};
  std::array<dds_sample_info_t, kAtOnce> infos{};
  dds_return_t count = kAtOnce;
  while (count == kAtOnce) {
    count = dds_takecdr(from, samples.data(), kAtOnce, infos.data(), DDS_ANY_STATE);
    for (std::size_t i = 0; static_cast<dds_return_t>(i) < count; ++i) {
      RawSamplePtr sample(static_cast<const RawSample*>(samples[i]));
      if (infos[i].valid_data) take(std::move(sample), infos[i]);
    }
  }
}

/// A topic of any type.
struct RawTopic {
  Entity entity;
  const ddsi_sertype* type = nullptr;  ///< lives as long as the entity

  /// `clock`, which must outlive it, gives the arrival times of samples. Throws Error (io).
  static RawTopic make(dds_entity_t participant, const std::string& name, const std::string& type,
                       bool is_keyed, const Clock& clock);

  /// How many numbers between `after` and `before` that writer gave to what is no sample: to
  /// messages that dispose of instances of a keyed topic.
  std::uint64_t disposals_between(const Guid& writer, std::uint64_t after,
                                  std::uint64_t before) const;
};

/// Sends a copy of `payload`. What dds_writecdr() gives.
dds_return_t write_raw(dds_entity_t writer, const RawTopic& topic, ByteView payload);

}  // namespace kitbag::ros2
