#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/context.h"
#include "cli/options/streamed_bag.h"
#include "kitbag/bag.h"
#include "kitbag/damage.h"
#include "kitbag/video.h"

namespace kitbag::cli {

/// How a verb reads bags.
struct ReadingOptions {
  bool is_strict = false;  ///< the first damage is thrown
  std::string gpg_key;     ///< for bags that are encrypted
  std::string format;      ///< to open the bags as; empty: detected from their content
  bool check_crc = true;
  unsigned threads = 0;                ///< that decompress ahead
  bool allow_outside = false;          ///< files that metadata.yaml names outside of its directory
  std::uint64_t max_memory_bytes = 0;  ///< of a message or chunk; 0: as the library has it

  /// As the library has them. `on_problem` may be empty.
  ReadOptions with(OnProblem on_problem) const;
};

/// A problem of a bag as a person reads it, with the option that goes past a limit or a lock.
std::string problem_text(const Error& problem);

/// The same, of an error that ends a command or one of its jobs.
std::string error_text(const Error& error);

/// Prints a warning line if there is any: the worst problem and how many more. Gives the exit code:
/// kNotSo where the damage costs something.
[[nodiscard]] int warn_of(const Damage& damage);

/// Throws Error (invalid) if `path` is a folder of bags that have nothing to do with each other;
/// the library would open them as the files of one bag.
void require_one_bag(const std::string& path, const Session& session);

class Definitions;

/// What a verb wants of its bags beside reading them.
struct InputOptions {
  /// A bag that cannot be opened is reported and left out, as long as there are others.
  bool skips_unreadable = false;
  /// Channels know the file that they come from; see file_of().
  bool tells_files = false;
  /// Supplies the definitions that bags lack, and outlives them; null: they lack them.
  Definitions* definitions = nullptr;
  /// The option by which the verb reads all bags below a folder: "-r". Empty: it has none.
  std::string recursive = {};
};

/// The file that a channel comes from, as it was named; empty if its bag does not tell.
std::string file_of(const Channel& channel);

/// Notes about frames before a query that were not added.
void warn_of(const KeyFrameReport& report, const std::string& about = {});

/// The bags that a verb reads, and the damage found in them on the way. One thread.
class Inputs {
 public:
  /// Opens them all; one that comes through a pipe is a StreamedBag. Throws Error.
  Inputs(const std::vector<std::string>& paths, const ReadingOptions& reading,
         const Context& context, InputOptions options = {});

  std::span<const BagPtr> bags() const { return bags_; }

  /// A bag that comes through a pipe is read to its end, for a verb that wants no messages of it.
  void read_stream(const std::stop_token& stop) const;
  /// What follows in it beside messages when the reader of its messages has enough.
  std::vector<Extra> read_remaining_extras(const std::stop_token& stop) const;
  bool has_stream() const { return stream_ != nullptr; }

  /// All bags as one source, ordered as `query` says. The Inputs must outlive it.
  std::unique_ptr<Source> read(const Query& query) const;
  /// The same, with the frames in front of it that videos need (read_from_key_frames()). `report`
  /// is updated.
  std::unique_ptr<Source> read_from_key_frames(const Query& query, KeyFrameReport& report,
                                               const Context& context) const;

  /// Prints one warning line for each bag that is damaged. Gives the exit code, as warn_of();
  /// kFailed if a bag was left out.
  [[nodiscard]] int warn() const;

 private:
  void open(const std::string& path, const ReadingOptions& reading, const Context& context);
  BagPtr open_bag(const std::string& path, const ReadOptions& options,
                  const Session& session) const;
  /// `error` of a file that is not there; its name may be a topic of the bags before it.
  Error with_topic(const Error& error, const std::string& path) const;

  InputOptions options_;
  bool is_complete_ = true;
  std::vector<BagPtr> bags_;
  std::shared_ptr<const StreamedBag> stream_;    ///< one of them, or null
  std::vector<std::unique_ptr<Damage>> damage_;  ///< by bag; their addresses are known to bags
};

}  // namespace kitbag::cli
