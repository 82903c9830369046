#include "transport/ros2/services/bag_services.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "transport/ros2/services/parameters.h"

// What the services of rosbag2_interfaces ask and answer, by hand, since there are no definitions
// to generate code from.
//
// Releases differ: later ones have appended fields to requests and to replies. CDR has no lengths,
// but a reader stops where its own definition ends. So a field that a request does not have counts
// as zero, and replies are as long as those of the newest release: clients of older ones read the
// beginning, and what had no fields there has one byte that nobody looks at.

namespace kitbag::ros2 {

namespace {

constexpr Duration kOrderPatience = std::chrono::seconds(10);

/// Of requests and replies that report an error: 0 where there is none.
constexpr std::int32_t kDone = 0;
constexpr std::int32_t kFailed = 1;
/// Of a split and of the end of a pause; kFailed: nothing is being recorded.
constexpr std::int32_t kNoSuchMode = 2;
constexpr std::int32_t kMomentFailed = 4;

std::string type_of(const std::string& name) {
  return "rosbag2_interfaces/srv/" + name;
}

/// A service without request and reply, whatever it takes.
template <class Act>
Service::Answer acting(Act act) {
  return [act](WireReader&, WireWriter& reply, const std::stop_token&) {
    act();
    reply.flag(false);  // every structure has a member
  };
}

template <class Tell>
Service::Answer telling(Tell tell) {
  return [tell](WireReader&, WireWriter& reply, const std::stop_token&) { reply.flag(tell()); };
}

/// "bool success" in reply: false for what throws Error.
template <class Act>
Service::Answer succeeding(Act act) {
  return [act](WireReader& request, WireWriter& reply, const std::stop_token& stop) {
    bool is_done = false;
    try {
      act(request, stop);
      is_done = true;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::truncated) throw;  // the request
    }
    reply.flag(is_done);
  };
}

std::int32_t failed(const Error&) {
  return kFailed;
}

std::int32_t moment_failed(const Error& error) {
  if (error.code() == ErrorCode::not_found) return kFailed;
  return error.code() == ErrorCode::invalid ? kNoSuchMode : kMomentFailed;
}

/// "int32 return_code, string error_string" in reply.
template <class Act>
Service::Answer returning(Act act, std::int32_t (*code_of)(const Error&) = failed) {
  return [=](WireReader& request, WireWriter& reply, const std::stop_token& stop) {
    std::int32_t code = kDone;
    std::string text;
    try {
      act(request, stop);
    } catch (const Error& error) {
      code = code_of(error);
      text = error.message();
    }
    reply.number(code);
    reply.text(text);
  };
}

/// builtin_interfaces/msg/Time and Duration: int32 sec, uint32 nanosec.
Duration read_duration(WireReader& request) {
  auto seconds = request.number<std::int32_t>();
  auto nanoseconds = request.number<std::uint32_t>();
  return std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanoseconds);
}

/// Of a field that not all releases have; zero where the request has none.
Time read_later_time(WireReader& request) {
  constexpr std::size_t kBytes = 8;
  return request.left() < kBytes ? Time{} : Time(read_duration(request));
}

/// "builtin_interfaces/Time time, int32 mode, string tracking_topic_name", of which older releases
/// have nothing. Absent: at once. Throws Error (invalid): there is no such mode.
std::optional<RecordMoment> read_moment(WireReader& request) {
  enum Mode : std::int32_t { node_time, publish_time, receive_time };
  RecordMoment moment;
  moment.time = read_later_time(request);
  if (moment.time <= Time{}) return std::nullopt;
  if (request.left() == 0) return moment;
  auto mode = request.number<std::int32_t>();
  if (mode < node_time || mode > receive_time) {
    throw Error(ErrorCode::invalid, "there is no mode " + std::to_string(mode));
  }
  moment.by_publish_time = mode == publish_time;
  moment.topic = request.text();
  return moment;
}

/// What rosbag2 plays: from `offset` behind the beginning for `duration`, or until `until`,
/// whichever is later. Zero, or a time before the beginning, is no limit.
PlayedPart part_of(const PlayOptions& options, Duration offset, Duration duration, Time until) {
  PlayedPart part;
  part.begin = saturating_add(options.begin, std::max(offset, Duration::zero()));
  Time end = duration > Duration::zero() ? saturating_add(*part.begin, duration) : Time{};
  end = std::max(end, until);
  if (end >= *part.begin && end > Time{}) part.end = end;
  return part;
}

[[noreturn]] void refuse(const char* what) {
  throw Error(ErrorCode::unsupported, what);
}

/// Every node has this one.
void add_parameters(std::vector<Service>& services, bool uses_sim_time) {
  for (Service& service : parameter_services({{"use_sim_time", uses_sim_time}})) {
    services.push_back(std::move(service));
  }
}

}  // namespace

std::vector<Service> recorder_services(Recorder& recorder, Discovery& discovery, Clock& clock) {
  auto is_recording = [&recorder] { return recorder.status().is_recording; };
  auto toggle = [&recorder] { recorder.status().is_paused ? recorder.resume() : recorder.pause(); };
  auto resume = [&recorder](WireReader& request, const std::stop_token&) {
    auto moment = read_moment(request);
    moment ? recorder.resume(*moment) : recorder.resume();
  };
  auto stop = [&recorder, &clock](WireReader&, const std::stop_token& token) {
    recorder.stop({token, clock.steady() + kOrderPatience});
  };
  auto record = [&recorder, &clock](WireReader& request, const std::stop_token& token) {
    std::string path = request.left() > 0 ? request.text() : std::string();
    recorder.record(path, {token, clock.steady() + kOrderPatience});
  };
  auto snapshot = [&recorder](WireReader&, const std::stop_token&) {
    if (!recorder.options().snapshot) refuse("nothing is kept for snapshots");
    recorder.snapshot();
  };
  auto discover = [&discovery, is_recording](bool runs) {
    return [&discovery, is_recording, runs](WireReader&, const std::stop_token&) {
      if (runs && !is_recording()) refuse("nothing is being recorded");
      if (discovery.is_running() == runs) {
        refuse(runs ? "discovery is already running" : "discovery is not running");
      }
      discovery.run(runs);
    };
  };
  auto uri = [&recorder](WireReader&, WireWriter& reply, const std::stop_token&) {
    RecordStatus status = recorder.status();
    reply.text(status.is_recording ? status.place : std::string());
  };
  auto split = [&recorder, is_recording](WireReader& request, const std::stop_token&) {
    if (!is_recording()) throw Error(ErrorCode::not_found, "nothing is being recorded");
    auto moment = read_moment(request);
    moment ? recorder.split(*moment) : recorder.split();
  };
  std::vector<Service> services = {
      {"pause", type_of("Pause"), acting([&recorder] { recorder.pause(); })},
      {"resume", type_of("Resume"), returning(resume, moment_failed)},
      {"toggle_paused", type_of("TogglePaused"), acting(toggle)},
      {"is_paused", type_of("IsPaused"),
       telling([&recorder] { return recorder.status().is_paused; })},
      {"snapshot", type_of("Snapshot"), succeeding(snapshot)},
      {"split_bagfile", type_of("SplitBagfile"), returning(split, moment_failed)},
      {"record", type_of("Record"), returning(record)},
      {"stop", type_of("Stop"), returning(stop)},
      {"is_recording", type_of("IsRecording"), telling(is_recording)},
      {"get_uri", type_of("GetUri"), uri},
      {"start_discovery", type_of("StartDiscovery"), returning(discover(true))},
      {"stop_discovery", type_of("StopDiscovery"), returning(discover(false))},
      {"is_discovery_running", type_of("IsDiscoveryRunning"),
       telling([&discovery] { return discovery.is_running(); })},
  };
  add_parameters(services, recorder.options().uses_sim_time);
  return services;
}

std::vector<Service> player_services(Player& player) {
  auto toggle = [&player] { player.status().is_paused ? player.resume() : player.pause(); };
  auto set_rate = [&player](WireReader& request, const std::stop_token&) {
    player.set_rate(request.real());
  };
  auto seek = [&player](WireReader& request, const std::stop_token&) {
    player.seek(Time(read_duration(request)));
  };
  auto play = [&player](WireReader& request, const std::stop_token&) {
    Duration offset = read_duration(request);
    Duration duration = read_duration(request);
    Time until = read_later_time(request);
    if (!player.status().is_paused) refuse("it is playing");
    player.play(part_of(player.options(), offset, duration, until));
  };
  auto play_for = [&player](WireReader& request, const std::stop_token&) {
    Duration duration = read_duration(request);
    player.play({std::nullopt, saturating_add(player.status().position, duration)});
  };
  // While it is paused, and there are more.
  auto send = [&player](std::uint64_t count, const std::stop_token& stop) -> std::uint64_t {
    try {
      return player.burst(count, {stop, kNever});
    } catch (const Error&) {
      return 0;
    }
  };
  auto next = [send](WireReader&, WireWriter& reply, const std::stop_token& stop) {
    reply.flag(send(1, stop) == 1);
  };
  auto burst = [send](WireReader& request, WireWriter& reply, const std::stop_token& stop) {
    auto count = request.number<std::uint64_t>();
    reply.number(send(count == 0 ? UINT64_MAX : count, stop));
  };
  auto rate = [&player](WireReader&, WireWriter& reply, const std::stop_token&) {
    reply.real(player.status().rate);
  };
  std::vector<Service> services = {
      {"pause", type_of("Pause"), acting([&player] { player.pause(); })},
      {"resume", type_of("Resume"), acting([&player] { player.resume(); })},
      {"toggle_paused", type_of("TogglePaused"), acting(toggle)},
      {"is_paused", type_of("IsPaused"), telling([&player] { return player.status().is_paused; })},
      {"get_rate", type_of("GetRate"), rate},
      {"set_rate", type_of("SetRate"), succeeding(set_rate)},
      {"seek", type_of("Seek"), succeeding(seek)},
      {"play", type_of("Play"), succeeding(play)},
      {"play_for", type_of("PlayFor"), succeeding(play_for)},
      {"play_next", type_of("PlayNext"), next},
      {"burst", type_of("Burst"), burst},
      {"stop", type_of("Stop"),
       returning([&player](WireReader&, const std::stop_token&) { player.stop(); })},
  };
  add_parameters(services, false);
  return services;
}

}  // namespace kitbag::ros2
