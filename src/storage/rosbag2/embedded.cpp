#include "storage/rosbag2/embedded.h"

#include <utility>
#include <variant>

#include "kitbag/error.h"
#include "storage/rosbag2/metadata.h"

namespace kitbag::rosbag2 {

namespace {

constexpr const char* kName = "rosbag2";
constexpr const char* kKey = "serialized_metadata";

}  // namespace

Metadata embedded_record(std::string yaml) {
  return {kName, {{kKey, std::move(yaml)}}};
}

bool is_embedded(const Extra& extra) {
  const auto* metadata = std::get_if<Metadata>(&extra);
  return metadata && metadata->name == kName;
}

const std::string* embedded_text(const Metadata& record) {
  auto text = record.values.find(kKey);
  return record.name == kName && text != record.values.end() ? &text->second : nullptr;
}

bool TakenOver::take(const Metadata& record, const std::string& path) {
  const std::string* text = embedded_text(record);
  if (!text) return false;
  try {
    BagMetadata declared = parse_metadata(*text, path);
    custom_data.merge(declared.custom_data);
    if (ros_distro.empty()) ros_distro = std::move(declared.ros_distro);
    return true;
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    return false;
  }
}

}  // namespace kitbag::rosbag2
