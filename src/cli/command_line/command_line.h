#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kitbag/remote_rules.h"

namespace kitbag::cli {

/// Runs what a command line asks for. Returns the exit code.
using Command = std::function<int(const Context&)>;

/// What the session is made with, before the command runs.
struct SessionSettings {
  std::vector<std::string> plugins;  ///< to load
  /// For what is kept in memory: a third of it for parts of remote files, the rest for chunks.
  /// Absent: as the library has it.
  std::optional<std::uint64_t> cache_bytes;
  /// For parts of remote files on the disk: where, and how many bytes. Empty and absent: none are
  /// kept.
  std::string cache_folder;
  std::optional<std::uint64_t> cache_folder_bytes;
  std::shared_ptr<const RemoteRules> rules;  ///< null: everything may be read
};

/// A parsed command line.
struct ParsedCommand {
  Command run;
  SessionSettings settings;
};

/// Parses the arguments after the name of the program. A request for help is a command too. Throws
/// Error (invalid) for invalid arguments.
ParsedCommand parse_command(const std::vector<std::string>& arguments);

}  // namespace kitbag::cli
