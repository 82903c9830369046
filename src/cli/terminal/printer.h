#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kitbag/stream.h"
#include "kitbag/transcode.h"

namespace kitbag::cli {

/// How `cat` and `nth` print.
enum class MessageFormat {
  json,    ///< one object a line
  yaml,    ///< one document a message
  csv,     ///< one line a message, a column a field
  raw,     ///< the payloads, one behind the other
  digest,  ///< one line a topic; `cat` only
};

struct PrintOptions {
  MessageFormat format = MessageFormat::json;
  std::vector<std::string> fields;  ///< paths; empty: all
  bool escapes_formulas = false;    ///< csv: texts that a spreadsheet would take for formulas
  CodecOptions codec = {.not_a_number = CodecOptions::NotANumber::null};
  OnError on_error = OnError::skip;
};

/// A sink that prints every message, decoded; digest is none of its formats. `context` and `report`
/// must outlive it. Throws Error (invalid) for options that do not go together.
std::unique_ptr<Sink> printer(const PrintOptions& options, const Context& context,
                              TranscodeReport& report);

/// Prints one warning line for each topic of which messages were lost on the way.
void warn_of(const TranscodeReport& report);

}  // namespace kitbag::cli
