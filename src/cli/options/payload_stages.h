#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/options/definitions.h"
#include "cli/options/transcoding.h"
#include "kitbag/stream.h"

namespace kitbag::cli {

/// What is to happen to messages, by what they say, on their way from a source to a sink.
struct PayloadOptions {
  std::vector<std::string> definitions = {};  ///< folders
  std::string where = {};                     ///< a condition on fields; empty: all
  TranscodingOptions transcoding = {};
  OnError on_error = OnError::raw;
};

/// The stages that do it: missing definitions are supplied, messages that do not meet the condition
/// left out, payloads transcoded.
class PayloadStages {
 public:
  /// Throws Error (not_found) for a folder that is none. `context` must outlive it.
  PayloadStages(PayloadOptions options, const Context& context);

  /// `source` through them; `count` is of messages that meet the condition, and heeded where there
  /// is one. This object must outlive it. Throws Error (invalid) for options that make no sense.
  std::unique_ptr<Source> add_to(std::unique_ptr<Source> source, std::uint64_t count = UINT64_MAX);

  TranscodeReport& report() { return report_; }
  /// Prints a line for each thing to report, behind `about`.
  void warn(const std::string& about = {}) const;

 private:
  PayloadOptions options_;
  const Context& context_;
  Definitions definitions_;
  TranscodeReport report_;
};

}  // namespace kitbag::cli
