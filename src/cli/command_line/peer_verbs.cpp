#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/peers/peer.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kRosbagText{
    .summary = "Run a command line of rosbag (ROS 1) as it is.",
    .more =
        "kitbag rosbag VERB --help shows rosbag's options and ours; docs/coming-from.md lists all "
        "of them.",
    .examples = R"(  kitbag rosbag record -a -O run.bag
  kitbag rosbag --print play -r 2 -s 10 run.bag
  kitbag rosbag filter run.bag odom.bag "topic == '/odom'")"};

constexpr VerbText kRos2BagText{
    .summary = "Run a command line of ros2 bag as it is.",
    .more =
        "kitbag bag VERB --help shows the options of ros2 bag and ours; docs/coming-from.md lists\n"
        "all of them.",
    .examples = R"(  kitbag bag record -a -o run
  kitbag bag --print play run --rate 2 --start-offset 10
  kitbag bag info run)"};

constexpr VerbText kMcapText{
    .summary = "Run a command line of mcap as it is.",
    .more =
        "kitbag mcap VERB --help shows mcap's options and ours; docs/coming-from.md lists all of "
        "them.",
    .examples = R"(  kitbag mcap doctor run.mcap
  kitbag mcap --print list channels run.mcap
  kitbag mcap filter run.mcap -o out.mcap -y '/camera/.*')"};

constexpr VerbText kRostopicText{
    .summary = "Run a command line of rostopic (ROS 1) as it is.",
    .more =
        "kitbag rostopic VERB --help shows rostopic's options and ours; docs/coming-from.md lists\n"
        "all of them.",
    .examples = R"(  kitbag rostopic list
  kitbag rostopic hz /scan
  kitbag rostopic --print pub -r 10 /cmd_vel geometry_msgs/Twist '{linear: {x: 0.5}}')"};

constexpr VerbText kRos2TopicText{
    .summary = "Run a command line of ros2 topic as it is.",
    .more =
        "kitbag topic VERB --help shows the options of ros2 topic and ours; docs/coming-from.md\n"
        "lists all of them.",
    .examples = R"(  kitbag topic list
  kitbag topic echo /odom --field pose.pose
  kitbag topic --print pub /chatter std_msgs/msg/String 'data: hello')"};

/// A line behind the name of a tool is translated before it gets here, if it begins with a verb.
struct PeerArguments {
  std::string verb;
  std::vector<std::string> words;
  bool is_printed = false;
};

int refuse_peer(const PeerArguments& arguments, const Context&) {
  throw_invalid(fmt::format("the verb \"{}\" comes before the options", arguments.verb));
}

void add_peer(CommandLine& line, const Peer& peer, const VerbText& text) {
  if (!line.wants(peer.name)) return;
  auto arguments = std::make_shared<PeerArguments>();
  Verb& verb = line.add_verb(std::string(peer.name), kPeerVerbs, text, arguments, refuse_peer);
  verb.common(
      verb.add_flag(kPrintOption, arguments->is_printed,
                    "Print kitbag's command line instead of running it; put it before VERB"));
  std::string verbs;
  for (const PeerVerb& each : peer.verbs) {
    verbs += (verbs.empty() ? "" : ", ") + std::string(each.name);
  }
  add_text(verb, "VERB", arguments->verb, "VERB",
           fmt::format("A verb of {}: {}", peer.called, verbs))
      ->required();
  add_list(verb, "ARGUMENT", arguments->words, "[ARGUMENT...]",
           "The verb's own arguments and options");
}

}  // namespace

void add_peers(CommandLine& line) {
  add_peer(line, rosbag_peer(), kRosbagText);
  add_peer(line, ros2_bag_peer(), kRos2BagText);
  add_peer(line, mcap_peer(), kMcapText);
  add_peer(line, rostopic_peer(), kRostopicText);
  add_peer(line, ros2_topic_peer(), kRos2TopicText);
}

}  // namespace kitbag::cli
