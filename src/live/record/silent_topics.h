#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/message.h"
#include "kitbag/selector.h"

namespace kitbag {

/// Notices what was asked for and never comes: a name with a typing error, a system that is silent.
class SilentTopics {
 public:
  /// How long a recording waits before it is told.
  static constexpr Duration kPatience = std::chrono::seconds(5);

  explicit SilentTopics(const Selection& asked);

  /// Takes note of the messages of `batch`.
  void take(const Batch& batch);
  /// The same of a message on `channel` that is in no batch.
  void hear(const Channel& channel);
  /// Names what has not come, once, when `elapsed` has reached kPatience; absent: nothing to tell.
  std::optional<Error> tell(Duration elapsed);
  /// The same at the end of the recording, however early: of names alone, and if not told before.
  std::optional<Error> tell_at_end();

 private:
  /// Returns which of the topics are silent: "no message came on /a, /b", where `verb` is "came".
  /// Empty: messages came on all of them. Later calls return nothing more.
  std::string take_silence(std::string_view verb);

  struct Asked {
    std::string what;  ///< as the caller has written it
    Selector selector;
    bool has_come = false;
  };

  std::vector<Asked> silent_;      ///< cleared when it was told
  std::vector<bool> slots_heard_;  ///< channels that have been compared
  bool has_names_ = true;          ///< topics or types were asked for
  bool is_told_ = false;
};

}  // namespace kitbag
