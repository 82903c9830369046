// The command lines of rostopic 1.15 (ROS 1).

#include <string>

#include "cli/peers/live_topics.h"
#include "cli/peers/peer.h"

namespace kitbag::cli {
namespace of_rostopic {
namespace {

using namespace of_live_topics;

constexpr char kSystem[] = "ros1://";
constexpr char kOfBags[] = "kitbag list BAG and kitbag cat BAG read bags";

constexpr PeerOption kListOptions[] = {
    {"-b,--bag", kOne, {}, kOfBags},
    {"-v,--verbose", {}, "--verbose"},
    {"-p", {}, {}, "kitbag topics prints how many publish and subscribe to each topic"},
    {"-s", {}, {}, "kitbag topics prints how many publish and subscribe to each topic"},
    {"--host", {}, {}, "kitbag topics -v prints the nodes, and not where they run"},
    kFrom,
};
constexpr PeerOption kNoOptions[] = {kFrom};
constexpr PeerOption kHzOptions[] = {
    kWindow, kHzFilter, kWallTime, {"--tcpnodelay"},  // ros1:// asks for it
    kFrom,
};
constexpr PeerOption kBwOptions[] = {kWindow, kFrom};
constexpr PeerOption kDelayOptions[] = {kFrom};
constexpr PeerOption kEchoOptions[] = {
    {"-b,--bag", kOne, {}, kOfBags},
    {"-p"},
    {"-w", kOne, {}, "kitbag prints numbers as they are"},
    kEchoFilter,
    {"--nostr", {}, {}, "name the fields to print with kitbag echo --fields"},
    {"--noarr", {}, {}, kNoArrays},
    {"-c,--clear", {}, {}, kNoClear},
    {"-a,--all", {}, {}, kOfBags},
    {"-n", kOne, "--count={}"},
    {"--offset", {}, {}, "kitbag prints times as they are"},
    kFrom,
};
constexpr PeerOption kPubOptions[] = {
    {"-v"},
    kRate,
    kOnce,
    {"-f,--file", kOne, {}, "the shell reads files: kitbag publish ... \"$(cat FILE)\""},
    {"-l,--latch", {}, "--latch"},
    {"-s,--substitute-keywords"},  // kitbag does it anyway
    {"--use-rostime", {}, {}, "kitbag sends by the clock of this machine"},
    {"-p,--param", kOne, {}, "the shell asks for it: kitbag publish ... \"$(rosparam get PARAM)\""},
    kTo,
};

void complete_topics(PeerCommand& command) {
  put_topics(command, kSystem);
}

/// A namespace stands for all that is below it.
void complete_list(PeerCommand& command) {
  for (const std::string& name : command.arguments) {
    std::string topic = absolute_topic(name);
    while (topic.size() > 1 && topic.ends_with('/')) topic.pop_back();
    // The name itself and what is below it; a glob, /arm*, would take /arms too.
    command.words.push_back("--regex=" + topic + "(/.*)?");
  }
  command.arguments.clear();
  put_system(command, kSystem);
}

void complete_find(PeerCommand& command) {
  put_type(command, kSystem);
}

void complete_echo(PeerCommand& command) {
  if (command.arguments.size() != 1) command.refuse("name one topic");
  command.words.emplace_back(command.has("-p") ? "--format=csv" : "--format=yaml");
  complete_topics(command);
}

/// Without a rate, rostopic latches the message and stays.
void complete_pub(PeerCommand& command) {
  if (command.arguments.size() < 2) command.refuse("name a topic and a type");
  if (!command.has("--rate") && !command.has("--once")) {
    if (!command.has("--latch")) command.words.emplace_back("--latch");
    command.words.emplace_back("--keep-alive");
  }
  put_values(command, kSystem);
}

constexpr PeerVerb kVerbs[] = {
    {"list", "topics", kListOptions, complete_list},
    {"info", "topics --verbose", kNoOptions, complete_topics},
    {"type", "topics", kNoOptions, complete_topics},
    {"find", "topics", kNoOptions, complete_find},
    {"hz", "topics --rates --watch", kHzOptions, complete_topics},
    {"bw", "topics --rates --watch", kBwOptions, complete_topics},
    {"delay", "topics", kDelayOptions, complete_delay},
    {"echo", "echo", kEchoOptions, complete_echo},
    {"pub", "publish", kPubOptions, complete_pub},
};

}  // namespace
}  // namespace of_rostopic

const Peer& rostopic_peer() {
  static constexpr Peer kPeer{"rostopic", "rostopic", of_rostopic::kVerbs};
  return kPeer;
}

}  // namespace kitbag::cli
