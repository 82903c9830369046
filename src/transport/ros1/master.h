#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kitbag::ros1 {

// The master may be gone at any time: its process has ended, or its machine is out of reach. By
// itself roscpp then asks again for ever, and a connection to a machine that does not answer is
// waited for as long as the system does (minutes). What is here ends within kMasterPatience and a
// little.

/// How long the master's machine may take to answer, in milliseconds. A thread that is to end waits
/// for it at most once.
inline constexpr int kMasterPatienceMs = 500;

/// Whether somebody takes connections there.
bool is_master_reachable();

/// The topics that are published, with their types; nothing where the master does not answer.
std::optional<std::vector<std::pair<std::string, std::string>>> published_topics();

}  // namespace kitbag::ros1
