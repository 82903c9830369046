#include <span>
#include <string>
#include <vector>

#include "cli/command_line/options.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/rosbag2.h"

namespace kitbag::cli {
namespace {

/// "30s" or "100MB".
/// Without a unit it is a duration, which is tried first.
SnapshotLimits parse_snapshot(const std::string& text) {
  SnapshotLimits limits;
  try {
    limits.duration = parse_positive_duration(text);
  } catch (const Error&) {
    limits.bytes = parse_positive_size(text);
  }
  return limits;
}

/// "static_topics_and_types_list" of a file.
std::vector<ExpectedTopic> read_static_topics(const std::string& path) {
  constexpr std::uint64_t kMostBytes = 16 << 20;
  auto file = open_file(path);
  if (file->size() > kMostBytes) {
    throw Error(ErrorCode::invalid, "the file is too large for a list of topics", path);
  }
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  text.resize(file->read(0, std::as_writable_bytes(std::span(text))));
  try {
    return rosbag2::parse_static_topics(text);
  } catch (const Error& error) {
    throw Error(error.code(), path + ": " + error.message());
  }
}

void add_retention(Verb& verb, RecordTarget& target) {
  add_parsed(verb, "--max-files", target.keep.files, parse_positive_size, "N",
             "Keep at most N files; delete the oldest")
      ->group(kRetentionGroup);
  verb.common(add_parsed(verb, "--max-total-size", target.keep.bytes, parse_positive_size, "SIZE",
                         "Keep at most SIZE in total, such as 50GB; delete the oldest files")
                  ->group(kRetentionGroup));
  add_parsed(verb, "--max-age", target.keep.age, parse_positive_duration, "DURATION",
             "Delete files that are older than this")
      ->group(kRetentionGroup);
  verb.common(
      add_parsed(verb, "--min-free-space", target.min_free_bytes, parse_size, "SIZE",
                 "Delete the oldest files of this name before less than SIZE is free on the "
                 "disk; stop when none is left")
          ->group(kRetentionGroup));
}

void add_recorded_uploads(Verb& verb, UploadOptions& upload) {
  verb.common(add_text(verb, "--upload", upload.target, "URI",
                       "Upload files to this folder, such as s3://bags/{robot}/{date}/")
                  ->group(kUploadGroup));
  add_upload(verb, upload);
}

void add_snapshot(Verb& verb, std::optional<SnapshotLimits>& snapshot,
                  const std::string& triggers) {
  verb.common(
      add_parsed(verb, "--snapshot", snapshot, parse_snapshot, "DURATION|SIZE",
                 fmt::format("Keep this much in memory; write it to a file on {}", triggers))
          ->group(kRunningGroup));
}

void add_recorded_topics(Verb& verb, RecordingOptions& recording) {
  add_topics(verb, recording.select);
  add_hidden_topics(verb, recording.from.parameters);
  add_parsed(verb, "--static-topics,--static-topics-path", recording.expected, read_static_topics,
             "FILE",
             "Subscribe to the topics in a YAML file, in the format of ros2 bag, before they have "
             "a publisher")
      ->group(kSelectionGroup);
  add_where(verb, recording.payload.where);
  verb.common(add_throttles(verb, recording.throttle));
}

void add_recorded_content(Verb& verb, PayloadOptions& payload) {
  add_encoding(verb, payload.transcoding);
  add_on_error(verb, payload.on_error,
               "Handle what cannot be decoded: record the channel unchanged (raw); skip and count "
               "the messages; or stop. Default: raw");
  add_definitions(verb, payload.definitions);
  add_evolution(verb, payload.transcoding);
  add_encode_video(verb, payload.videos,
                   "Pictures that come while eight of their topic wait are dropped and counted");
  // A recorder that waits for an encoder would lose messages of all topics instead.
  payload.drops_pictures = true;
}

void add_recorded_files(Verb& verb, RecordTarget& target) {
  verb.add_flag_callback(
          "--repeat-latched", [&target] { target.repeat_latched = true; },
          "Repeat the latest latched messages at the beginning of each file (default)")
      ->group(kOutputGroup);
  verb.add_flag_callback(
          "--no-repeat-latched", [&target] { target.repeat_latched = false; },
          "Write latched messages once, to the file that is open when they come")
      ->group(kOutputGroup);
  add_split(verb, target.split);
  add_storage(verb, target.write, "none");
  add_retention(verb, target);
}

}  // namespace

void add_upload(Verb& verb, UploadOptions& upload) {
  add_parsed(verb, "--upload-rate", upload.bytes_per_second, parse_positive_size, "SIZE",
             "Upload at most SIZE each second, such as 10MB")
      ->group(kUploadGroup);
  add_text(
      verb, "--robot", upload.robot, "NAME",
      "Set the value of {robot} in the upload target. Default: KITBAG_ROBOT, or else the name of "
      "this machine")
      ->group(kUploadGroup);
}

void add_recording(Verb& verb, RecordingOptions& recording, const RecordingTexts& texts) {
  add_systems(verb, recording.from, texts.from, texts.description);
  add_recorded_topics(verb, recording);
  add_recorded_files(verb, recording.target);
  add_recorded_uploads(verb, recording.upload);
  add_snapshot(verb, recording.snapshot, texts.snapshot);
  add_start_paused(verb, recording.starts_paused, texts.resume);
  verb.common(verb.add_flag("--use-sim-time", recording.uses_sim_time,
                            "Use the time on /clock as log time; record /clock too")
                  ->group(kSystemGroup));
  add_feed(verb, recording.feed);
  add_recorded_content(verb, recording.payload);
}

}  // namespace kitbag::cli
