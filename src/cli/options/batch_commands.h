#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kitbag/batch.h"

// The command lines of `kitbag batch`: that of each bag, and those of the processes that it starts.

namespace kitbag::cli {

/// The first argument of a process that runs the command lines of bags (serve_batch()); the verb
/// and its options follow.
inline constexpr std::string_view kBatchServeOption = "--batch-serve";
/// The first argument of a task of an array job; "keep" or "replace" follows, for targets that are
/// there, and the three arguments of run_batch_task().
inline constexpr std::string_view kBatchTaskOption = "--batch-task";

/// Returns the command line for a bag. For verbs that print their result, `target` is no part of
/// it.
std::vector<std::string> batch_command(const BatchRequest& request, const std::string& source,
                                       const std::string& target);

/// Throws Error (invalid) for options that a batch sets itself, or that would make several targets
/// of a bag.
void require_batch_options(const std::vector<std::string>& options);

/// Returns the value of --format in the options of a verb; empty: there is none.
std::string batch_format(const std::vector<std::string>& options);

/// Returns the path of this program.
std::string program_path();
/// Returns why a bag is damaged, has failed or must wait: "run.bag: is damaged".
std::string batch_task_text(const BatchTask& task);

/// Returns the command line of a process that runs those of bags.
std::vector<std::string> batch_worker(const BatchRequest& request);

}  // namespace kitbag::cli
