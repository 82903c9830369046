#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/options/target.h"

// One command may write one bag of all its inputs, or a bag of each.

namespace kitbag::cli {

/// What is written from the inputs of a verb.
struct OutputOptions {
  enum class Default {
    last_name,        ///< the last input is the target
    last_of_several,  ///< the same, and one other input is not enough to replace a file
    in_place,         ///< each input is rewritten, and its original kept
  };
  Default by_default = Default::last_name;
  std::string path;            ///< one target for all inputs; empty: another way
  bool was_last_name = false;  ///< `path` was the last of the inputs
  std::string folder;          ///< a target for each input, in this folder; empty: another way
  bool is_recursive = false;
  unsigned jobs = 1;  ///< at the same time
  bool as_json = false;

  /// Each input has a target of its own.
  bool is_each() const {
    return !folder.empty() || (path.empty() && by_default == Default::in_place);
  }
};

/// A bag to write.
struct Job {
  std::vector<std::string> inputs;
  TargetOptions target;
};

/// Moves the name of the target from the end of `inputs` to `output`, where that is how it is
/// given. Throws Error (invalid) for options that contradict each other or `target`, naming `verb`.
void take_target(OutputOptions& output, std::vector<std::string>& inputs,
                 const TargetOptions& target, const std::string& verb);

/// The jobs for `inputs`, which may be globs, after take_target(); `target` says how they are
/// written. Originals that were kept are left out, with a note, where bags are rewritten in place.
/// Throws Error: exists, invalid or not_found before anything is written if the command as a whole
/// makes no sense; what concerns one target only is found by check_target().
std::vector<Job> plan_jobs(const OutputOptions& output, const std::vector<std::string>& inputs,
                           const TargetOptions& target, const Context& context);

/// Calls `work` with the number of each job, on `threads` threads. `work` does not throw.
void run_jobs(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace kitbag::cli
