#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

constexpr double kMostHz = 1e6;
constexpr const char* kUsualMeasured = "5s";

constexpr VerbText kTopicsText{
    .summary = "List the topics of a live system, and the rates of their messages.",
    .more = "Without SYSTEM it asks ros1:// and ros2://, if they are installed.",
    .examples = R"(  kitbag topics ros2:// -v
  kitbag topics ros1:// /scan '/camera/*' --rates 10s
  kitbag topics 'demo://?seconds=30' --rates --watch)",
    .notes =
        R"(A subscriber that requests more quality of service than a publisher of its topic offers
gets none of its messages; a warning names both. Rates are those of the times at which messages
arrive: jitter is the standard deviation of the intervals, and sizes are those of the payloads. With
--watch they are those of the last ten seconds.)"};

constexpr VerbText kEchoText{
    .summary = "Print the messages of a live system, or of a bag that is being written.",
    .more =
        R"(Stops when the bag is complete (if its format shows that), after --count messages, or on
Ctrl-C.)",
    .examples = R"(  kitbag echo ros2:// /odom --fields pose.pose.position
  kitbag echo zmq+tcp://127.0.0.1:7913 --once --format yaml
  kitbag echo run.mcap.active --start -5s --where 'level >= 8')",
    .notes =
        R"(--start and the options about reading apply to bags, --node-name, --qos-overrides and
--include-hidden-topics to live systems.)"};

constexpr VerbText kPublishText{
    .summary = "Send a message to a live system, once or repeatedly.",
    .more = "Without --rate and --count it is sent once. Fields left out have their defaults.",
    .examples = R"(  kitbag publish ros2:// /chatter std_msgs/String hello
  kitbag publish ros1:// /cmd_vel geometry_msgs/Twist 'linear: {x: 0.5}' -r 10
  kitbag publish ros2:// /goal geometry_msgs/PoseStamped '{header: now}' -w)",
    .notes =
        R"(VALUE is YAML or JSON: the fields by name, or all of them in their order, as one list or
as several values. A time is its two numbers, or a word: now, +5s, 2026-11-20T14:30:00Z. "now" for
a header sets its stamp. Bytes are a list or base64. Definitions of types are searched for in the
folders of --definitions, in those of the environment, and among the standard messages of ROS.)"};

/// A word before the topics is the system if it looks like the address of one.
void take_system(TopicsArguments& arguments, const std::string& word) {
  if (word.find("://") != std::string::npos) {
    arguments.system.uris = {word};
  } else {
    arguments.select.topics.insert(arguments.select.topics.begin(), word);
  }
}

void complete_topics(const TopicsArguments& arguments) {
  if (!arguments.watches) return;
  if (arguments.as_json) {
    throw_invalid("topics: --json prints once; use either --json or --watch");
  }
  if (arguments.system.uris.empty()) {
    throw_invalid("topics: --watch needs a SYSTEM, such as ros2://");
  }
}

/// The first option in these groups that was given; "" if none was.
/// Whether the word is a system or a bag takes a session, and which options were given is known to
/// the parser alone. So the name is noted here, and the verb refuses it.
std::string given_option(const Verb& verb, const std::vector<std::string>& groups) {
  for (const CLI::Option* option : verb.get_options()) {
    bool is_in = std::find(groups.begin(), groups.end(), option->get_group()) != groups.end();
    if (is_in && option->count() > 0) return option->get_name();
  }
  return {};
}

}  // namespace

void add_topics_verb(CommandLine& line) {
  auto arguments = std::make_shared<TopicsArguments>();
  Verb& verb = line.add_verb("topics", kLiveVerbs, kTopicsText, arguments, topics,
                             [arguments] { complete_topics(*arguments); });
  auto take = [arguments](const std::string& word) { take_system(*arguments, word); };
  add_taken(verb, "SYSTEM", take, "[SYSTEM]", "The system, such as ros2://");
  add_words(verb, "TOPIC", arguments->select.topics, "[TOPIC...]",
            "Topics to list, by name or glob; the same as --topics");
  verb.common(verb.add_flag("-v,--verbose", arguments->is_verbose,
                            "Print who sends and receives each topic, with quality of service"));
  verb.common(add_parsed(verb, "--rates", arguments->measured, parse_positive_duration,
                         "[DURATION]",
                         "Print the rates, intervals and sizes of the messages that come in this "
                         "long. Default: none are received; 5s without DURATION")
                  ->expected(0, 1)
                  ->default_str(kUsualMeasured));
  verb.common(verb.add_flag("--watch", arguments->watches,
                            "Print again each second until stopped; rates are of the last 10 s"));
  verb.common(verb.add_flag("--json", arguments->as_json,
                            "Print a JSON object for each topic, one per line"));
  verb.common(add_parsed(verb, "--wait", arguments->wait, parse_duration, "DURATION",
                         "Wait this long for the system to announce its topics. Default: 1.5s; 0s "
                         "for ros1:// and demo://"));
  add_topics(verb, arguments->select);
  add_hidden_topics(verb, arguments->system.parameters);
  add_ros(verb, arguments->system.parameters);
}

void add_echo(CommandLine& line) {
  auto arguments = std::make_shared<EchoArguments>();
  auto own = std::make_shared<const Verb*>(nullptr);
  Verb& verb = line.add_verb("echo", kLiveVerbs, kEchoText, arguments, echo, [arguments, own] {
    arguments->option_of_bags = given_option(**own, {kTimeGroup, kReadingGroup, kEncryptionGroup});
  });
  *own = &verb;
  add_text(verb, "SYSTEM", arguments->bag, "SYSTEM|BAG",
           "The system, such as ros2://, or the bag; the name of a file that kitbag records ends "
           "with .active")
      ->required();
  add_words(verb, "TOPIC", arguments->select.topics, "[TOPIC...]",
            "Topics to print, by name or glob; the same as --topics");
  add_topics(verb, arguments->select);
  verb.common(add_where(verb, arguments->payload.where));
  CLI::Option* count = add_number(verb, "-n,--count", arguments->count, "N",
                                  "Stop after the first N selected messages");
  verb.common(count->group(kSelectionGroup));
  verb.common(verb.add_flag_callback(
                      "--once", [arguments] { arguments->count = 1; }, "Stop after one message")
                  ->group(kSelectionGroup)
                  ->excludes(count));
  verb.common(add_start(verb, arguments->start));
  add_message_format(verb, arguments->print);
  add_definitions(verb, arguments->payload.definitions);
  add_evolution(verb, arguments->payload.transcoding);
  add_ros(verb, arguments->parameters);
  add_hidden_topics(verb, arguments->parameters);
  add_reading(verb, arguments->reading);
}

void add_publish(CommandLine& line) {
  auto arguments = std::make_shared<PublishArguments>();
  Verb& verb = line.add_verb("publish", kLiveVerbs, kPublishText, arguments, publish);
  auto take = [arguments](const std::string& uri) { arguments->to.uris = {uri}; };
  add_taken(verb, "SYSTEM", take, "SYSTEM", "The system to send to, such as ros2://")->required();
  add_text(verb, "TOPIC", arguments->topic, "TOPIC", "The name of the topic")->required();
  add_text(verb, "TYPE", arguments->type, "TYPE", "The type, such as std_msgs/String")->required();
  add_list(verb, "VALUE", arguments->texts, "[VALUE...]",
           "The value, as YAML or JSON, or the values of all fields");
  auto hz = [](const std::string& text) { return parse_rate(text, kMostHz); };
  verb.common(add_parsed(verb, "-r,--rate", arguments->rate_hz, hz, "HZ",
                         "Send it HZ times a second, until stopped or --count is reached"));
  CLI::Option* count = add_parsed(verb, "-n,--count", arguments->count, parse_positive_size, "N",
                                  "Send it N times, by default once a second");
  verb.common(count);
  verb.common(verb.add_flag_callback(
                      "-1,--once", [arguments] { arguments->count = 1; },
                      "Send it once (default without --rate)")
                  ->excludes(count));
  verb.common(verb.add_flag("--latch", arguments->is_latched,
                            "Keep the last message for late subscribers (latched, or transient "
                            "local), as long as kitbag runs"));
  verb.common(verb.add_flag("-k,--keep-alive", arguments->stays,
                            "Wait at the end until stopped, for late subscribers"));
  verb.common(verb.add_flag("-w,--wait-for-subscribers", arguments->awaits_subscribers,
                            "Begin when the topic has a subscriber"));
  verb.common(add_text(verb, "--encoding", arguments->encoding, "NAME",
                       "Convert the message to ros1, cdr, protobuf or json. Default: what the "
                       "system takes, else cdr"));
  add_definitions(verb, arguments->definitions);
  add_ros(verb, arguments->to.parameters);
}

}  // namespace kitbag::cli
