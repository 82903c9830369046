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
  Evolver(const DefinitionPaths& to_definitions, Migration migration, const Session& session)
      : is_needed_(!to_definitions.empty()),
        migration_(std::move(migration)),
        session_(session),
        library_(to_definitions, session) {}

  /// False: all channels keep their definitions.
  bool is_needed() const { return is_needed_; }
  /// `source` is the type of the channel. Empty if the new definition has the same shape. Throws
  /// Error (unsupported) if messages cannot be converted to it.
  Evolved evolve(const Channel& channel, const TypePtr& source);
  /// Whether there is a definition of the channel's type.
  bool knows(const Channel& channel);

 private:
  bool is_needed_;
  Migration migration_;
  Session session_;
  DefinitionLibrary library_;
};

}  // namespace kitbag
