#pragma once

#include <memory>

#include "kitbag/stream.h"
#include "output.h"

namespace kitbag::cli {

/// How `cat` and `nth` print.
enum class MessageFormat {
  json,    ///< one object a line
  raw,     ///< the payloads, one behind the other
  digest,  ///< one line a topic; `cat` only
};

/// A sink that prints every message, as json or raw. `out` must outlive it.
std::unique_ptr<Sink> printer(MessageFormat format, Output& out);

}  // namespace kitbag::cli
