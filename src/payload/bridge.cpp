#include "payload/bridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/session.h"
#include "language/ros/names.h"

// ROS 1 stores values one after the other, without padding: the bytes of a structure are those of
// its fields. So a message whose header is unfolded in ROS 2 is read, or written, as one that never
// had a header, and the other fields are matched by name.
//
// The texts of both types stand here, and the bridge is used only for a channel whose type has the
// same shape: bags hold types of these names with other fields, of older versions. The numbers of
// log levels differ between ROS 1 and 2; those that neither of them has stay as they are.

namespace kitbag {

namespace {

constexpr std::string_view kRos1 = "ros1msg";
constexpr std::string_view kRos2 = "ros2msg";
/// The type of a channel in ROS 1, if it has another name in ROS 2.
constexpr const char* kOriginalTypeKey = "original_type";

struct Pair {
  const char* ros1_name;
  const char* ros1_text;
  const char* unfolded;  ///< the field of ROS 1 whose own fields replace it in ROS 2
  const char* ros2_name;
  const char* ros2_text;
  const char* numbered = nullptr;                                    ///< a field with other values
  std::array<std::pair<std::int64_t, std::int64_t>, 5> values = {};  ///< of ROS 1, of ROS 2
};

constexpr const char* kTimeText = "int32 sec\nuint32 nanosec\n";

constexpr Pair kPairs[] = {
    {"rosgraph_msgs/Log",
     "byte DEBUG=1\nbyte INFO=2\nbyte WARN=4\nbyte ERROR=8\nbyte FATAL=16\n"
     "Header header\nbyte level\nstring name\nstring msg\nstring file\nstring function\n"
     "uint32 line\nstring[] topics\n"
     "================================================================================\n"
     "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n",
     "header",
     "rcl_interfaces/msg/Log",
     "byte DEBUG=10\nbyte INFO=20\nbyte WARN=30\nbyte ERROR=40\nbyte FATAL=50\n"
     "builtin_interfaces/Time stamp\nuint8 level\nstring name\nstring msg\nstring file\n"
     "string function\nuint32 line\n"
     "================================================================================\n"
     "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n",
     "level",
     {{{1, 10}, {2, 20}, {4, 30}, {8, 40}, {16, 50}}}},
    {"std_msgs/Time", "time data\n", "data", "builtin_interfaces/msg/Time", kTimeText},
    {"std_msgs/Duration", "duration data\n", "data", "builtin_interfaces/msg/Duration", kTimeText},
};

/// Types that differ only in their name.
constexpr std::pair<const char*, const char*> kNames[] = {{"tf/tfMessage", "tf2_msgs/TFMessage"}};

/// A type, and what it points into.
struct Made {
  TypePtr owner;
  TypePtr type;
};

/// `type` as a pointer that keeps alive what the type refers to.
TypePtr kept(TypePtr type, TypePtr owner) {
  auto made = std::make_shared<Made>(Made{std::move(owner), std::move(type)});
  return {made, made->type.get()};
}

/// `type` with the fields of its field `name` in the place of that.
TypePtr unfolded(const TypePtr& type, std::string_view name) {
  TypeBuilder builder;
  Type& made = builder.add(Kind::structure, type->name);
  made.constants = type->constants;
  for (const Field& field : type->fields) {
    if (field.name != name) {
      made.fields.push_back(field);
    } else {
      const Type& inner = *field.type;
      made.fields.insert(made.fields.end(), inner.fields.begin(), inner.fields.end());
      // std_msgs/Time, which has nothing but a time, becomes one.
      if (type->fields.size() == 1) made.role = inner.role;
    }
  }
  for (std::size_t i = 0; i < made.fields.size(); ++i) {
    made.fields[i].index = made.fields[i].id = static_cast<std::uint32_t>(i);
  }
  return kept(builder.finish(made), type);
}

TypePtr parse(const Schema& schema, const Session& session) {
  const Language* language = find_language(session.registry(), schema.language);
  return language ? language->parse(schema) : nullptr;
}

}  // namespace

std::optional<Bridge> find_bridge(const Schema& schema, const TypePtr& type,
                                  std::string_view language, const Session& session) {
  bool is_to_ros2 = schema.language == kRos1 && language == kRos2;
  bool is_to_ros1 = schema.language != kRos1 && language == kRos1;
  if (!type || !(is_to_ros1 || is_to_ros2)) return std::nullopt;
  std::string name = ros::short_name(schema.name);
  for (const Pair& pair : kPairs) {
    if (name != (is_to_ros2 ? pair.ros1_name : ros::short_name(pair.ros2_name))) continue;
    Schema ros1{pair.ros1_name, std::string(kRos1), pair.ros1_text};
    Schema ros2{pair.ros2_name, std::string(kRos2), pair.ros2_text};
    TypePtr ros1_type = parse(ros1, session);
    TypePtr ros2_type = parse(ros2, session);
    if (!ros1_type || !ros2_type) return std::nullopt;
    if (!same_shape(*type, is_to_ros2 ? *ros1_type : *ros2_type)) return std::nullopt;
    Bridge bridge;
    bridge.source = is_to_ros2 ? unfolded(type, pair.unfolded) : type;
    bridge.target = is_to_ros2 ? ros2_type : unfolded(ros1_type, pair.unfolded);
    bridge.schema = is_to_ros2 ? ros2 : ros1;
    bridge.schema_type = is_to_ros2 ? ros2_type : ros1_type;
    if (pair.numbered) {
      for (auto [one, other] : pair.values) {
        auto& values = bridge.values[pair.numbered];
        values[is_to_ros2 ? one : other] = is_to_ros2 ? other : one;
      }
    }
    return bridge;
  }
  return std::nullopt;
}

std::string bridged_name(const Channel& channel, std::string_view language) {
  auto original = channel.metadata.find(kOriginalTypeKey);
  if (original != channel.metadata.end() && language == kRos1) return original->second;
  if (language != kRos2) return {};
  std::string type = ros::short_name(channel.type());
  for (auto [ros1, ros2] : kNames) {
    if (type == ros1) return ros2;
  }
  return {};
}

void keep_name(const Channel& from, Channel& to) {
  if (from.metadata.contains(kOriginalTypeKey)) {
    to.metadata.erase(kOriginalTypeKey);
  } else if (from.schema->language == kRos1) {
    to.metadata[kOriginalTypeKey] = from.type();
  }
}

TypePtr renamed(const TypePtr& type, const std::string& name,
                const std::map<std::string, std::string>* fields) {
  bool has_folder = std::count(type->name.begin(), type->name.end(), '/') == 2;
  auto made = std::make_shared<Type>(*type);
  made->name = has_folder ? ros::full_name(name) : ros::short_name(name);
  std::set<std::string_view> names;
  for (Field& field : made->fields) {
    if (!fields) break;
    auto found = fields->find(field.name);
    if (found != fields->end()) field.name = found->second;
    if (names.insert(field.name).second) continue;
    throw Error(ErrorCode::invalid,
                fmt::format("the rules rename a field of {} to {}, which another field is called",
                            type->name, field.name));
  }
  return kept(std::move(made), type);
}

}  // namespace kitbag
