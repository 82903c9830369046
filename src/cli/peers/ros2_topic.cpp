// The command lines of ros2 topic (ROS 2), as of Jazzy.

#include <string>

#include "cli/peers/live_topics.h"
#include "cli/peers/peer.h"

namespace kitbag::cli {
namespace of_ros2_topic {
namespace {

using namespace of_live_topics;

constexpr char kSystem[] = "ros2://";
constexpr char kNoProfile[] = "write the profile into a file for kitbag --qos-overrides FILE";
constexpr PeerOption kSimTime{"-s,--use-sim-time"};  // times are of this machine
constexpr PeerOption kNoDaemon{"--no-daemon"};       // there is none
constexpr PeerOption kSpinTime{"--spin-time", kOne, "--wait={}s"};
constexpr PeerOption kHidden{"--include-hidden-topics", {}, "--include-hidden-topics"};

constexpr PeerOption kListOptions[] = {
    kSpinTime,
    kSimTime,
    kNoDaemon,
    {"-t,--show-types"},  // kitbag does it anyway
    {"-c,--count-topics", {}, {}, "kitbag topics ros2:// --json | wc -l counts them"},
    kHidden,
    {"-v,--verbose", {}, "--verbose"},
    kFrom,
};
constexpr PeerOption kInfoOptions[] = {kSpinTime, kSimTime, kNoDaemon, {"-v,--verbose"}, kFrom};
constexpr PeerOption kTypeOptions[] = {kSpinTime, kSimTime, kNoDaemon, kFrom};
constexpr PeerOption kFindOptions[] = {
    kSpinTime,
    kSimTime,
    kNoDaemon,
    {"-c,--count-topics", {}, {}, "kitbag topics ros2:// --types TYPE --json | wc -l counts them"},
    kHidden,
    kFrom,
};
constexpr PeerOption kHzOptions[] = {kSpinTime, kSimTime, kWindow, kHzFilter, kWallTime, kFrom};
constexpr PeerOption kBwOptions[] = {kSpinTime, kSimTime, kWindow, kFrom};
constexpr PeerOption kDelayOptions[] = {kSpinTime, kSimTime, {"-w,--window", kOne}, kFrom};
constexpr PeerOption kEchoOptions[] = {
    {"--spin-time", kOne},  // kitbag waits for the topic
    kSimTime,
    kNoDaemon,
    {"--qos-profile", kOne, {}, kNoProfile},
    {"--qos-depth", kOne},        // kitbag keeps all
    {"--qos-history", kOne},      // likewise
    {"--qos-reliability", kOne},  // it requests what each publisher offers
    {"--qos-durability", kOne},
    {"--qos-liveliness", kOne, {}, kNoProfile},
    {"--qos-liveliness-lease-duration-seconds", kOne, {}, kNoProfile},
    {"--csv"},
    {"--field", kOne, "--fields={}"},
    {"-f,--full-length", {}, "--full"},
    {"-l,--truncate-length", kOne, "--elide={}"},
    {"--no-arr", {}, {}, kNoArrays},
    {"--no-str", {}, {}, "name the fields to print with --field"},
    {"--flow-style", {}, {}, "kitbag echo prints JSON in one line by default"},
    {"--lost-messages"},     // kitbag tells of them at the end
    {"--no-lost-messages"},  // likewise
    {"--raw", {}, {}, "kitbag echo --format raw writes the payloads as they are"},
    kEchoFilter,
    {"--once", {}, "--once"},
    {"--timeout", kOne, {}, "the shell ends it: timeout SECONDS kitbag echo ..."},
    {"--include-message-info"},  // kitbag does it anyway
    {"--clear", {}, {}, kNoClear},
    kFrom,
};
constexpr PeerOption kPubOptions[] = {
    kRate,
    {"-p,--print", kOne},  // kitbag prints one line at the end
    kOnce,
    {"-t,--times", kOne, "--count={}"},
    {"-w,--wait-matching-subscriptions", kOne},
    {"--max-wait-time-secs", kOne, {}, "the shell ends it: timeout SECONDS kitbag publish ..."},
    {"--keep-alive", kOne},  // kitbag waits until subscribers have confirmed everything
    {"-n,--node-name", kOne, "--node-name={}"},
    {"--stdin", {}, {}, "the shell reads it: kitbag publish ... \"$(cat)\""},
    {"--yaml-file", kOne, {}, "the shell reads files: kitbag publish ... \"$(cat FILE)\""},
    {"--spin-time", kOne},
    kSimTime,
    {"--qos-profile", kOne, {}, kNoProfile},
    {"--qos-depth", kOne, {}, kNoProfile},
    {"--qos-history", kOne, {}, kNoProfile},
    {"--qos-reliability", kOne},
    {"--qos-durability", kOne},
    {"--qos-liveliness", kOne, {}, kNoProfile},
    {"--qos-liveliness-lease-duration-seconds", kOne, {}, kNoProfile},
    kTo,
};

void complete_topics(PeerCommand& command) {
  put_topics(command, kSystem);
}

void complete_find(PeerCommand& command) {
  put_type(command, kSystem);
}

/// The type behind the topic is found out anyhow.
void complete_echo(PeerCommand& command) {
  if (command.arguments.empty()) command.refuse("name a topic");
  command.arguments.resize(1);
  command.words.emplace_back(command.has("--csv") ? "--format=csv" : "--format=yaml");
  complete_topics(command);
}

/// ros2 topic sends once a second without an end. If it is to end, it waits for a subscriber.
void complete_pub(PeerCommand& command) {
  if (command.arguments.size() < 2) command.refuse("name a topic and a type");
  bool ends = command.has("--once") || command.has("--times");
  if (!ends && !command.has("--rate")) command.words.emplace_back("--rate=1");
  std::string awaited = command.value("--wait-matching-subscriptions", ends ? "1" : "0");
  if (awaited != "0" && awaited != "1") {
    command.refuse("--wait-matching-subscriptions: kitbag waits for one subscriber");
  }
  if (awaited == "1") command.words.emplace_back("--wait-for-subscribers");
  std::string durability = command.value("--qos-durability", "volatile");
  if (durability == "transient_local") {
    command.words.emplace_back("--latch");
  } else if (durability != "volatile" && durability != "system_default") {
    command.refuse(std::string("--qos-durability: ") + kNoProfile);
  }
  std::string reliability = command.value("--qos-reliability", "reliable");
  if (reliability != "reliable" && reliability != "system_default") {
    command.refuse(std::string("--qos-reliability: ") + kNoProfile);
  }
  put_values(command, kSystem);
}

constexpr PeerVerb kVerbs[] = {
    {"list", "topics", kListOptions, complete_topics},
    {"info", "topics --verbose", kInfoOptions, complete_topics},
    {"type", "topics", kTypeOptions, complete_topics},
    {"find", "topics", kFindOptions, complete_find},
    {"hz", "topics --rates --watch", kHzOptions, complete_topics},
    {"bw", "topics --rates --watch", kBwOptions, complete_topics},
    {"delay", "topics", kDelayOptions, complete_delay},
    {"echo", "echo", kEchoOptions, complete_echo},
    {"pub", "publish", kPubOptions, complete_pub},
};

}  // namespace
}  // namespace of_ros2_topic

const Peer& ros2_topic_peer() {
  static constexpr Peer kPeer{"topic", "ros2 topic", of_ros2_topic::kVerbs};
  return kPeer;
}

}  // namespace kitbag::cli
