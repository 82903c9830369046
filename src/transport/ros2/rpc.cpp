#include "transport/ros2/rpc.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <random>

#include "transport/ros2/names.h"

// A service is two topics of DDS, and nothing in DDS says which reply is for which request. Each
// middleware has its own way:
//
//   rmw_cyclonedds   encapsulation | client u64 | number i64 | content
//   rmw_fastrtps     encapsulation | content, and in the inline QoS of the RTPS message the GUID of
//                    who asked and the number of its request (related_sample_identity)
//
// The Call is 16 bytes long, so the content behind it is aligned as it is without it.

namespace kitbag::ros2 {

namespace {

constexpr std::size_t kEncapsulation = 4;
constexpr std::size_t kCall = 16;
/// Of the GUIDs of Cyclone DDS (RTPS vendor 0x0110).
constexpr std::array<std::byte, 2> kCyclone = {std::byte{0x01}, std::byte{0x10}};

}  // namespace

ServiceTopics service_topics(const std::string& name, const std::string& type) {
  return {"rq" + name + "Request", "rr" + name + "Reply", dds_type(type + "_Request"),
          dds_type(type + "_Response")};
}

ServiceId make_service_id() {
  std::random_device random;
  ServiceId id{};
  for (std::byte& each : id) each = static_cast<std::byte>(random());
  return id;
}

std::string service_user_data(std::string_view key, const ServiceId& id,
                              std::string_view type_hash) {
  std::string data = std::string(key) + "=";
  for (std::size_t i = 0; i < id.size(); ++i) {
    std::array<char, 4> digits{};
    std::snprintf(digits.data(), digits.size(), "%x", std::to_integer<unsigned>(id[i]));
    data += (i > 0 ? "." : "") + std::string(digits.data());
  }
  return data + ";" + endpoint_user_data(type_hash);
}

std::string value_in(std::string_view user_data, std::string_view key) {
  while (!user_data.empty()) {
    std::size_t end = std::min(user_data.find(';'), user_data.size());
    std::string_view field = user_data.substr(0, end);
    user_data.remove_prefix(std::min(end + 1, user_data.size()));
    if (field.starts_with(key) && field.substr(key.size()).starts_with('=')) {
      return std::string(field.substr(key.size() + 1));
    }
  }
  return {};
}

bool is_cyclone(const Guid& endpoint) {
  return std::equal(kCyclone.begin(), kCyclone.end(), endpoint.begin());
}

Payload with_call(const Call& call, ByteView payload) {
  Payload called(payload.begin(), payload.begin() + kEncapsulation);
  called.resize(kEncapsulation + kCall);
  std::memcpy(called.data() + kEncapsulation, &call.client, sizeof call.client);
  std::memcpy(called.data() + kEncapsulation + sizeof call.client, &call.sequence,
              sizeof call.sequence);
  called.insert(called.end(), payload.begin() + kEncapsulation, payload.end());
  return called;
}

std::optional<CalledPayload> without_call(ByteView payload) {
  constexpr std::byte kLittleEndian{1};
  if (payload.size() < kEncapsulation + kCall || payload[1] != kLittleEndian) return std::nullopt;
  CalledPayload called;
  std::memcpy(&called.call.client, payload.data() + kEncapsulation, sizeof called.call.client);
  std::memcpy(&called.call.sequence, payload.data() + kEncapsulation + sizeof called.call.client,
              sizeof called.call.sequence);
  called.payload.assign(payload.begin(), payload.begin() + kEncapsulation);
  called.payload.insert(called.payload.end(), payload.begin() + kEncapsulation + kCall,
                        payload.end());
  return called;
}

}  // namespace kitbag::ros2
