#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kitbag/message.h"
#include "kitbag/session.h"

namespace kitbag {

/// What is behind ChannelFields. How a field is read is the matter of a higher layer, so here it is
/// kept without its type.
struct ChannelFields::State {
  std::mutex session_mutex;
  std::optional<Session> session = std::nullopt;

  std::mutex mutex;                        ///< of what follows, and held while a reader is used
  std::shared_ptr<void> values = nullptr;  ///< that all readers use
  std::map<std::string, std::shared_ptr<void>, std::less<>> readers = {};  ///< by path
  /// Expires with the channel: another one may get its address.
  const std::shared_ptr<const bool> life = std::make_shared<const bool>(true);
};

/// The session that set_session() gave the channel, if any.
std::optional<Session> session_of(const Channel& channel);
/// Lets Message::field() decode the messages of the channel with the parts of `session`.
void set_session(const Channel& channel, const Session& session);

}  // namespace kitbag
