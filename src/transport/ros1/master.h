#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kitbag::ros1 {

// The master may be gone at any time: its process has ended or is stopped, or its machine is out of
// reach. By itself roscpp waits for its answer for ever; what is here does not. So nothing else
// asks the master, except what has it register something, just after it has answered.

/// How long the master may take to answer, in milliseconds.
inline constexpr int kMasterPatienceMs = 500;
/// And how long when something is to end, which the user waits for.
inline constexpr int kLeavingPatienceMs = 200;

/// Whether a master answers.
bool has_master();

/// The topics that are published, with their types; nothing where the master does not answer before
/// `is_stopped`.
std::optional<std::vector<std::pair<std::string, std::string>>> published_topics(
    const std::atomic<bool>& is_stopped);

/// Which nodes send and receive what.
struct SystemState {
  std::map<std::string, std::vector<std::string>> publishers;   ///< nodes by topic
  std::map<std::string, std::vector<std::string>> subscribers;  ///< likewise
  std::map<std::string, std::string> types;                     ///< by topic; "*": not known
};

/// What the master knows of all nodes, this one included; nothing where it does not answer before
/// `is_stopped`.
std::optional<SystemState> system_state(const std::atomic<bool>& is_stopped);

/// How many publishers this node receives from, by topic; nothing where it does not say so before
/// `is_stopped`.
std::optional<std::map<std::string, std::size_t>> connections_by_topic(
    const std::atomic<bool>& is_stopped);

/// What has the master register something holds this meanwhile: see leave_master().
std::unique_lock<std::mutex> hold_master();

/// Runs `leave`, which destroys what the master has registered. A master that does not answer hears
/// nothing of it, as if this process had been killed.
void leave_master(const std::function<void()>& leave);

}  // namespace kitbag::ros1
