#include "storage/rosbag2/metadata.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "kitbag/error.h"
#include "kitbag/rosbag2.h"
#include "storage/rosbag2/yaml.h"

// What came with which version: 3 compression, 4 offered_qos_profiles as text, 5 files, 6
// custom_data, 7 type_description_hash, 8 ros_distro, 9 offered_qos_profiles as a sequence with
// names. Versions 1 to 4 name the files in the third place; readers do not mind.

namespace kitbag::rosbag2 {

namespace {

constexpr const char* kRoot = "rosbag2_bagfile_information";

Time time_of(const Yaml& node) {
  return from_ns(static_cast<std::int64_t>(unsigned_of(node["nanoseconds_since_epoch"])));
}

Duration duration_of(const Yaml& node) {
  return Duration(static_cast<std::int64_t>(unsigned_of(node["nanoseconds"])));
}

std::string parse_topic_qos(const Yaml& node) {
  if (!node || node.is_null()) return {};
  return node.is_scalar() ? node.scalar : print_yaml(node);
}

BagMetadata::Topic parse_topic(const Yaml& node) {
  const Yaml& first = node["topic_and_type"];  // its name in the first bags of version 1
  const Yaml& topic = first ? first : node["topic_metadata"];
  if (!topic) throw Error(ErrorCode::corrupt, "a topic is without topic_metadata");
  return {text_of(topic["name"]),
          text_of(topic["type"]),
          text_of(topic["serialization_format"]),
          parse_topic_qos(topic["offered_qos_profiles"]),
          text_of(topic["type_description_hash"]),
          unsigned_of(node["message_count"])};
}

BagMetadata parse_node(const Yaml& node) {
  if (!node.is_map()) throw Error(ErrorCode::corrupt, "there is no rosbag2_bagfile_information");
  BagMetadata metadata;
  auto version = unsigned_of(node["version"]);
  if (version < 1 || version > kNewestMetadata) {
    // The first bags of all tell none.
    if (version != 0 || node["version"]) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("its version is {}; known are 1 to {}", version, kNewestMetadata));
    }
    version = 1;
  }
  metadata.version = static_cast<int>(version);
  metadata.storage = text_of(node["storage_identifier"]);
  if (node["starting_time"]) metadata.start = time_of(node["starting_time"]);
  if (node["duration"]) metadata.duration = duration_of(node["duration"]);
  metadata.messages = unsigned_of(node["message_count"]);
  for (const Yaml& topic : node["topics_with_message_count"].parts) {
    metadata.topics.push_back(parse_topic(topic));
  }
  metadata.compression_format = text_of(node["compression_format"]);
  metadata.compression_mode = text_of(node["compression_mode"]);
  for (char& c : metadata.compression_mode) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  for (const Yaml& path : node["relative_file_paths"].parts) {
    metadata.paths.push_back(text_of(path));
  }
  for (const Yaml& file : node["files"].parts) {
    metadata.files.push_back({text_of(file["path"]), time_of(file["starting_time"]),
                              duration_of(file["duration"]), unsigned_of(file["message_count"])});
  }
  if (const Yaml& custom = node["custom_data"]; custom.is_map()) {
    for (std::size_t i = 0; i + 1 < custom.parts.size(); i += 2) {
      metadata.custom_data[text_of(custom.parts[i])] = text_of(custom.parts[i + 1]);
    }
  }
  metadata.ros_distro = text_of(node["ros_distro"]);
  return metadata;
}

/// A word of ours, or somebody's text.
void put(YAML::Emitter& out, const char* key, const std::string& value) {
  out << YAML::Key << key << YAML::Value;
  if (value.empty()) out << YAML::DoubleQuoted;
  out << value;
}

void put_time(YAML::Emitter& out, const char* key, const char* unit, std::int64_t ns) {
  out << YAML::Key << key << YAML::Value << YAML::BeginMap << YAML::Key << unit << YAML::Value << ns
      << YAML::EndMap;
}

void put_start(YAML::Emitter& out, Time start) {
  put_time(out, "starting_time", "nanoseconds_since_epoch", to_ns(start));
}

void put_qos(YAML::Emitter& out, const std::string& qos, int version) {
  out << YAML::Key << "offered_qos_profiles" << YAML::Value;
  if (qos_form(version) == QosForm::numbers) {
    out << YAML::DoubleQuoted << qos;
  } else if (qos.empty()) {
    out << YAML::BeginSeq << YAML::EndSeq;
  } else {
    print_yaml(load_yaml(qos), out);
  }
}

std::string qos_in_form(const std::string& qos, QosForm form) {
  try {
    return print_qos(parse_qos(qos), form);
  } catch (const Error&) {
    return {};  // nobody could read it
  }
}

void put_topic(YAML::Emitter& out, const BagMetadata::Topic& topic, int version) {
  out << YAML::BeginMap << YAML::Key << "topic_metadata" << YAML::Value << YAML::BeginMap;
  put(out, "name", topic.name);
  put(out, "type", topic.type);
  put(out, "serialization_format", topic.encoding);
  if (version >= 4) put_qos(out, qos_in_form(topic.qos, qos_form(version)), version);
  bool has_hash = version >= 4 && !topic.type_hash.empty();
  if (version >= 7 || has_hash) put(out, "type_description_hash", topic.type_hash);
  out << YAML::EndMap << YAML::Key << "message_count" << YAML::Value << topic.messages
      << YAML::EndMap;
}

void put_paths(YAML::Emitter& out, const std::vector<std::string>& paths) {
  out << YAML::Key << "relative_file_paths" << YAML::Value << YAML::BeginSeq;
  for (const std::string& path : paths) out << path;
  out << YAML::EndSeq;
}

void put_file(YAML::Emitter& out, const BagMetadata::File& file) {
  out << YAML::BeginMap;
  put(out, "path", file.path);
  put_start(out, file.start);
  put_time(out, "duration", "nanoseconds", file.duration.count());
  out << YAML::Key << "message_count" << YAML::Value << file.messages << YAML::EndMap;
}

void put_custom_data(YAML::Emitter& out, const std::map<std::string, std::string>& data) {
  out << YAML::Key << "custom_data" << YAML::Value;
  if (data.empty()) {
    out << YAML::Null;
    return;
  }
  out << YAML::BeginMap;
  for (const auto& [key, value] : data) put(out, key.c_str(), value);
  out << YAML::EndMap;
}

void put_metadata(YAML::Emitter& out, const BagMetadata& metadata, int version) {
  out << YAML::BeginMap << YAML::Key << "version" << YAML::Value << version;
  put(out, "storage_identifier", metadata.storage);
  if (version < 5) put_paths(out, metadata.paths);
  put_time(out, "duration", "nanoseconds", metadata.duration.count());
  put_start(out, metadata.start);
  out << YAML::Key << "message_count" << YAML::Value << metadata.messages;
  out << YAML::Key << "topics_with_message_count" << YAML::Value << YAML::BeginSeq;
  for (const BagMetadata::Topic& topic : metadata.topics) put_topic(out, topic, version);
  out << YAML::EndSeq;
  if (version >= 3) {
    put(out, "compression_format", metadata.compression_format);
    put(out, "compression_mode", metadata.compression_mode);
  }
  if (version >= 5) {
    put_paths(out, metadata.paths);
    out << YAML::Key << "files" << YAML::Value << YAML::BeginSeq;
    for (const BagMetadata::File& file : metadata.files) put_file(out, file);
    out << YAML::EndSeq;
  }
  bool has_custom = version >= 4 && !metadata.custom_data.empty();
  if (version >= 6 || has_custom) put_custom_data(out, metadata.custom_data);
  bool has_distro = version >= 4 && !metadata.ros_distro.empty();
  if (version >= 8 || has_distro) put(out, "ros_distro", metadata.ros_distro);
  out << YAML::EndMap;
}

}  // namespace

BagMetadata parse_metadata(std::string_view text, const std::string& path) {
  try {
    const Yaml node = load_yaml(text);
    const Yaml& root = node[kRoot];
    return parse_node(root ? root : node);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("the metadata makes no sense: {}", error.message()),
                path);
  }
}

std::string print_metadata(const BagMetadata& metadata, int version, bool is_embedded) {
  YAML::Emitter out;
  if (!is_embedded) out << YAML::BeginMap << YAML::Key << kRoot << YAML::Value;
  put_metadata(out, metadata, version);
  if (!is_embedded) out << YAML::EndMap;
  return out.c_str();
}

}  // namespace kitbag::rosbag2
