#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kitbag/export.h"
#include "kitbag/message.h"

// A Selection says which channels are wanted: by topic and by type. Code that reads or listens
// passes one on; a format, a stage or a transport makes a Selector of it and asks:
//
//   Selector selector({.topics = {"/camera/*"}, .exclude = {"*/raw"}});
//   if (selector.matches(channel)) ...
//   if (selector.matches("/camera/left", "sensor_msgs/Image")) ...

namespace kitbag {

/// Selects channels. `topics`, `exclude` and `types` hold names and globs: `*` and `?` match any
/// characters, also `/`, and `[...]` is a set; a glob of service events, `*/_service_event`,
/// matches inside actions only if it has `/_action/` in it. The expressions are regular expressions
/// (RE2 syntax) that must match the whole topic. An empty list does not restrict anything.
struct Selection {
  std::vector<std::string> topics = {};               ///< names and globs of topics
  std::vector<std::string> topic_expressions = {};    ///< regular expressions; added to `topics`
  std::vector<std::string> exclude = {};              ///< names and globs of topics to leave out
  std::vector<std::string> exclude_expressions = {};  ///< regular expressions; added to `exclude`
  std::vector<std::string> types = {};                ///< names and globs of schema names

  bool operator==(const Selection&) const = default;
};

/// A Selection that is ready to be asked: its expressions are compiled once. Cheap to copy. Can be
/// used from any thread.
class KITBAG_API Selector {
 public:
  /// Throws Error (invalid) for an expression that does not compile.
  explicit Selector(const Selection& selection);

  /// Returns whether the channel is selected.
  bool matches(const Channel& channel) const;
  /// Returns whether a channel of that topic and type is selected. For transports that decide
  /// before they know more of a channel. `type` is the name of the schema, or empty.
  bool matches(const std::string& topic, const std::string& type) const;

 private:
  struct KITBAG_PRIVATE Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

/// Returns whether `name` is equal to `glob` or matches it, by the rules of Selection.
KITBAG_API bool matches_glob(const std::string& glob, const std::string& name);

}  // namespace kitbag
