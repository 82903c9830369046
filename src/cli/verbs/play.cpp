#include "kitbag/play.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/options/inputs.h"
#include "cli/options/live_system.h"
#include "cli/terminal/json.h"
#include "cli/terminal/keys.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/terminal_line.h"
#include "cli/verbs.h"
#include "kitbag/control.h"
#include "kitbag/live.h"
#include "kitbag/paths.h"
#include "kitbag/text.h"

// The player pulls messages from open(), which it calls for each round and each seek with the time
// to begin at. Each call puts the whole chain of readers and stages together again, since sources
// go forward only.
//
//   keys, the control socket     on threads of their own; they call the Player, which is safe
//   a signal                     requests the stop of the player, and nothing else
//   the line on the terminal     drawn by run(), ten times a second
//
// A pipe is played once and forward: it has no seek, no loop and no end that is known.

namespace kitbag::cli {
namespace {

constexpr double kRateStep = 1.1;
constexpr Duration kSeekStep = std::chrono::seconds(5);

/// Shows the state of playback on a terminal.
class PlayLine {
 public:
  explicit PlayLine(const PlayOptions& options) : begin_(options.begin), end_(options.end) {}

  void show(const PlayStatus& status) {
    if (!line_.is_watched()) return;
    double share = end_ > begin_ ? std::chrono::duration<double>(status.position - begin_) /
                                       std::chrono::duration<double>(end_ - begin_)
                                 : 1;
    bool has_end = end_ != Time::max();  // what comes through a pipe has none
    StatusText text;
    if (has_end) text.share = share;
    text.parts.push_back({fmt::format("{} {}{}", status.is_paused ? "paused" : "playing",
                                      passed(status.position - begin_),
                                      has_end ? " of " + passed(end_ - begin_) : "")});
    text.parts.push_back({fmt::format("  x{:.4g}", status.rate), 2});
    text.parts.push_back({"  " + counted(status.messages, "message"), 3});
    if (status.late_messages > 0) {
      text.parts.push_back({fmt::format(", {} late", grouped(status.late_messages)), 1});
    }
    line_.draw(text);
  }

 private:
  Time begin_;
  Time end_;
  TerminalLine line_;
};

std::uint64_t parse_count(const std::string& text) {
  std::uint64_t count = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || rest != end || count == 0) {
    throw Error(
        ErrorCode::invalid,
        fmt::format("invalid number of messages \"{}\"; expected a positive integer", text));
  }
  return count;
}

[[noreturn]] void throw_forward_only() {
  throw Error(ErrorCode::unsupported,
              "a bag in a pipe can be played only once, forward; save the bag to a file first",
              "-");
}

/// "+10s" or "+10s +20s".
PlayedPart parse_part(const std::string& text, const PlayOptions& options) {
  std::size_t gap = std::min(text.find(' '), text.size());
  PlayedPart part;
  part.begin = parse_time(text.substr(0, gap)).resolve(options.begin, options.end);
  if (gap == text.size()) return part;
  part.end = parse_time(text.substr(gap + 1)).resolve(options.begin, options.end);
  if (*part.end < *part.begin) {
    throw Error(ErrorCode::invalid, "the part ends before it begins: " + text);
  }
  return part;
}

std::string answer(const std::string& line, Player& player) {
  std::size_t sign = std::min(line.find(' '), line.size());
  std::string command = line.substr(0, sign);
  std::string value = line.substr(std::min(sign + 1, line.size()));
  auto word = [](bool is_so) { return is_so ? "true" : "false"; };
  const PlayOptions& options = player.options();
  PlayStatus status = player.status();
  if (command == "pause") return player.pause(), "ok";
  if (command == "resume") return player.resume(), "ok";
  if (command == "toggle-paused") return status.is_paused ? player.resume() : player.pause(), "ok";
  if (command == "is-paused") return word(status.is_paused);
  if (command == "next" || command == "play-next") return player.burst(1), "ok";
  if (command == "burst") return player.burst(parse_count(value)), "ok";
  if (command == "rate") return player.set_rate(parse_rate(value, Player::kMostRate)), "ok";
  if (command == "get-rate") return fmt::format("{}", status.rate);
  if (command == "seek") {
    return player.seek(parse_time(value).resolve(options.begin, options.end)), "ok";
  }
  if (command == "play") return player.play(parse_part(value, options)), "ok";
  if (command == "play-for") {
    return player.play({{}, saturating_add(status.position, parse_duration(value))}), "ok";
  }
  if (command == "stop") return player.stop(), "ok";
  if (command == "status") return playing_json(status);
  throw_invalid_command(command,
                        "pause, resume, toggle-paused, is-paused, next, play-next, burst, rate, "
                        "get-rate, seek, play, play-for, stop and status");
}

void act(Keys::Key key, Player& player, bool can_seek, std::stop_source& stop) {
  PlayStatus status = player.status();
  auto change_rate = [&](double by) {
    player.set_rate(std::clamp(status.rate * by, Player::kLeastRate, Player::kMostRate));
  };
  switch (key) {
    case Keys::Key::space:
      return status.is_paused ? player.resume() : player.pause();
    case Keys::Key::s: {
      // A step is one message, so it pauses first.
      if (!status.is_paused) player.pause();
      return player.burst(1);
    }
    case Keys::Key::up:
      return change_rate(kRateStep);
    case Keys::Key::down:
      return change_rate(1 / kRateStep);
    case Keys::Key::left:
      if (!can_seek) return;
      return player.seek(saturating_add(status.position, -kSeekStep));
    case Keys::Key::right:
      if (!can_seek) return;
      return player.seek(saturating_add(status.position, kSeekStep));
    case Keys::Key::q:
      stop.request_stop();
      return;
    case Keys::Key::other:
      return;
  }
}

/// Absent: the bag is empty. The end of what comes through a pipe is not known, and the status line
/// then shows no share.
std::optional<TimeRange> played_range(const Bag& bag, const Query& query) {
  const auto* stream = dynamic_cast<const StreamedBag*>(&bag);
  if (!stream) return range_of(bag, query.by);
  auto first = stream->start(query.order, query.by);
  if (!first) return std::nullopt;
  return TimeRange{*first, Time::max()};
}

/// From where to where the bags are played, which a query may leave open.
void set_range(const Query& query, std::span<const BagPtr> bags, PlayOptions& options) {
  bool is_first = true;
  for (const BagPtr& bag : bags) {
    auto range = played_range(*bag, query);
    if (!range) continue;
    options.begin = is_first ? range->start : std::min(options.begin, range->start);
    options.end = is_first ? range->end : std::max(options.end, range->end);
    is_first = false;
  }
  options.begin = std::max(options.begin, query.begin);
  options.end = std::min(options.end, query.end);
}

void print_totals(const PlayStatus& status, std::size_t topics, Duration elapsed,
                  const Context& context) {
  std::string late;
  if (status.late_messages > 0) {
    late = fmt::format("; {} late by more than 1 ms, at most by {}", grouped(status.late_messages),
                       format_duration(status.worst_lateness));
  }
  context.out.line("{}, {}, {} payload, {}{}", counted(status.messages, "message"),
                   counted(topics, "topic"), format_size(status.bytes), format_duration(elapsed),
                   late);
}

/// A topic that never comes would never pause anything. Topics have their new names here; what
/// comes through a pipe is not known yet.
void require_until_topics(const PlayArguments& arguments, const Inputs& inputs) {
  if (inputs.has_stream()) return;
  auto names = new_names(arguments.renames, inputs);
  SelectOptions wanted;
  for (const std::string& topic : arguments.play.until_topics) {
    auto is_new_name = [&](const auto& rename) { return rename.second == topic; };
    if (std::any_of(names.begin(), names.end(), is_new_name)) continue;
    wanted.select.topics.push_back(topic);
  }
  try {
    make_query(wanted, inputs.bags());
  } catch (const Error& error) {
    throw Error(error.code(), "--until-topic: " + error.message(), error.file());
  }
}

}  // namespace

int play(const PlayArguments& arguments, const Context& context) {
  context.out.make_live_status();
  SteadyTime start = context.clock.steady();
  std::string to = arguments.to.complete().front();
  PayloadOptions payload = arguments.payload;
  payload.transcoding = encoded_for(to, payload.transcoding, context.session);
  PayloadStages stages(payload, context);
  auto paths = expanded_paths(arguments.bags, context.session, context.stop);
  Inputs inputs(paths, arguments.reading, context);
  Query query = make_query(arguments.select, inputs.bags());
  require_until_topics(arguments, inputs);
  warn_of_mixed_types(arguments.renames, query.select, inputs);
  PlayOptions options = arguments.play;
  const bool can_seek = !inputs.has_stream();
  if (options.loops && !can_seek) throw_forward_only();
  set_range(query, inputs.bags(), options);
  options.by = query.by;
  options.is_seekable = can_seek;
  if (can_seek) options.files = played_files(paths, inputs.bags(), context.session);
  // /clock is made by the player and does not go through the stages.
  if (payload.transcoding.encoding == "cdr") options.clock.encoding = "cdr";
  std::size_t topics = 0;
  KeyFrameReport key_frames;
  std::uint64_t count = query.count;
  if (!payload.where.empty()) query.count = UINT64_MAX;
  options.open = [&](Time begin) {
    Query from = query;
    if (begin > options.begin) from.begin = begin;
    const bool has_key_frames = arguments.select.with_key_frames;
    auto read =
        has_key_frames ? inputs.read_from_key_frames(from, key_frames, context) : inputs.read(from);
    auto source = renamed(std::move(read), arguments.renames, inputs);
    source = stages.add_to(std::move(source), count);
    topics = count_topics(source->channels());
    return source;
  };
  std::stop_source stop = options.stop;
  std::stop_callback on_signal(context.stop, [&] { stop.request_stop(); });
  auto publisher = context.session.publish(to, {stop.get_token(), warn_of_system});
  Player player(options, std::move(publisher), context.session.clock());
  // Made after the player and destroyed before it, as are the keys: their threads call it.
  std::optional<ControlServer> control;
  if (!arguments.control.empty()) {
    auto answering = [&](const std::string& command) { return answer(command, player); };
    control.emplace(arguments.control, answering, context.session.clock());
  }
  PlayStatus status;
  {
    context.result_stands.emplace();
    PlayLine line(options);
    Keys keys(context.signals, [&](Keys::Key key) { act(key, player, can_seek, stop); });
    status = player.run(stop.get_token(), [&](const PlayStatus& now) { line.show(now); });
  }
  print_totals(status, topics, context.clock.steady() - start, context);
  int code = inputs.warn();
  stages.warn();
  warn_of(key_frames);
  return code;
}

}  // namespace kitbag::cli
