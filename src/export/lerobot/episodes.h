#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "export/lerobot/config.h"
#include "kitbag/exporter.h"
#include "kitbag/field.h"
#include "kitbag/stream.h"

namespace kitbag::lerobot {

/// What a message means for the episodes.
struct Turn {
  bool ends = false;      ///< the episode that is open ends before this message
  bool begins = false;    ///< and one begins with it
  std::string task = {};  ///< of the one that begins
  std::string name = {};  ///< of the one that begins, for people: "(run7.bag)"
};

/// Says where episodes begin and end, by bags, by times or by messages. One thread.
class EpisodeTurns {
 public:
  virtual ~EpisodeTurns() = default;
  /// Takes the next message of any topic. Throws Error for what cannot be episodes.
  virtual Turn take(const Message& message) = 0;
  /// All messages are taken. Throws Error (invalid) for an episode that had none.
  virtual void end() {}
};

/// `config` and `job` have to outlive it. Throws Error (invalid) if messages do not say which bag
/// they are of, where that is needed.
std::unique_ptr<EpisodeTurns> episode_turns(const Config& config, const ExportJob& job);

}  // namespace kitbag::lerobot
