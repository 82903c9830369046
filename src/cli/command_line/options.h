#pragma once

// The options that several verbs share, one file of definitions for each subject:
// selection_options.cpp, content_options.cpp, storage_options.cpp, reading_options.cpp,
// live_options.cpp and recording_options.cpp. An option that is common in every verb that has it is
// marked here; if that depends on the verb, the function returns the option, and the verb marks it.
// The variables that options are parsed into must outlive the parsing.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line/values.h"
#include "cli/command_line/verb.h"
#include "cli/options/inputs.h"
#include "cli/options/jobs.h"
#include "cli/options/live_system.h"
#include "cli/options/many_bags.h"
#include "cli/options/payload_stages.h"
#include "cli/options/recording.h"
#include "cli/options/renames.h"
#include "cli/options/select.h"
#include "cli/terminal/printing.h"
#include "kitbag/bag.h"
#include "kitbag/live.h"
#include "kitbag/pipeline.h"
#include "kitbag/print.h"
#include "kitbag/record.h"

namespace kitbag::cli {

// The groups of --help-all. Options of a single verb that fit into none of them are in CLI11's
// default group, "Options".
inline constexpr char kSelectionGroup[] = "Selection";
inline constexpr char kTimeGroup[] = "Time and order";
inline constexpr char kContentGroup[] = "Content of messages";
inline constexpr char kPrintingGroup[] = "Printing";
inline constexpr char kOutputGroup[] = "Output";
inline constexpr char kSplittingGroup[] = "Splitting";
inline constexpr char kRetentionGroup[] = "Retention";
inline constexpr char kUploadGroup[] = "Uploading";
inline constexpr char kStorageGroup[] = "Storage";
inline constexpr char kReadingGroup[] = "Reading";
inline constexpr char kEncryptionGroup[] = "Encryption";
inline constexpr char kSystemGroup[] = "Live system";
inline constexpr char kRunningGroup[] = "While running";

/// The most threads that --threads and --read-threads take.
inline constexpr unsigned kMostThreads = 1024;

// selection_options.cpp

/// Topics, services, actions and types, without times and counts.
void add_topics(Verb& verb, Selection& select);
CLI::Option* add_where(Verb& verb, std::string& where);
/// --tag NAME=VALUE, which may be given several times.
CLI::Option* add_tags(Verb& verb, std::map<std::string, std::string>& tags,
                      const std::string& description);
CLI::Option* add_count(Verb& verb, std::uint64_t& count);
/// --every, --throttle and --dedupe.
void add_thinning(Verb& verb, PayloadOptions& payload);
/// Throws Error (invalid) if `payload` thins messages that `select` does not give in time order.
void require_thinning_fits(const PayloadOptions& payload, const SelectOptions& select);
CLI::Option* add_start(Verb& verb, std::optional<TimePoint>& start);
/// --start, --end and --duration.
void add_range(Verb& verb, SelectOptions& select);
CLI::Option* add_order(Verb& verb, Order& order);
CLI::Option* add_by(Verb& verb, TimeField& by);
/// Topics and types, times, --latched, --order and --by.
void add_select(Verb& verb, SelectOptions& select);
/// --encode-video
CLI::Option* add_encode_video(Verb& verb, std::vector<EncodedTopics>& videos,
                              const std::string& more);
/// --no-key-frames
void add_no_key_frames(Verb& verb, bool& with_key_frames);
/// Throws Error (invalid) if --start, --end and --duration contradict each other.
void require_plain_range(const SelectOptions& select);

// content_options.cpp

/// `name`, which is --rename and other names for it, and --prefix.
void add_renames(Verb& verb, const std::string& name, Renames& renames);
/// --shift and --align-to-header.
void add_new_times(Verb& verb, PayloadOptions& payload);
void add_no_extras(Verb& verb, PayloadOptions& payload);
CLI::Option* add_encoding(Verb& verb, TranscodingOptions& transcoding);
void add_on_error(Verb& verb, OnError& on_error, const std::string& description);
void add_definitions(Verb& verb, std::vector<std::string>& folders);
/// --to-definitions and --migrate.
void add_evolution(Verb& verb, TranscodingOptions& transcoding);
/// How single messages are printed: --format, and the options of add_printing(). In
/// print_verbs.cpp.
void add_message_format(Verb& verb, PrintingOptions& print);
/// How decoded messages are printed.
void add_printing(Verb& verb, PrintingOptions& print);

// storage_options.cpp

/// "-f,--force": an existing file may be replaced.
void add_force(Verb& verb, bool& may_replace, const std::string& description);
/// -o, --output-dir and -r, of a verb that writes bags. If `inputs` is given, its last value is the
/// output unless -o or --output-dir is there.
void add_output(Verb& verb, OutputOptions& output, CLI::Option* inputs = nullptr);
/// -j and --json, of a verb that converts many.
void add_jobs(Verb& verb, OutputOptions& output);
/// --split-size, --split-duration and --split-messages.
std::vector<CLI::Option*> add_split(Verb& verb, SplitLimits& split);
/// How a bag is written. `compression` is the default that the help shows.
void add_storage(Verb& verb, WriteOptions& write, const std::string& compression);

// reading_options.cpp

/// The argument BAG.
void add_bag(Verb& verb, std::string& bag);
/// The arguments BAG..., at least one.
void add_bags(Verb& verb, std::vector<std::string>& bags, const std::string& description);
/// The same, and -r.
void add_many_bags(Verb& verb, ManyBags& bags, const std::string& description);
CLI::Option* add_recursive(Verb& verb, bool& is_recursive);
void add_strict(Verb& verb, ReadingOptions& reading);
/// --cache-memory, and the disk cache of remote files, whose folder is given by --cache-dir if
/// `has_folder` is true.
void add_caches(Verb& verb, const char* group, bool has_folder);
/// --storage-format, --ignore-crc, the limits of reading and the caches.
void add_input(Verb& verb, ReadingOptions& reading);
CLI::Option* add_gpg_key(Verb& verb, std::string& gpg_key, const std::string& description);
/// add_input() and --gpg-key.
void add_any_input(Verb& verb, ReadingOptions& reading);
/// The options of verbs that only read: --strict and those of add_any_input().
void add_reading(Verb& verb, ReadingOptions& reading);

// live_options.cpp

/// The option `name` for the URI of a live system, and the options that apply only to ROS.
void add_system(Verb& verb, SystemOptions& system, const char* name, const char* description);
/// The same, for an option that may be given several times.
void add_systems(Verb& verb, SystemOptions& systems, const char* name, const char* description);
/// --node-name and --qos-overrides: the parameters of a system of ROS.
void add_ros(Verb& verb, std::map<std::string, std::string>& parameters);
/// --include-hidden-topics, one of them.
void add_hidden_topics(Verb& verb, std::map<std::string, std::string>& parameters);
/// --buffer and --on-full.
void add_feed(Verb& verb, FeedOptions& feed);
CLI::Option* add_throttles(Verb& verb, std::vector<Throttle>& into);
/// `triggers` resume the recording or playing.
void add_start_paused(Verb& verb, bool& starts_paused, const std::string& triggers);
/// --control.
void add_control_socket(Verb& verb, std::string& path);

// recording_options.cpp

/// The words of a verb for what all recording verbs can do.
struct RecordingTexts {
  const char* from;         ///< the option for the URI of a live system, ...
  const char* description;  ///< ... and what it does
  std::string snapshot;     ///< what writes a snapshot
  std::string resume;       ///< what resumes the recording
};

/// --upload-rate and --robot.
void add_upload(Verb& verb, UploadOptions& upload);
/// What to record, how to change it on the way, and how to store it.
void add_recording(Verb& verb, RecordingOptions& recording, const RecordingTexts& texts);

}  // namespace kitbag::cli
