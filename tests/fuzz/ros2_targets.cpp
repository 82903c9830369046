#include "kitbag/session.h"
#include "tests/fuzz/targets.h"
#include "transport/ros2/messages.h"
#include "transport/ros2/names.h"
#include "transport/ros2/services/recorded_requests.h"
#include "transport/ros2/wire.h"

// What nodes of ROS 2, or who pretends to be one, say to kitbag by themselves. The bytes of a
// TypeObject are parsed by Cyclone DDS.

namespace kitbag::fuzz {
namespace {

std::string text_of(const ros2::Payload& payload) {
  return std::string(as_text(payload));
}

/// `ros_discovery_info`.
void run_participant(ByteView bytes) {
  auto info = ros2::parse_participant(bytes);
  if (!info) return;
  for (const ros2::NodeInfo& node : info->nodes) {
    if (!node.name.starts_with('/')) std::abort();
  }
}

std::vector<std::string> participant_seeds() {
  ros2::Guid guid{};
  std::vector<std::string> seeds;
  for (std::size_t gid_bytes : {16U, 24U}) {
    seeds.push_back(text_of(ros2::write_participant(guid, "node", {guid}, {guid}, gid_bytes)));
  }
  return seeds;
}

/// A line of a DDS topic, one of a DDS type, then the USER_DATA of its publisher.
void run_endpoint(ByteView bytes) {
  std::string_view text = as_text(bytes);
  std::size_t first = std::min(text.find('\n'), text.size());
  std::size_t second = std::min(text.find('\n', std::min(first + 1, text.size())), text.size());
  std::string_view type = text.substr(std::min(first + 1, second), second - first);
  if (auto name = ros2::topic_name(text.substr(0, first), type)) {
    ros2::is_hidden(name->topic);
    ros2::dds_topic(name->topic);
    ros2::dds_type(name->type);
  }
  std::string_view user_data = text.substr(second);
  std::string hash = ros2::type_hash_in(user_data);
  if (!hash.empty() && ros2::type_hash_in(ros2::endpoint_user_data(hash)) != hash) std::abort();
}

/// A reply of `get_type_description`, and the schema that is made of it.
void run_description(ByteView bytes) {
  static const Session kSession;
  try {
    ros2::DescriptionReply reply = ros2::parse_description_reply(bytes);
    if (reply.types.empty()) return;
    const std::string& type = reply.types.front().type;
    try {
      ros2::schema_of(type, "RIHS01_", reply, kSession);
    } catch (const Error&) {
    }
    Schema schema{type, "ros2msg", ros2::text_of(reply.types)};
    find_language(kSession.registry(), "ros2msg")->parse(schema);
  } catch (const Error&) {
  }
}

void write_description(ros2::WireWriter& writer, const std::string& type,
                       const std::string& nested) {
  writer.text(type);
  writer.count(2);
  for (const std::string& each : {nested, std::string()}) {
    writer.text(each.empty() ? "plain" : "nested");
    writer.number<std::uint8_t>(each.empty() ? 97 : 1);
    writer.number<std::uint64_t>(7);
    writer.number<std::uint64_t>(0);
    writer.text(each);
    writer.text("");
  }
}

std::vector<std::string> description_seeds() {
  std::vector<std::string> seeds;
  for (const char* encoding : {"msg", "idl", "implicit"}) {
    ros2::WireWriter writer;
    writer.number<std::uint64_t>(1);
    writer.number<std::int64_t>(2);
    writer.number<std::uint8_t>(1);
    writer.text("");
    write_description(writer, "a/msg/Out", "a/msg/In");
    writer.count(1);
    write_description(writer, "a/msg/In", "");
    writer.count(2);
    for (const char* text : {"a/msg/Out", encoding, "In nested\nint8[<=7] plain\n"}) {
      writer.text(text);
    }
    for (const char* text : {"a/msg/In", encoding, "int8 x\n"}) writer.text(text);
    writer.count(0);
    seeds.push_back(text_of(writer.take()));
  }
  return seeds;
}

/// An event of a service, as a bag has it.
void run_request(ByteView bytes) {
  static const Session kSession;
  static const Channel kChannel{
      "/t/_service_event",
      "cdr",
      std::make_shared<const Schema>(
          Schema{"x/srv/T_Event", "ros2msg",
                 std::string(80, '=') + "\nSRV: x/srv/T\nint32 x\nfloat64[] list\nstring[<=3] "
                                        "names\n---\nstring text\n"}),
      {},
      0};
  static ros2::RecordedRequests requests(kChannel, kSession);
  try {
    ros2::RecordedRequest request = requests.read(bytes);
    if (request.payload && request.payload->size() < 4) std::abort();
  } catch (const Error&) {
  }
}

std::vector<std::string> request_seeds() {
  std::vector<std::string> seeds;
  for (std::uint8_t what = 0; what < 3; ++what) {
    ros2::WireWriter writer;
    writer.number(what);
    writer.number<std::int32_t>(1);
    writer.number<std::uint32_t>(2);
    writer.raw(ros2::Guid{});
    writer.number<std::int64_t>(3);
    writer.count(what < 2 ? 1 : 0);
    if (what < 2) {
      writer.number<std::int32_t>(4);
      writer.count(1);
      writer.number<std::int64_t>(5);
      writer.count(1);
      writer.text("name");
    }
    writer.count(0);
    seeds.push_back(text_of(writer.take()));
  }
  return seeds;
}

}  // namespace

void add_ros2(std::map<std::string, Target>& all) {
  all["ros2-participant"] = {run_participant, participant_seeds};
  all["ros2-endpoint"] = {
      run_endpoint, [] {
        return std::vector<std::string>{"rt/chat\nstd_msgs::msg::dds_::String_\ntypehash=RIHS01_" +
                                        std::string(64, 'a') + ";"};
      }};
  all["ros2-request"] = {run_request, request_seeds};
  all["ros2-description"] = {run_description, description_seeds};
}

}  // namespace kitbag::fuzz
