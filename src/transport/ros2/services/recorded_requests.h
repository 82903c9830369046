#pragma once

#include <memory>
#include <optional>

#include "kitbag/bytes.h"
#include "kitbag/calls.h"
#include "kitbag/codec.h"
#include "kitbag/message.h"
#include "kitbag/session.h"

namespace kitbag::ros2 {

/// What an event of a service has to send.
struct RecordedRequest {
  CallEvent::What what = CallEvent::What::request_sent;
  /// The request, as a message of its own. Absent: the event has no content.
  std::optional<ByteView> payload;
};

/// Takes the requests out of the events of one service. One thread.
class RecordedRequests {
 public:
  /// Throws Error: not_found without a definition, which cannot be done without; unsupported,
  /// corrupt.
  RecordedRequests(const Channel& channel, const Session& session);
  ~RecordedRequests();
  RecordedRequests(const RecordedRequests&) = delete;
  RecordedRequests& operator=(const RecordedRequests&) = delete;

  /// The payload is valid until the next call. Throws Error (truncated, corrupt) for what is no
  /// event.
  RecordedRequest read(ByteView event);

 private:
  class Reader;

  TypePtr type_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<Reader> reader_;
  Arena arena_;
  Owner last_;  ///< keeps the payload
};

}  // namespace kitbag::ros2
