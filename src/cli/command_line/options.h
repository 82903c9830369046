#pragma once

// The options that several verbs share, one file of definitions for each subject:
// selection_options.cpp, content_options.cpp, storage_options.cpp, reading_options.cpp and
// live_options.cpp. What is parsed into must outlive the parsing.

#include <string>
#include <utility>
#include <vector>

#include "cli/command_line/values.h"
#include "cli/options/inputs.h"
#include "cli/options/live_system.h"
#include "cli/options/payload_stages.h"
#include "cli/options/select.h"
#include "kitbag/bag.h"
#include "kitbag/live.h"
#include "kitbag/pipeline.h"
#include "kitbag/print.h"

namespace kitbag::cli {

/// The most threads that --threads and --read-threads take.
inline constexpr unsigned kMostThreads = 1024;

// selection_options.cpp

/// Topics and types, without times and counts.
void add_topics(CLI::App& app, Selection& select);
/// --start, --end and --duration.
void add_range(CLI::App& app, SelectOptions& select);
/// --by.
void add_by(CLI::App& app, TimeField& by);
/// --order and --by.
void add_order(CLI::App& app, Order& order, TimeField& by);
/// All of the above, --latched and --count.
void add_select(CLI::App& app, SelectOptions& select);
/// Throws Error (invalid) when --start, --end and --duration contradict one another.
void require_plain_range(const SelectOptions& select);
/// --rename, and parse_renames() for what it was given.
CLI::Option* add_renames(CLI::App& app, const std::string& name, std::vector<std::string>& into);
std::vector<std::pair<std::string, std::string>> parse_renames(
    const std::vector<std::string>& texts);

// content_options.cpp

/// --to-definitions and --migrate.
void add_evolution(CLI::App& app, TranscodingOptions& transcoding);
/// --where, --definitions and add_evolution().
void add_payload(CLI::App& app, PayloadOptions& payload);
/// --on-error.
void add_on_error(CLI::App& app, OnError& on_error, const std::string& description);
/// add_payload(), --encoding and --on-error.
void add_transcoding(CLI::App& app, PayloadOptions& payload, const std::string& on_error);
/// How decoded messages are printed.
void add_print(CLI::App& app, PrintOptions& print);

// storage_options.cpp

/// "-f,--force": what is written may replace a file.
CLI::Option* add_force(CLI::App& app, bool& may_replace, const std::string& description);
/// --split-size, --split-duration and --split-messages.
std::vector<CLI::Option*> add_split(CLI::App& app, SplitLimits& split, const std::string& group);
/// How a bag is written. `compression` is what the help calls the default.
void add_storage(CLI::App& app, WriteOptions& write, const std::string& compression);

// reading_options.cpp

void add_strict(CLI::App& app, ReadingOptions& reading);
/// --storage-format, --ignore-crc and the limits of reading.
void add_taking_for(CLI::App& app, ReadingOptions& reading);
CLI::Option* add_gpg_key(CLI::App& app, std::string& gpg_key, const std::string& description);
/// What all verbs that only read have: add_taking_for() and --gpg-key.
void add_reading(CLI::App& app, ReadingOptions& reading);
void add_definitions(CLI::App& app, std::vector<std::string>& folders);

// live_options.cpp

inline constexpr char kSystemGroup[] = "Live system";
inline constexpr char kRunningGroup[] = "While running";

/// The option `name` for the system's URI, and what systems of ROS are told besides.
void add_system(CLI::App& app, SystemOptions& system, const char* name, const char* description);
/// --buffer and --on-full.
void add_feed(CLI::App& app, FeedOptions& feed);
/// --throttle, and parse_throttles() for what it was given.
void add_throttles(CLI::App& app, std::vector<std::string>& into);
std::vector<Throttle> parse_throttles(const std::vector<std::string>& texts);
/// --control.
void add_control_socket(CLI::App& app, std::string& path);

}  // namespace kitbag::cli
