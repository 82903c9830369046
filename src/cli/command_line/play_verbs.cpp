#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

constexpr double kMostClockHz = 10'000;
constexpr const char* kUsualClockHz = "40";

}  // namespace

void add_play(CommandLine& line) {
  auto arguments = std::make_shared<PlayArguments>();
  auto renames = std::make_shared<std::vector<std::string>>();
  arguments->select.with_latched = true;
  PlayOptions& play_options = arguments->play;
  CLI::App& app = line.add_verb("play", help::kPlay, std::string(help::kTimes) + help::kPlayFooter,
                                arguments, play, [arguments, renames] {
                                  require_plain_range(arguments->select);
                                  arguments->renames = parse_renames(*renames);
                                });
  add_list(app, "BAG", arguments->bags, "BAG...", "Bags to play, merged by time")->required();
  add_system(app, arguments->to, "--to",
             "Play to this system, such as zmq+tcp://127.0.0.1:7913.\nDefault: ros1:// if "
             "ROS_MASTER_URI is set, else\nros2://");
  app.add_flag("--wait-for-subscribers", play_options.awaits_subscribers,
               "Start when every topic has a subscriber")
      ->group(kSystemGroup);
  constexpr const char* kTimeGroup = "Timing";
  auto rate = [](const std::string& text) { return parse_rate(text, Player::kMostRate); };
  auto hz = [](const std::string& text) { return parse_rate(text, kMostClockHz); };
  add_parsed(app, "--rate", play_options.rate, rate, "N",
             "Play N times as fast as recorded. Default: 1")
      ->group(kTimeGroup);
  add_parsed(app, "--delay", play_options.delay, parse_duration, "DURATION",
             "Wait this long before the start")
      ->group(kTimeGroup);
  app.add_flag("--loop", play_options.loops, "Loop until stopped")->group(kTimeGroup);
  add_parsed(app, "--skip-empty", play_options.skip_empty, parse_positive_duration, "DURATION",
             "Skip gaps that are longer than this")
      ->group(kTimeGroup);
  app.add_flag("--start-paused,--step", play_options.starts_paused,
               "Wait for the space key or kitbag control; the key s\nsends the next message")
      ->group(kRunningGroup);
  add_parsed(
      app, "--clock", play_options.clock.hz, hz, "[HZ]",
      "Publish the position on /clock, HZ times a second.\nDefault: not published; 40 without HZ")
      ->expected(0, 1)
      ->default_str(kUsualClockHz)
      ->group(kTimeGroup);
  add_list(app, "--until-topic", play_options.until_topics, "TOPIC...",
           "Pause after each message on these topics")
      ->group(kRunningGroup);
  add_control_socket(app, arguments->control);
  add_parsed(app, "--read-ahead", play_options.read_ahead_bytes, parse_positive_size, "SIZE",
             "Set the memory for messages that are read ahead.\nDefault: 64MiB")
      ->group(kRunningGroup);
  add_topics(app, arguments->select.select);
  add_renames(app, "--rename,--remap", *renames);
  add_range(app, arguments->select);
  add_by(app, arguments->select.by);
  add_transcoding(app, arguments->payload,
                  "Handle what cannot be decoded: send the channel\nunchanged (raw); skip and "
                  "count the messages; or stop.\nDefault: raw");
  add_strict(app, arguments->reading);
  add_reading(app, arguments->reading);
}

void add_pipe(CommandLine& line) {
  auto arguments = std::make_shared<PipeArguments>();
  auto throttles = std::make_shared<std::vector<std::string>>();
  CLI::App& app =
      line.add_verb("pipe", help::kPipe, help::kPipeFooter, arguments, pipe,
                    [arguments, throttles] { arguments->throttle = parse_throttles(*throttles); });
  add_text(app, "FROM", arguments->from, "FROM", "The system to receive from")->required();
  add_text(app, "TO", arguments->to, "TO", "The system to send to")->required();
  add_feed(app, arguments->feed);
  add_topics(app, arguments->select);
  add_throttles(app, *throttles);
  add_transcoding(app, arguments->payload,
                  "Handle what cannot be decoded: send the channel\nunchanged (raw); skip and "
                  "count the messages; or stop.\nDefault: raw");
}

void add_control(CommandLine& line) {
  auto arguments = std::make_shared<ControlArguments>();
  CLI::App& app =
      line.add_verb("control", help::kControl, help::kControlFooter, arguments, control);
  add_text(app, "SOCKET", arguments->socket, "SOCKET",
           "The SOCKET of the recorder's or player's --control")
      ->required();
  add_list(app, "COMMAND", arguments->words, "COMMAND", "The command and its arguments")
      ->required();
}

}  // namespace kitbag::cli
