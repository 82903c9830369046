#include <chrono>
#include <cstring>
#include <ctime>
#include <string_view>

#include "kitbag/error.h"
#include "transport/ros1/services.h"

// std_srvs/SetBool:
//   bool data  ---  bool success, string message
// rosbag_snapshot_msgs/TriggerSnapshot:
//   string filename, string[] topics, time start_time, time stop_time  ---  bool success,
//   string message
//
// Sums are those of the definitions, with the constants that they have. Numbers are little endian
// and stand without gaps; a string is its size and its bytes.

namespace kitbag::ros1 {

namespace {

constexpr const char* kSetBool = "std_srvs/SetBool";
constexpr const char* kSetBoolSum = "09fb03525b03e7ea1fd3992bafd87e16";
constexpr const char* kTrigger = "rosbag_snapshot_msgs/TriggerSnapshot";
constexpr const char* kTriggerSum = "f0a078f2ca343fd9483a62483fe29259";
constexpr const char* kExtension = ".bag";
/// A snapshot of what fits into memory is on the disk by then.
constexpr Duration kPatience = std::chrono::minutes(1);

/// Throws Error (truncated) where the request ends too soon.
class Request {
 public:
  explicit Request(ByteView bytes) : bytes_(bytes) {}

  std::uint32_t number() {
    std::uint32_t value = 0;
    ByteView part = take(sizeof value);
    std::memcpy(&value, part.data(), sizeof value);
    return value;
  }
  bool flag() { return take(1)[0] != std::byte{0}; }
  std::string text() { return std::string(as_text(take(number()))); }
  std::vector<std::string> texts() {
    std::uint32_t count = number();
    if (count > bytes_.size() / sizeof count) fail();
    std::vector<std::string> all;
    for (std::uint32_t i = 0; i < count; ++i) all.push_back(text());
    return all;
  }
  Time time() {
    std::chrono::seconds seconds(number());
    return Time(seconds + std::chrono::nanoseconds(number()));
  }

 private:
  ByteView take(std::size_t size) {
    if (size > bytes_.size()) fail();
    ByteView part = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return part;
  }
  [[noreturn]] static void fail() {
    throw Error(ErrorCode::truncated, "the request of a service is too short");
  }

  ByteView bytes_;
};

/// Both services answer so.
std::vector<std::byte> answer(bool is_done, const std::string& message) {
  std::vector<std::byte> reply(1 + sizeof(std::uint32_t));
  auto size = static_cast<std::uint32_t>(message.size());
  reply[0] = is_done ? std::byte{1} : std::byte{0};
  std::memcpy(reply.data() + 1, &size, sizeof size);
  for (char c : message) reply.push_back(static_cast<std::byte>(c));
  return reply;
}

/// "/tmp/x.bag" stays; another name gets the time behind it, as rosbag_snapshot has it.
std::string bag_name(const std::string& wanted, Time now) {
  if (wanted.ends_with(kExtension)) return wanted;
  std::time_t seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[sizeof "2026-11-20-14-30-00"] = {};
  std::strftime(text, sizeof text, "%Y-%m-%d-%H-%M-%S", &local);
  return wanted + text + kExtension;
}

}  // namespace

std::vector<Service> player_services(Player& player) {
  auto pause = [&player](ByteView bytes,
                         const std::stop_token&) -> std::optional<std::vector<std::byte>> {
    bool pauses = Request(bytes).flag();
    const char* state = pauses ? "paused" : "running";
    if (player.status().is_paused == pauses) {
      return answer(false, std::string("playback is already ") + state);
    }
    pauses ? player.pause() : player.resume();
    return answer(true, std::string("playback is now ") + state);
  };
  return {{"~pause_playback", kSetBool, kSetBoolSum, pause}};
}

std::vector<Service> recorder_services(Recorder& recorder, Clock& clock) {
  if (!recorder.options().snapshot) return {};
  auto enable = [&recorder](ByteView bytes,
                            const std::stop_token&) -> std::optional<std::vector<std::byte>> {
    Request(bytes).flag() ? recorder.resume() : recorder.pause();
    return answer(true, {});
  };
  auto trigger = [&recorder, &clock](
                     ByteView bytes,
                     const std::stop_token& stop) -> std::optional<std::vector<std::byte>> {
    Request request(bytes);
    SnapshotRequest wanted;
    wanted.path = bag_name(request.text(), clock.wall());
    for (std::string& topic : request.texts()) {
      if (topic.empty()) continue;
      if (!topic.starts_with('/')) topic.insert(0, "/");
      wanted.select.topics.push_back(std::move(topic));
    }
    wanted.begin = request.time();
    Time end = request.time();
    if (end != Time{}) wanted.end = end;
    try {
      recorder.snapshot(wanted, {stop, clock.steady() + kPatience});
    } catch (const Error& error) {
      return answer(false, error.what());
    }
    return answer(true, {});
  };
  return {{"trigger_snapshot", kTrigger, kTriggerSum, trigger},
          {"enable_snapshot", kSetBool, kSetBoolSum, enable}};
}

}  // namespace kitbag::ros1
