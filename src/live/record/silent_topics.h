#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/message.h"
#include "kitbag/selector.h"
#include "kitbag/transport.h"

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
  /// What the system has; absent or empty: it does not say.
  using AskTopics = std::function<std::optional<std::vector<LiveTopic>>()>;
  /// Names what has not come, once, when `elapsed` has reached kPatience; absent: nothing to tell.
  /// `ask` is called if there is, and topics that the system does not have are told with those that
  /// it has.
  std::optional<Error> tell(Duration elapsed, const AskTopics& ask = {});
  /// The same at the end of the recording, however early: of names alone, and if not told before.
  std::optional<Error> tell_at_end(const AskTopics& ask = {});

 private:
  struct Asked {
    std::string what;  ///< as the caller has written it
    Selector selector;
    bool is_topic = false;  ///< it is the name of a topic, or a pattern of such names
    bool has_come = false;
  };
  struct Silence {
    std::string text;  ///< "no message came on /a, /b"; empty: messages came on all of them
    std::string hint;  ///< "; similar: /c": the topics that were perhaps meant
  };

  /// Returns which of the topics are silent; `verb` is "came". Later calls return nothing more.
  Silence take_silence(std::string_view verb, const AskTopics& ask);
  static std::string hint_of(std::vector<Asked> silent, const AskTopics& ask);

  std::vector<Asked> silent_;      ///< cleared when it was told
  std::vector<bool> slots_heard_;  ///< channels that have been compared
  bool has_names_ = true;          ///< topics or types were asked for
  bool is_told_ = false;
};

}  // namespace kitbag
