#pragma once

#include <string_view>
#include <vector>

#include "kitbag/exporter.h"
#include "kitbag/message.h"

namespace kitbag {

/// A format that holds messages of some types only.
struct Fitting {
  std::string_view format;  ///< as ExportFormat::name: "images"
  std::string_view what;    ///< what its messages have: "pictures"
  /// Whether messages of this type have it, by the name of the type.
  bool (*fits)(const Channel& channel);
};

/// Whether the type is called one of these in any package: "Image" of "sensor_msgs/msg/Image".
bool is_called(const Channel& channel, std::initializer_list<std::string_view> names);

/// As export_topics(), for topics that fit and can be decoded. The others are left out, which is
/// said. Throws Error (invalid) if there are topics and none fits, with the formats that do; for
/// options that belong to tables; and (unsupported) if nothing was written because no message could
/// be.
std::vector<Exported> export_fitting(const ExportJob& job, std::string_view format,
                                     const MakeTopicExport& make);

}  // namespace kitbag
