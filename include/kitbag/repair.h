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

/// Settings of repair().
struct RepairOptions {
  /// Compression of the new bag; absent: the one that most of the damaged bag has.
  std::optional<std::string> compression = std::nullopt;
  /// How the new bag is written. An empty `format` means the one that the name of the new bag
  /// says, or else that of the damaged bag. `compression` is ignored.
  WriteOptions write = {};
  /// How the damaged bag is read. `on_problem` and `trust_index` are ignored. If the damaged bag is
  /// encrypted and `gpg_key` opens it, the new one is encrypted for the same user.
  ReadOptions read = {};
  /// Called once for each place of damage. All of it is also in Repaired::damage; so, if this is
  /// empty, nothing is thrown.
  OnProblem on_problem = {};
  /// In place only: a file that is replaced is kept as original_path() (kitbag/rewrite.h). Throws
  /// Error: invalid if that exists already, Error (unsupported) for a directory.
  bool keeps_original = false;
  /// Wraps the source between reading and writing: stages, a progress bar. May be empty.
  std::function<std::unique_ptr<Source>(std::unique_ptr<Source>, const Bag&)> through = {};
};

/// The result of a repair.
struct Repaired {
  Totals totals;            ///< of the messages that were saved
  ChannelsPtr channels;     ///< of the bag that was read
  Damage damage;            ///< what was found
  bool is_written = false;  ///< false: the bag was sound and stays in place
};

/// Writes everything that is intact in the bag at `from` to a new bag at `to`, in file order. Data
/// is accepted only if it is consistent with the rest of the bag.
///
/// `to` may be `from`: the bag is then replaced when the new one is complete, on the disk and has
/// all messages when it is opened, or left alone if it was sound. In a rosbag2 directory, each file
/// is repaired in this way, and then the metadata.
///
/// Throws Error: corrupt if there is damage and nothing to save, or if the new bag cannot be read
/// back, invalid for a pipe, cancelled on
/// `stop`. After an error `to` is unchanged, except that files of a directory that were repaired
/// before the error stay repaired.
KITBAG_API Repaired repair(const std::string& from, const std::string& to,
                           const RepairOptions& options, const Session& session,
                           const std::stop_token& stop = {});

/// Completes the index of the bag at `path`, and writes its metadata beside it, in the form of
/// rosbag2's metadata.yaml: as `metadata.yaml` in a directory, as `NAME.metadata.yaml` beside a
/// file. A bag without an index is repaired in place. Throws Error as repair() does.
KITBAG_API void index_bag(const std::string& path, const Session& session,
                          const std::stop_token& stop = {});

}  // namespace kitbag
