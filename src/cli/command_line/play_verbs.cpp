#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

constexpr double kMostClockHz = 10'000;
constexpr const char* kUsualClockHz = "40";

constexpr VerbText kPlayText{
    .summary = "Play bags into a live system, with the recorded timing.",
    .more = "Keys: space pauses and resumes, s sends one message, arrows change rate and position.",
    .examples = R"(  kitbag play run.bag --rate 2
  kitbag play run.mcap --start +10s --topics /odom '/camera/*'
  kitbag play run.mcap --to zmq+tcp://127.0.0.1:7913 --rename /odom:=/old/odom)",
    .notes =
        R"(With --start, the last message of each latched channel before that time, such as a map,
is sent first, and so are the frames of videos from the last key frame on; likewise after a seek.
Keys on a terminal: space pauses and resumes, s sends one message, up and down change
the rate, left and right seek 5 s back and ahead, q quits.)"};

constexpr VerbText kPipeText{.summary = "Forward messages from one live system to another.",
                             .examples = R"(  kitbag pipe demo:// zmq+tcp://127.0.0.1:7913
  kitbag pipe ros1:// ros2://
  kitbag pipe 'zmq+tcp://127.0.0.1:7913?bind=1' zmq+tcp://10.0.0.2:7913 --topics /odom)"};

constexpr VerbText kControlText{.summary = "Send a command to a running recorder or player.",
                                .examples = R"(  kitbag control /tmp/recorder snapshot
  kitbag control /tmp/recorder status)",
                                .notes = R"(Commands of record:
  pause, resume, toggle-paused   is-paused prints true or false
  snapshot, split
  stop-recording                 complete the files, and record nothing more for now
  record [PATH]                  then: record again, to PATH; is-recording prints true or false
  stop                           the same as Ctrl-C
  status                         print one line of JSON

Commands of play:
  pause, resume, toggle-paused   is-paused prints true or false
  stop, status
  rate 0.5                       play at half the recorded speed; get-rate prints the rate
  seek +10s                      relative to the start; -5s to the end; or a time
  play +10s +20s                 play from +10s, and pause after +20s
  play-for 5s                    play on for 5 s of the bag, then pause
  next, play-next, burst 10      while paused: send the next message, the next ten)"};

/// When messages are sent.
void add_timing(Verb& verb, PlayOptions& options) {
  constexpr const char* kGroup = "Timing";
  auto rate = [](const std::string& text) { return parse_rate(text, Player::kMostRate); };
  auto hz = [](const std::string& text) { return parse_rate(text, kMostClockHz); };
  CLI::Option* speed = add_parsed(verb, "-r,--rate", options.rate, rate, "N",
                                  "Play N times as fast as recorded. Default: 1");
  verb.common(speed->group(kGroup));
  verb.add_flag_callback(
          "--immediate", [&options] { options.rate = Player::kMostRate; },
          "Send all messages at once, as fast as the system takes them")
      ->group(kGroup)
      ->excludes(speed);
  verb.common(verb.add_flag("-l,--loop", options.loops, "Loop until stopped")->group(kGroup));
  verb.add_flag("-k,--keep-alive", options.stays_at_end,
                "Pause at the end until stopped, so that latched messages can still be received")
      ->group(kGroup);
  verb.common(add_parsed(verb, "--clock", options.clock.hz, hz, "[HZ]",
                         "Publish the position on /clock, HZ times a second. Default: not "
                         "published; 40 without HZ")
                  ->expected(0, 1)
                  ->default_str(kUsualClockHz)
                  ->group(kGroup));
  verb.common(add_parsed(verb, "-d,--delay", options.delay, parse_duration, "DURATION",
                         "Wait this long before the start. Default: 0s")
                  ->group(kGroup));
  add_parsed(verb, "--skip-empty", options.skip_empty, parse_positive_duration, "DURATION",
             "Skip gaps that are longer than this")
      ->group(kGroup);
}

/// How playback is paused and controlled.
void add_running(Verb& verb, PlayArguments& arguments) {
  PlayOptions& options = arguments.play;
  verb.common(verb.add_flag("-p,--start-paused,--step", options.starts_paused,
                            "Wait for the space key or kitbag control; the key s sends the next "
                            "message")
                  ->group(kRunningGroup));
  add_words(verb, "--until-topic", options.until_topics, "TOPIC...",
            "Pause after each message on these topics")
      ->group(kRunningGroup);
  add_control_socket(verb, arguments.control);
  add_parsed(verb, "--read-ahead", options.read_ahead_bytes, parse_positive_size, "SIZE",
             "Set the memory for messages that are read ahead. Default: 64MiB")
      ->group(kRunningGroup);
}

/// What becomes of recorded calls of services and actions.
void add_requests(Verb& verb, PlayArguments& arguments) {
  verb.add_flag("--publish-service-requests", arguments.sends_requests,
                "Send recorded requests to live services as a client, instead of publishing their "
                "events (ROS 2)")
      ->group(kSystemGroup);
  verb.add_flag("--send-actions-as-client", arguments.sends_goals,
                "Send recorded goals and cancellations to live actions as a client, instead of "
                "publishing the topics of actions (ROS 2)")
      ->group(kSystemGroup);
  add_choice<std::string>(
      verb, "--service-requests-source", arguments.requests_source,
      {{"service_introspection", "service_introspection"},
       {"client_introspection", "client_introspection"}},
      "Use the requests in the events of servers, or in those of clients. Default: "
      "service_introspection")
      ->group(kSystemGroup);
}

/// Passes requests on to the system, as parameters of its URI.
void complete_requests(PlayArguments& arguments) {
  bool sends_any = arguments.sends_requests || arguments.sends_goals;
  if (!arguments.requests_source.empty() && !sends_any) {
    throw_invalid(
        "--service-requests-source requires --publish-service-requests or "
        "--send-actions-as-client");
  }
  std::string source = arguments.requests_source;
  if (source.empty()) source = "service_introspection";
  auto& parameters = arguments.to.parameters;
  // The player knows nothing of services: the transport takes their events for requests.
  if (arguments.sends_requests) parameters["service_requests"] = source;
  if (arguments.sends_goals) parameters["action_requests"] = source;
}

/// How payloads are changed before they are sent.
void add_sent_content(Verb& verb, PayloadOptions& payload) {
  add_encoding(verb, payload.transcoding);
  add_on_error(verb, payload.on_error,
               "Handle what cannot be decoded: send the channel unchanged (raw); skip and count "
               "the messages; or stop. Default: raw");
  add_definitions(verb, payload.definitions);
  add_evolution(verb, payload.transcoding);
}

}  // namespace

void add_play(CommandLine& line) {
  auto arguments = std::make_shared<PlayArguments>();
  arguments->select.with_latched = true;
  Verb& verb = line.add_verb("play", kLiveVerbs, kPlayText, arguments, play, [arguments] {
    require_plain_range(arguments->select);
    complete_requests(*arguments);
  });
  add_bags(verb, arguments->bags, "Bags to play, merged by time");
  add_system(verb, arguments->to, "--to",
             "Play to this system, such as zmq+tcp://127.0.0.1:7913 or mqtt://broker/robot1. "
             "Default: ros1:// if ROS_MASTER_URI is set, else ros2://");
  verb.common(
      verb.add_flag("--wait-for-subscribers", arguments->play.awaits_subscribers,
                    "Start when every topic has a subscriber, and each called service a server")
          ->group(kSystemGroup));
  add_requests(verb, *arguments);
  add_timing(verb, arguments->play);
  add_running(verb, *arguments);
  add_topics(verb, arguments->select.select);
  add_where(verb, arguments->payload.where);
  add_count(verb, arguments->select.count);
  add_range(verb, arguments->select);
  add_no_key_frames(verb, arguments->select.with_key_frames);
  add_by(verb, arguments->select.by);
  add_renames(verb, "-m,--rename,--remap", arguments->renames);
  add_sent_content(verb, arguments->payload);
  add_reading(verb, arguments->reading);
}

void add_pipe(CommandLine& line) {
  auto arguments = std::make_shared<PipeArguments>();
  Verb& verb = line.add_verb("pipe", kLiveVerbs, kPipeText, arguments, pipe);
  add_text(verb, "FROM", arguments->from, "FROM", "The system to receive from")->required();
  add_text(verb, "TO", arguments->to, "TO", "The system to send to")->required();
  add_topics(verb, arguments->select);
  verb.common(add_where(verb, arguments->payload.where));
  verb.common(add_throttles(verb, arguments->throttle));
  add_sent_content(verb, arguments->payload);
  add_feed(verb, arguments->feed);
}

void add_control(CommandLine& line) {
  auto arguments = std::make_shared<ControlArguments>();
  Verb& verb = line.add_verb("control", kLiveVerbs, kControlText, arguments, control);
  add_text(verb, "SOCKET", arguments->socket, "SOCKET",
           "The path given to record or play as --control")
      ->required();
  add_list(verb, "COMMAND", arguments->words, "COMMAND", "The command and its arguments")
      ->required();
}

}  // namespace kitbag::cli
