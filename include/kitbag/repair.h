#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kitbag/damage.h"
#include "kitbag/pipeline.h"
#include "kitbag/session.h"

namespace kitbag {

struct RepairOptions {
  /// Absent: the one that most of the damaged bag has.
  std::optional<std::string> compression = std::nullopt;
  /// How else the new bag is written; its `format` empty: that of the damaged one; its
  /// `compression` is not looked at.
  WriteOptions write = {};
  /// How the damaged bag is read; its `on_problem` and `trust_index` are not looked at. With a key
  /// that opens an encrypted bag the new one is encrypted for the same user.
  ReadOptions read = {};
  /// Gets every place of damage, once. It may be empty.
  OnProblem on_problem = {};
  /// What stands between reading and writing: stages, a progress bar. It may be empty.
  std::function<std::unique_ptr<Source>(std::unique_ptr<Source>, const Bag&)> through = {};
};

/// What a repair has done.
struct Repaired {
  Totals totals;  ///< of what was saved
  ChannelsPtr channels;
  Damage damage;
  bool is_written = false;  ///< false: the bag was sound, and stays in its place
};

/// Writes everything that is whole in the bag at `from` to a new bag at `to`, in the order of the
/// file. Nothing in it is believed that is not held against the rest. `to` may be `from`: then it
/// is replaced when the new bag is whole and on the disk, and left alone where it was sound.
/// Throws Error: corrupt when there is damage and nothing to save; cancelled on `stop`. Whatever is
/// thrown, `to` is as it was.
KITBAG_API Repaired repair(const std::string& from, const std::string& to,
                           const RepairOptions& options, const Session& session,
                           const std::stop_token& stop = {});

}  // namespace kitbag
