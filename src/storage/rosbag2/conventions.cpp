#include "storage/rosbag2/conventions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/yaml.h"
#include "kitbag/error.h"
#include "storage/rosbag2/embedded.h"
#include "storage/rosbag2/metadata.h"

// Newer releases read what older ones wrote, never the other way round: the player of Humble and
// Iron throws at a QoS enumeration that is a name, and at metadata version 9. So the default is
// what the oldest supported release reads; the forms of a newer release are used only if it is
// named.

namespace kitbag::rosbag2 {

namespace {

constexpr const char* kQosKey = "offered_qos_profiles";

struct Release {
  std::string_view name;
  int schema_version;
  int metadata_version;
};

// What each writes by default.
constexpr Release kReleases[] = {
    {"foxy", 2, 4},  {"galactic", 2, 4}, {"humble", 3, 5},  {"iron", 4, 7},
    {"jazzy", 4, 9}, {"kilted", 4, 9},   {"lyrical", 4, 9}, {"rolling", 4, 9},
};

/// Humble's readers take the columns of SQLite bags by name, so that they read schema 4, the first
/// that holds definitions.
constexpr Release kCommon = {"", 4, kCommonMetadata};

const Release& release_named(std::string_view name) {
  if (name.empty()) return kCommon;
  std::string known;
  for (const Release& release : kReleases) {
    if (release.name == name) return release;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", release.name);
  }
  throw Error(ErrorCode::invalid,
              fmt::format("unknown release of ROS 2 \"{}\"; supported releases: {}", name, known));
}

/// What was asked for, which the release must read.
int version_of(std::string_view what, int asked, int of_release, const Release& release) {
  if (asked == 0) return of_release;
  if (!release.name.empty() && asked > of_release) {
    throw Error(ErrorCode::invalid, fmt::format("{} {} contradicts the release {}, which reads {}",
                                                what, asked, release.name, of_release));
  }
  return asked;
}

/// The metadata version of the days of schema versions 1 and 2.
constexpr int kMetadataOfSchema[] = {0, 2, 4};

/// A text that is in the form already keeps its bytes.
bool has_form(const std::string& qos, QosForm form) {
  const Yaml all = load_yaml(qos);
  for (const Yaml& profile : all.parts) {
    for (const char* key : {"history", "reliability", "durability", "liveliness"}) {
      std::string value = text_of(profile[key]);
      if (value.empty()) continue;
      bool is_number = value.find_first_not_of("0123456789") == std::string::npos;
      if (is_number != (form == QosForm::numbers)) return false;
    }
  }
  return true;
}

}  // namespace

Conventions conventions_of(const WriteOptions& options) {
  const Release& release = release_named(options.ros_distro);
  const std::string& version = options.format_version;
  bool is_schema = version.size() == 1 && version[0] >= '1' && version[0] <= '4';
  int asked_schema = is_schema ? version[0] - '0' : 0;
  Conventions conventions;
  conventions.schema_version =
      version_of("schema version", asked_schema, release.schema_version, release);
  int asked = options.metadata_version;
  if (asked < 0 || asked > kNewestMetadata) {
    throw Error(ErrorCode::invalid,
                fmt::format("invalid metadata version {}; supported versions: 1 to {}", asked,
                            kNewestMetadata));
  }
  bool is_old = asked_schema >= 1 && asked_schema < 3;
  int usual = is_old ? kMetadataOfSchema[asked_schema] : release.metadata_version;
  conventions.metadata_version = version_of("metadata version", asked, usual, release);
  conventions.qos = qos_form(conventions.metadata_version);
  return conventions;
}

ChannelPtr with_qos_form(const ChannelPtr& channel, QosForm form) {
  auto given = channel->metadata.find(kQosKey);
  if (given == channel->metadata.end() || given->second.empty()) return channel;
  try {
    auto profiles = parse_qos(given->second);
    if (profiles.empty() || has_form(given->second, form)) return channel;
    auto made = std::make_shared<Channel>(*channel);
    made->metadata[kQosKey] = print_qos(profiles, form);
    return made;
  } catch (const Error&) {  // nobody can read it; it is kept
    return channel;
  }
}

Metadata readable_by(const Metadata& embedded, int metadata_version) {
  const std::string* text = embedded_text(embedded);
  if (!text) return embedded;
  try {
    BagMetadata parsed = parse_metadata(*text, {});
    if (parsed.version <= metadata_version) return embedded;
    Metadata readable = embedded_record(print_metadata(parsed, metadata_version, true));
    readable.values.insert(embedded.values.begin(), embedded.values.end());
    return readable;
  } catch (const Error&) {  // nobody can read it; it is kept
    return embedded;
  }
}

}  // namespace kitbag::rosbag2
