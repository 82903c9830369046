#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kitbag/bag.h"
#include "kitbag/pipeline.h"

namespace kitbag::cli {

/// Where `convert` writes, and how.
struct TargetOptions {
  std::string path;
  WriteOptions write = {.may_replace = false};
  SplitLimits split;
  bool append = false;
  bool is_in_place = false;  ///< the bag at `path` is replaced, and its original kept
};

/// Throws Error when writing `target` would replace one of `inputs` (invalid), or any other file
/// while it may not (exists). Devices and pipes are written to, and replace nothing.
void check_target(const TargetOptions& target, std::span<const std::string> inputs,
                  const Session& session);

/// One bag being written, or several in a row.
class Target {
 public:
  /// Opens the first file. `context` must outlive it.
  Target(const TargetOptions& options, const Context& context);
  Target(const Target&) = delete;  // the sink asks this one for its next file
  Target& operator=(const Target&) = delete;

  Sink& sink() { return *sink_; }
  /// Completes what is written and warns of files that an earlier, longer split left behind.
  void close();
  /// The files begun, in order; before close() the last one is not complete.
  const std::vector<std::string>& files() const { return files_; }
  /// "out.bag", or "out_0.bag to out_4.bag".
  std::string name() const;
  /// Of all files together.
  std::uint64_t size_bytes() const;

 private:
  void warn_of_leftovers() const;

  TargetOptions options_;
  const Context& context_;
  std::vector<std::string> files_;
  std::vector<Error> left_out_;  ///< what the files could not hold, by file
  std::unique_ptr<Sink> sink_;
};

}  // namespace kitbag::cli
