#include "storage/rosbag2/metadata.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/yaml.h"
#include "kitbag/error.h"
#include "kitbag/rosbag2.h"

// What came with which version: 3 compression, 4 offered_qos_profiles as text, 5 files, 6
// custom_data, 7 type_description_hash, 8 ros_distro, 9 offered_qos_profiles as a sequence with
// names. Versions 1 to 4 name the files in the third place; readers do not mind.

namespace kitbag::rosbag2 {

namespace {

constexpr const char* kRoot = "rosbag2_bagfile_information";

Time time_of(const Yaml& node) {
  return from_ns(integer_of(node["nanoseconds_since_epoch"]));
}

Duration duration_of(const Yaml& node) {
  return Duration(integer_of(node["nanoseconds"]));
}

std::string parse_topic_qos(const Yaml& node) {
  if (!node || node.is_null()) return {};
  return node.is_scalar() ? node.scalar : print_yaml(node);
}

BagMetadata::Topic parse_topic(const Yaml& node) {
  const Yaml& first = node["topic_and_type"];  // its name in the first bags of version 1
  const Yaml& topic = first ? first : node["topic_metadata"];
  if (!topic) throw Error(ErrorCode::corrupt, "a topic lacks topic_metadata");
  return {text_of(topic["name"]),
          text_of(topic["type"]),
          text_of(topic["serialization_format"]),
          parse_topic_qos(topic["offered_qos_profiles"]),
          text_of(topic["type_description_hash"]),
          unsigned_of(node["message_count"])};
}

BagMetadata parse_node(const Yaml& node) {
  if (!node.is_map()) throw Error(ErrorCode::corrupt, "rosbag2_bagfile_information is missing");
  BagMetadata metadata;
  auto version = unsigned_of(node["version"]);
  if (version < 1 || version > kNewestMetadata) {
    // The very first bags have none.
    if (version != 0 || node["version"]) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("unsupported version {}; supported versions: 1 to {}", version,
                              kNewestMetadata));
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
  // Readers of these versions look keys up by name, so one that they do not know does no harm.
  bool has_hash = version >= 4 && !topic.type_hash.empty();
  if (version >= 7 || has_hash) put(out, "type_description_hash", topic.type_hash);
  out << YAML::EndMap << YAML::Key << "message_count" << YAML::Value << topic.messages
      << YAML::EndMap;
}

/// The lines of a map that `put` writes.
template <class Put>
std::string print_map(Put put) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  put(out);
  out << YAML::EndMap;
  return std::string(out.c_str()) + '\n';
}

/// The name of a file as a scalar. There may be many, and most are plain to see.
std::string print_name(const std::string& name) {
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  auto is_plain = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == '/';
  };
  bool is_word = !name.empty() && is_letter(name.front()) && name.find('.') != std::string::npos &&
                 std::all_of(name.begin(), name.end(), is_plain);
  if (is_word) return name;
  YAML::Emitter out;
  if (name.empty()) out << YAML::DoubleQuoted;
  out << name;
  return out.c_str();
}

std::string print_paths(const std::vector<std::string>& paths) {
  if (paths.empty()) return "relative_file_paths:\n  []\n";
  std::string text = "relative_file_paths:\n";
  for (const std::string& path : paths) {
    text += fmt::format("  - {}\n", print_name(path));
  }
  return text;
}

std::string print_files(const std::vector<BagMetadata::File>& files) {
  if (files.empty()) return "files:\n  []\n";
  std::string text = "files:\n";
  for (const BagMetadata::File& file : files) {
    text += fmt::format(
        "  - path: {}\n"
        "    starting_time:\n"
        "      nanoseconds_since_epoch: {}\n"
        "    duration:\n"
        "      nanoseconds: {}\n"
        "    message_count: {}\n",
        print_name(file.path), to_ns(file.start), file.duration.count(), file.messages);
  }
  return text;
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

/// The lines of the map of all declared values. The lists of files are printed by hand: a directory
/// may have thousands, and its metadata is written for each.
std::string print_declared(const BagMetadata& metadata, int version) {
  std::string text = print_map([&](YAML::Emitter& out) {
    out << YAML::Key << "version" << YAML::Value << version;
    put(out, "storage_identifier", metadata.storage);
  });
  if (version < 5) text += print_paths(metadata.paths);
  text += print_map([&](YAML::Emitter& out) {
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
  });
  if (version >= 5) text += print_paths(metadata.paths) + print_files(metadata.files);
  if (version < 4) return text;  // nothing more
  std::string rest = print_map([&](YAML::Emitter& out) {
    bool has_custom = !metadata.custom_data.empty();
    if (version >= 6 || has_custom) put_custom_data(out, metadata.custom_data);
    bool has_distro = !metadata.ros_distro.empty();
    if (version >= 8 || has_distro) put(out, "ros_distro", metadata.ros_distro);
  });
  return rest.starts_with("{}") ? text : text + rest;
}

std::string indented(const std::string& text) {
  std::string lines;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    lines.append("  ").append(text, begin, end + 1 - begin);
    begin = end + 1;
  }
  return lines;
}

/// The text that was parsed last, and what it says. YAML takes half of the time that it takes to
/// open a small bag, and what opens a bag again soon does so at once: a check after reading, a
/// repair, a server's next request. Any thread.
class LastParsed {
 public:
  std::optional<BagMetadata> find(std::string_view text) {
    std::lock_guard lock(mutex_);
    if (text != text_) return {};
    return metadata_;
  }

  void keep(std::string_view text, const BagMetadata& metadata) {
    constexpr std::size_t kMostBytes = 64 << 10;  // it stays to the end of the process
    if (text.size() > kMostBytes) return;
    std::lock_guard lock(mutex_);
    text_ = text;
    metadata_ = metadata;
  }

 private:
  std::mutex mutex_;
  std::string text_;
  std::optional<BagMetadata> metadata_;
};

}  // namespace

BagMetadata parse_metadata(std::string_view text, const std::string& path) {
  static auto* const last = new LastParsed;  // never destroyed: threads may still open bags
  if (auto known = last->find(text)) return *std::move(known);
  try {
    const Yaml node = load_yaml(text);
    const Yaml& root = node[kRoot];
    BagMetadata metadata = parse_node(root ? root : node);
    last->keep(text, metadata);
    return metadata;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("invalid metadata: {}", error.message()), path);
  }
}

std::string print_metadata(const BagMetadata& metadata, int version, bool is_embedded) {
  std::string text = print_declared(metadata, version);
  if (!is_embedded) text = fmt::format("{}:\n{}", kRoot, indented(text));
  text.pop_back();  // the last line has no end
  return text;
}

}  // namespace kitbag::rosbag2
