#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kitbag/stream.h"
#include "kitbag/transcode.h"

namespace kitbag::cli {

/// What is to become of payloads.
struct TranscodingOptions {
  std::string encoding;                     ///< empty: it stays
  std::vector<std::string> to_definitions;  ///< folders of the definitions to bring them to
  std::string migrate;                      ///< a file of rules

  bool any() const { return !encoding.empty() || !to_definitions.empty(); }
  /// As the library has them. Throws Error: not_found for a folder or file that is not there,
  /// invalid for rules that make no sense.
  TranscodeOptions with(OnError on_error, TranscodeReport* report) const;
};

/// `source`, transcoded where there is anything to do. `report` and `context` must outlive it.
std::unique_ptr<Source> transcoded(std::unique_ptr<Source> source,
                                   const TranscodingOptions& options, OnError on_error,
                                   TranscodeReport& report, const Context& context);

}  // namespace kitbag::cli
