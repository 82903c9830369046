#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "cli/options/live_system.h"
#include "cli/options/uploading.h"
#include "cli/terminal/json.h"
#include "cli/terminal/keys.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal_line.h"
#include "cli/verbs.h"
#include "kitbag/control.h"
#include "kitbag/file_system.h"
#include "kitbag/record.h"
#include "kitbag/text.h"

// A recording goes on whatever happens around it: nobody reads its output (make_live_status()), the
// terminal is suspended, the target of uploads is gone. It ends in this order:
//
//   stop requested        the recorder stores what it has received, and completes its files
//   totals                by the status at the end
//   uploads               waited for; one more signal leaves them
//   exit code             0; 2 if space ran out, a disk failed or uploads are left
//
// A second signal ends any of these at once; of uploads it says what is left.
//
//   main thread           runs the recorder: writing, splitting, limits, the status line
//   keys, control socket  ask it by its functions, which may be called from any thread
//   SIGUSR1               on the thread of the signals, likewise

namespace kitbag::cli {
namespace {

using Counts = std::map<std::string, std::uint64_t>;  // by topic

/// "3 dropped (/image 2, /odom 1)"; empty where nothing was.
std::string counts_text(const Counts& counts, std::string_view what) {
  if (counts.empty()) return {};
  std::string topics;
  std::uint64_t all = 0;
  for (const auto& [topic, count] : counts) {
    topics += fmt::format("{}{} {}", topics.empty() ? "" : ", ", topic, grouped(count));
    all += count;
  }
  return fmt::format("{} {} ({})", grouped(all), what, topics);
}

/// What a recording does not have, and why: nothing, or one or two texts.
std::vector<std::string> describe_missing(const RecordStatus& status) {
  std::vector<std::string> missing;
  for (std::string text : {counts_text(status.dropped, "dropped"),
                           counts_text(status.lost, "lost before they reached kitbag")}) {
    if (!text.empty()) missing.push_back(std::move(text));
  }
  return missing;
}

/// Shows the state of a recording: as a line of a terminal, or as lines of JSON.
class StatusLine {
 public:
  StatusLine(bool as_json, Output& out) : as_json_(as_json), out_(out) {}

  void show(const RecordStatus& status) {
    if (!as_json_ && !line_.is_watched()) return;
    Duration since = status.elapsed - last_.elapsed;
    if (as_json_ && since < kInterval && last_.elapsed != Duration::zero()) return;
    show(status, since);
  }

  /// The last status of all: a line of JSON with the rates of the whole recording.
  void finish(const RecordStatus& status) {
    last_ = {};
    if (as_json_) show(status, status.elapsed);
  }

  void erase() { line_.erase(); }

 private:
  void show(const RecordStatus& status, Duration since) {
    double seconds = std::max(std::chrono::duration<double>(since).count(), 1e-3);
    double rate = static_cast<double>(status.messages - last_.messages) / seconds;
    double bytes_rate = static_cast<double>(status.bytes - last_.bytes) / seconds;
    if (as_json_) {
      out_.write(recording_json(status, rate, bytes_rate) + "\n");
      out_.flush();
    } else {
      line_.draw(text(status, rate, bytes_rate));
    }
    // A terminal is drawn ten times a second, but a rate over a tenth of a second would flicker.
    if (as_json_ || since >= kInterval) last_ = status;
  }

  /// Between lines of JSON, and over how long a rate is worked out.
  static constexpr Duration kInterval = std::chrono::seconds(1);

  static StatusText text(const RecordStatus& status, double rate, double bytes_rate) {
    StatusText text;
    auto add = [&text](int rank, std::string part) {
      text.parts.push_back({std::move(part), rank});
    };
    const char* state = status.is_paused ? "paused" : "recording";
    if (!status.is_recording) state = "not recording";
    add(0, fmt::format("{} {}", state, passed(status.elapsed)));
    add(1, "  " + counted(status.messages, "message"));
    add(4, ", " + counted(status.topics, "topic"));
    add(2, fmt::format("  {:.0f}/s", rate));
    add(3, fmt::format(", {}/s", format_size(static_cast<std::uint64_t>(bytes_rate))));
    add(6, fmt::format("  {} buffered", format_size(status.buffered_bytes + status.held_bytes)));
    if (status.free_bytes != UINT64_MAX) {
      add(5, fmt::format("  {} free", format_size(status.free_bytes)));
    }
    std::string upload = status.upload ? waiting_text(*status.upload) : std::string();
    if (!upload.empty()) add(2, "  " + upload);
    for (const std::string& missing : describe_missing(status)) add(0, "  " + missing);
    for (const std::string& uri : status.missing) add(0, "  " + uri + " is missing");
    return text;
  }

  bool as_json_;
  Output& out_;
  TerminalLine line_;
  RecordStatus last_;
};

/// A forgotten --from or -o makes a topic of what follows.
void require_topics(const std::vector<std::string>& words, const Session& session) {
  for (const std::string& word : words) {
    if (is_live_system(word, session)) {
      throw Error(ErrorCode::invalid,
                  fmt::format("record: {} is no topic; to record from a system, use --from {}",
                              word, word));
    }
    if (!word.ends_with('/') && !format_of_name(session.registry(), word)) continue;
    throw Error(ErrorCode::invalid,
                fmt::format("record: {} is no topic; to write to {}, use -o {}; a topic of this "
                            "name is recorded with --topics {}",
                            word, word, word, word));
  }
}

RecordOptions options_of(const RecordArguments& arguments, PayloadStages& stages,
                         const Session& session) {
  RecordOptions options = arguments.complete(stages, session);
  // Where this recording deletes or uploads files of other runs, or writes to a bag with them, what
  // a killed recorder has left has to be complete.
  options.target.repairs_leftovers =
      arguments.target.keep.any() || arguments.target.joins || options.target.uploader;
  // By a socket, or by services of ROS 2.
  options.restarts = !arguments.control.empty() ||
                     std::any_of(options.from.begin(), options.from.end(),
                                 [](const std::string& uri) { return uri.starts_with("ros2:"); });
  options.duration = arguments.duration;
  options.limit = arguments.limit;
  return options;
}

std::string name_of(const RecordStatus& status) {
  if (status.files.empty()) return "no file";
  if (status.files.size() == 1) return status.files.front();
  return fmt::format("{} to {}", status.files.front(), status.files.back());
}

void print_deleted(const std::string& why, std::uint64_t files, std::uint64_t messages,
                   const Context& context) {
  context.out.line("deleted {}: {}, {} of this recording", why, counted(files, "file"),
                   counted(messages, "message"));
}

/// What is in the files, and what came: with snapshots, not everything is written.
void print_totals(const RecordStatus& status, const Context& context) {
  std::string unwritten;
  if (status.written_messages < status.messages) {
    unwritten = fmt::format(", of {} received", counted(status.messages, "message"));
  }
  context.out.line("{}: {}{}, {}, {} payload, {}", name_of(status),
                   counted(status.written_messages, "message"), unwritten,
                   counted(status.topics, "topic"), format_size(status.written_bytes),
                   format_duration(status.elapsed));
  if (status.deleted_files > 0) {
    print_deleted("by the retention limits", status.deleted_files, status.deleted_messages,
                  context);
  }
  for (const std::string& missing : describe_missing(status)) print_warning(missing);
  for (const std::string& uri : status.missing) {
    print_warning(uri + ": the system was missing when the recording ended");
  }
}

void warn_of_undefined(const RecordStatus& status) {
  if (status.undefined.empty()) return;
  std::string topics;
  for (const std::string& topic : status.undefined) {
    topics += (topics.empty() ? "" : ", ") + topic;
  }
  print_warning(
      fmt::format("no definition found for the types on {}: their messages are recorded, but "
                  "cannot be decoded; add definitions with --definitions",
                  topics));
}

[[noreturn]] void throw_too_little_space(const RecordStatus& status, std::uint64_t least) {
  throw Error(
      ErrorCode::io,
      fmt::format("the recording ended, and its files are complete: {} of the disk are free, "
                  "and --min-free-space asks for {}; no older file of this name is left {}{}",
                  format_size(status.free_bytes), format_size(least),
                  status.upload ? "that may be deleted" : "to delete",
                  status.upload ? "; " + left_text(*status.upload) : std::string()),
      name_of(status));
}

/// The disk is full, or has failed: what was stored waits in a file that is not complete.
Error with_repair(const Error& error, const Session& session) {
  const std::string& active = error.file();
  bool is_left = error.code() == ErrorCode::io && active.ends_with(kActiveSuffix) &&
                 session.file_system(active)->status(active);
  if (!is_left) return error;
  std::string path = active.substr(0, active.size() - std::string_view(kActiveSuffix).size());
  return {error.code(),
          fmt::format("{}; what was recorded until then is in {}: kitbag repair {} {} saves it",
                      error.message(), active, active, path),
          active, error.offset()};
}

/// And what else has to be done about files that are nowhere else.
Error with_waiting(const Error& error, const Uploader* uploader) {
  if (!uploader) return error;
  UploadStatus status = uploader->status();
  if (status.waiting_files == 0) return error;
  return {error.code(), fmt::format("{}; {}", error.message(), left_text(status)), error.file(),
          error.offset()};
}

/// Waits for the uploads, and deletes files that exceed the limits when they are uploaded. Returns
/// whether all files are uploaded.
bool complete_uploads(const std::shared_ptr<Uploader>& uploader, Recorder& recorder,
                      const RecordArguments& arguments, const Context& context) {
  RecordStatus before = recorder.status();
  RecordStatus status = before;
  SteadyTime next_line = context.clock.steady();
  auto say = [&] {
    context.out.write(recording_json(status, 0, 0) + "\n");
    context.out.flush();
  };
  auto look = [&](const UploadStatus& now) {
    status = recorder.purge();
    status.upload = now;
    if (!arguments.as_json || now.waiting_files == 0 || context.clock.steady() < next_line) return;
    next_line = context.clock.steady() + std::chrono::seconds(1);
    say();
  };
  bool is_done = await_uploads(*uploader, arguments.upload_wait, look, context);
  if (arguments.as_json) {
    say();  // how it ended
    return is_done;
  }
  context.out.line("{}", uploaded_text(*status.upload));
  if (status.deleted_files > before.deleted_files) {
    print_deleted("after their upload", status.deleted_files - before.deleted_files,
                  status.deleted_messages - before.deleted_messages, context);
  }
  return is_done;
}

/// What the recording's thread has to do for an answer is done by then, or the client gives up.
constexpr Duration kDoneWithin = std::chrono::seconds(8);

/// Says why a recorder that was asked to stop goes on.
class DrainNote {
 public:
  explicit DrainNote(Clock& clock) : clock_(clock) {}

  /// Once, when it has gone on for a second.
  bool is_due(const RecordStatus& status) {
    SteadyTime now = clock_.steady();
    if (!since_) since_ = now;
    return status.buffered_bytes > 0 && now - *since_ >= std::chrono::seconds(1) &&
           !std::exchange(is_told_, true);
  }
  static void print(const RecordStatus& status) {
    print_note(fmt::format(
        "stopping: still storing {} that were received; interrupt again to discard them",
        format_size(status.buffered_bytes)));
  }

 private:
  Clock& clock_;
  std::optional<SteadyTime> since_;
  bool is_told_ = false;
};

std::string answer(const std::string& line, Recorder& recorder, const Uploader* uploader,
                   std::stop_source& stop, Clock& clock) {
  std::size_t sign = std::min(line.find(' '), line.size());
  std::string command = line.substr(0, sign);
  std::string value = line.substr(std::min(sign + 1, line.size()));
  auto word = [](bool is_so) { return is_so ? "true" : "false"; };
  // Commands that the thread of the recording has to carry out are waited for, so that the answer
  // says whether it was done.
  auto soon = [&] { return Wait{stop.get_token(), clock.steady() + kDoneWithin}; };
  if (command == "record") return recorder.record(value, soon()), "ok";
  if (!value.empty()) command = line;  // the others are words alone
  if (command == "pause") return recorder.pause(), "ok";
  if (command == "resume") return recorder.resume(), "ok";
  if (command == "snapshot") return recorder.snapshot(SnapshotRequest{}, soon()), "ok";
  if (command == "split") return recorder.split(), "ok";
  if (command == "stop-recording") return recorder.stop(soon()), "ok";
  if (command == "stop") return stop.request_stop(), "ok";
  RecordStatus status = recorder.status();
  if (command == "toggle-paused") {
    return status.is_paused ? recorder.resume() : recorder.pause(), "ok";
  }
  if (command == "is-paused") return word(status.is_paused);
  if (command == "is-recording") return word(status.is_recording);
  if (command != "status") {
    throw_invalid_command(command,
                          "pause, resume, toggle-paused, is-paused, snapshot, split, "
                          "stop-recording, record, is-recording, stop and status");
  }
  if (uploader) status.upload = uploader->status();
  double seconds = std::max(std::chrono::duration<double>(status.elapsed).count(), 1e-3);
  return recording_json(status, static_cast<double>(status.messages) / seconds,
                        static_cast<double>(status.bytes) / seconds);
}

void act(Keys::Key key, Recorder& recorder, std::stop_source& stop) {
  if (key == Keys::Key::s) recorder.snapshot();
  if (key == Keys::Key::q) stop.request_stop();
  if (key != Keys::Key::space) return;
  if (recorder.status().is_paused) {
    recorder.resume();
  } else {
    recorder.pause();
  }
}

}  // namespace

int record(const RecordArguments& arguments, const Context& context) {
  require_topics(arguments.topics, context.session);
  context.out.make_live_status();
  PayloadStages stages(arguments.payload, context);
  std::vector<Error> left_out;
  RecordOptions options = options_of(arguments, stages, context.session);
  std::shared_ptr<Uploader> uploader = options.target.uploader;
  if (arguments.takes_all_unasked) {
    const auto& select = arguments.select;
    bool excludes_some = !select.exclude.empty() || !select.exclude_expressions.empty();
    print_note(excludes_some ? "recording all topics except the excluded ones"
                             : "recording all topics; to record only some, name them");
  }
  StatusLine line(arguments.as_json, context.out);
  auto warn = [&](const Error& warning) {
    line.erase();
    print_recorder_report(warning);
  };
  options.on_warning = warn;
  options.target.write.on_warning = [&](const Error& warning) { left_out.push_back(warning); };
  Recorder recorder(std::move(options), context.session);
  std::stop_source stop;
  std::stop_callback on_signal(context.stop, [&] { stop.request_stop(); });
  UserSignal on_user_signal(context.signals, [&] { recorder.snapshot(); });
  std::optional<ControlServer> control;
  if (!arguments.control.empty()) {
    auto answering = [&](const std::string& command) {
      return answer(command, recorder, uploader.get(), stop, context.clock);
    };
    control.emplace(arguments.control, answering, context.session.clock());
  }
  RecordStatus status;
  DrainNote drain_note(context.clock);
  {
    context.result_stands.emplace();
    Keys keys(context.signals, [&](Keys::Key key) { act(key, recorder, stop); });
    try {
      status = recorder.run(stop.get_token(), [&](const RecordStatus& now) {
        line.show(now);
        if (stop.stop_requested() && drain_note.is_due(now)) {
          line.erase();
          drain_note.print(now);
        }
      });
    } catch (const Error& error) {
      line.erase();
      status = recorder.status();
      line.finish(status);
      // No file is open, so the error came after the last one was complete.
      bool is_complete = status.open_file.empty() && !status.files.empty();
      if (is_complete && !arguments.as_json) print_totals(status, context);
      context.out.flush();
      throw with_waiting(with_repair(error, context.session), uploader.get());
    }
  }
  line.erase();
  line.finish(status);
  if (!arguments.as_json) print_totals(status, context);
  warn_of_undefined(status);
  if (!status.ended.empty() && !status.lacks_space && !arguments.duration && !arguments.limit) {
    print_warning(status.ended);
  }
  print_warnings_of_files(left_out);
  stages.warn();
  if (status.lacks_space) throw_too_little_space(status, arguments.target.min_free_bytes);
  if (uploader && !complete_uploads(uploader, recorder, arguments, context)) {
    // The process is left without unwinding, and the socket is a file.
    control.reset();
    leave_uploads(*uploader, context);
  }
  return kDone;
}

}  // namespace kitbag::cli
