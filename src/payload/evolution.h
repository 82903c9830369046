#pragma once

#include <optional>

#include "definitions/definition_library.h"
#include "kitbag/message.h"
#include "kitbag/session.h"
#include "kitbag/transcode.h"
#include "kitbag/type.h"

namespace kitbag {

/// The new definition of a channel's type; empty if there is none.
struct Evolved {
  std::optional<Schema> schema;
  TypePtr type;
};

/// Finds the definitions that messages are to be converted to. One thread at a time.
class Evolver {
 public:
  /// `options` must outlive it.
  Evolver(const TranscodeOptions& options, const Session& session)
      : options_(options), session_(session), library_(options.to_definitions, session) {}

  /// False: all channels keep their definitions.
  bool is_needed() const { return !options_.to_definitions.empty(); }
  /// `source` is the type of the channel. Empty if the new definition has the same shape. Throws
  /// Error (unsupported) if messages cannot be converted to it.
  Evolved evolve(const Channel& channel, const TypePtr& source);
  /// Whether there is a definition of the channel's type.
  bool knows(const Channel& channel);

 private:
  const TranscodeOptions& options_;
  Session session_;
  DefinitionLibrary library_;
};

}  // namespace kitbag
